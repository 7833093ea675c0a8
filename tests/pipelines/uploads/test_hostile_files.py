"""Hostile files: each ends in a state that is declared for it with a clear error, and good items are kept."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from graphvine.graph import Graph
from graphvine.workers.uploads.api import Uploads
from graphvine.workers.uploads.record import Upload
from tests.pipelines.uploads.hostile import IDS_A_FILE, WAYS, Hostile, hostile
from tests.pipelines.uploads.making import ailments, collected, completed, small

pytestmark = pytest.mark.long("takes in a hundred hostile files")


def test_hostile_files(graph: Graph, tmp_path: Path, full: bool) -> None:
    count = 10_000 if full else 120
    path, chance, ends = tmp_path / "hostile", random.Random(3), Counter[str]()
    for number in range(count):
        file = hostile(number)
        path.write_bytes(file.data)
        settings = small(chunk_bytes=chance.choice([1, 50, 1_000, 1 << 20]), max_item_size=100_000)
        before = in_the_graph(graph, number)
        found = Uploads(graph, settings).upload(path, again=True)
        check(graph, number, file, found, before)
        ends[found.state] += 1
    assert set(ends) == {"completed", "partial_success", "failed"} and min(ends.values()) > count / 50, ends
    assert {row[0] for row in graph.query("MATCH (u:Upload) RETURN DISTINCT u.lease").rows} == {0}
    assert ailments(graph) == []


def in_the_graph(graph: Graph, number: int) -> set[int]:
    """Items with the ids of this file: another, spoilt at an id, may have brought some."""
    return completed(graph, 1 + number * IDS_A_FILE, (number + 1) * IDS_A_FILE)


def check(graph: Graph, number: int, file: Hostile, found: Upload, before: set[int]) -> None:
    case = f"file {number} ({file.told}): {found.state}, {found.failure_details}, {found.processing_errors}"
    assert found.state in file.states, case
    there = in_the_graph(graph, number) - (before - file.good)
    if found.failure_reason == "validation_failed":
        assert not file.good or found.state in file.states, case
        assert found.validation_errors and all(len(error) > 15 for error in found.validation_errors), case
        assert found.validation_errors == found.failure_details and found.last_error, case
        assert there == set() and found.collection_id is None, case
        return
    assert not file.file_fault, case
    assert file.good <= there, f"{case}: {file.good - there} are missing"
    assert found.processed_items + found.failed_items == found.total_items > 0, case
    errors = list(Uploads(graph).errors(found.upload_id))
    assert len(errors) == found.failed_items == len(found.processing_errors), case
    assert all(error["message"] and 0 <= error["index"] < found.total_items for error in errors), case
    if found.state == "failed":
        assert found.processed_items == 0 and found.collection_id is None and there == set(), case
    else:
        assert there <= set(collected(graph, found.collection_id)), case


def test_every_way_is_among_the_files() -> None:
    told = Counter(hostile(number).told for number in range(250))
    assert len(told) > len(WAYS)


def test_a_file_is_the_same_for_the_same_number() -> None:
    assert [hostile(number) for number in range(40)] == [hostile(number) for number in range(40)]


def test_brackets_without_end_are_given_up_early(graph: Graph, tmp_path: Path) -> None:
    """They would be looked at one by one, hundreds of millions of them in a small file that is packed."""
    path = tmp_path / "brackets"
    path.write_bytes(b"[" * 3_000_000)
    found = Uploads(graph, small(max_item_size=100_000, max_tree_size=100_000)).upload(path)
    assert found.state == "failed"
    assert found.failure_details == ["an item is nested deeper than 10,000 levels: this is no file of items"]
