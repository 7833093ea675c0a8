"""Every criterion on both sides, as functions, and the ends that they lead to, with real files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphvine.graph import Graph
from graphvine.workers.uploads.api import Uploads
from graphvine.workers.uploads.processors import CRITERIA
from graphvine.workers.uploads.record import Upload, upload_of
from tests.pipelines.uploads.making import as_array, as_lines, items, write

NONE: Upload = upload_of({"upload_id": "a"})
CASES: list[tuple[str, bool, dict[str, Any]]] = [
    ("validation_success_criterion", True, {"validation_status": "passed", "total_items": 1}),
    ("validation_success_criterion", False, {"validation_status": "passed", "total_items": 0}),
    ("validation_success_criterion", False, {"validation_status": "failed", "total_items": 1}),
    ("validation_success_criterion", False, {"validation_status": None, "total_items": 1}),
    ("validation_success_criterion", False, {"validation_status": "passed", "total_items": 1, "validation_errors": ["x"]}),
    ("validation_failure_criterion", True, {"validation_status": "failed"}),
    ("validation_failure_criterion", True, {"validation_status": "passed", "validation_errors": ["x"]}),
    ("validation_failure_criterion", False, {"validation_status": "passed"}),
    ("validation_failure_criterion", False, {"validation_status": None}),
    ("processing_complete_success_criterion", True, {"total_items": 3, "processed_items": 3}),
    ("processing_complete_success_criterion", False, {"total_items": 3, "processed_items": 2}),
    ("processing_complete_success_criterion", False, {"total_items": 3, "processed_items": 3, "failed_items": 1}),
    ("processing_partial_success_criterion", True, {"total_items": 3, "processed_items": 2, "failed_items": 1}),
    ("processing_partial_success_criterion", False, {"total_items": 4, "processed_items": 2, "failed_items": 1}),
    ("processing_partial_success_criterion", False, {"total_items": 3, "processed_items": 3, "failed_items": 0}),
    ("processing_partial_success_criterion", False, {"total_items": 3, "processed_items": 0, "failed_items": 3}),
    ("processing_complete_failure_criterion", True, {"total_items": 3, "failed_items": 3}),
    ("processing_complete_failure_criterion", False, {"total_items": 3, "failed_items": 1}),
    ("processing_complete_failure_criterion", False, {"total_items": 3, "processed_items": 1, "failed_items": 2}),
    ("processing_complete_failure_criterion", False, {"total_items": 0}),
    ("retry_allowed_criterion", True, {"retry_count": 0}),
    ("retry_allowed_criterion", True, {"retry_count": 2}),
    ("retry_allowed_criterion", False, {"retry_count": 3}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "holds", "fields"), CASES)
def test_a_criterion(name: str, holds: bool, fields: dict[str, Any]) -> None:
    assert CRITERIA[name](replace(NONE, **fields)) is holds


def test_every_criterion_is_tested_on_both_sides() -> None:
    assert {(name, holds) for name, holds, _ in CASES} == {
        (name, holds) for name in CRITERIA for holds in (True, False)
    }


@pytest.mark.parametrize(
    ("data", "state", "reason"),
    [
        (as_array(items(7)), "completed", None),
        (as_array([*items(7), {"id": 99}]), "partial_success", None),
        (as_array([{"id": number} for number in range(1, 13)]), "failed", "processing_failed"),
        (as_lines([1, "x", None, [], {"id": 0}]) + b'{"id": 1}\n', "failed", "processing_failed"),
        (b"[]", "failed", "validation_failed"),
        (b"[{}", "failed", "validation_failed"),
        (b"", "failed", "validation_failed"),
        (b" \n\t ", "failed", "validation_failed"),
    ],
)
def test_where_a_file_ends(uploads: Uploads, tmp_path: Path, data: bytes, state: str, reason: str | None) -> None:
    found = uploads.upload(write(tmp_path, data))
    assert (found.state, found.failure_reason) == (state, reason)
    assert bool(found.failure_details) == (state == "failed")
    assert found.total_items == found.processed_items + found.failed_items or reason == "validation_failed"


def test_zero_items_never_come_to_processing(uploads: Uploads, graph: Graph, tmp_path: Path) -> None:
    taken = uploads.take(write(tmp_path, b"\xef\xbb\xbf [ \n ] "))
    found = uploads.validate(taken.upload_id)
    assert (found.state, found.validation_errors) == ("failed", ["there are no items in the file"])
    assert found.collection_id is None and found.started_at is None
