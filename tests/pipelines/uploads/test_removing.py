"""What is left of uploads that fail or are removed, and what a list of several files does."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from graphvine.workers.hn.ingest.forms import API, ROWS
from graphvine.workers.loop import Loop
from graphvine.workers.uploads.api import Uploads
from graphvine.workers.uploads.errors import StepNotAllowed
from graphvine.workers.uploads.handler import UploadHandler
from graphvine.workers.uploads.machine import take_by_hand
from graphvine.workers.uploads.processing import spool_folder
from graphvine.workers.uploads.processors import Work
from tests.acceptance.cli_support import run
from tests.pipelines.uploads.making import (
    ailments,
    as_array,
    as_lines,
    collected,
    completed,
    counted,
    items,
    small,
    write,
)
from tests.support.stores import Place


def test_a_file_that_vanished_leaves_no_empty_collection(
    uploads: Uploads, graph: Graph, clock: ManualClock, tmp_path: Path
) -> None:
    path = write(tmp_path, as_array(items(8)))
    taken = uploads.take(path)
    uploads.validate(taken.upload_id)
    take_by_hand(graph, "start_processing", Work(uploads.show(taken.upload_id), small(), clock.now_ms()))
    path.unlink()
    loop = Loop(graph, "upload", UploadHandler(graph, small()))
    for _ in range(6):
        clock.forward(3_600)
        loop.run_once()
    failed = uploads.show(taken.upload_id)
    assert (failed.state, failed.collection_id, counted(graph, "Collection")) == ("failed", None, 0)
    write(tmp_path, as_array(items(8)))
    uploads.reset(taken.upload_id)
    assert uploads.bring_on(taken.upload_id).state == "completed" and counted(graph, "Collection") == 1


def test_an_upload_given_up_after_lost_claims_leaves_no_empty_collection(
    uploads: Uploads, graph: Graph, clock: ManualClock, tmp_path: Path
) -> None:
    taken = uploads.take(write(tmp_path, as_array(items(8))))
    uploads.validate(taken.upload_id)
    take_by_hand(graph, "start_processing", Work(uploads.show(taken.upload_id), small(), clock.now_ms()))
    for number in range(graph.settings.max_lost_claims):
        assert len(graph.claims("upload", f"dead {number}").claim(1)) == 1
        clock.forward(graph.settings.timeout_seconds + 1)
        graph.reap("upload")
        clock.forward(graph.settings.backoff_max_seconds)
    failed = uploads.show(taken.upload_id)
    assert (failed.state, failed.collection_id, counted(graph, "Collection")) == ("failed", None, 0)
    uploads.reset(taken.upload_id)
    assert uploads.bring_on(taken.upload_id).state == "completed"
    assert collected(graph, uploads.show(taken.upload_id).collection_id) == list(range(1, 9))


def test_a_removed_upload_leaves_the_lists_with_its_copy_and_its_file_may_come_again(
    uploads: Uploads, graph: Graph
) -> None:
    data = as_lines([*items(3), {"id": 9}])
    first = uploads.upload(io.BytesIO(data))
    assert first.state == "partial_success" and len(list(spool_folder(graph).iterdir())) == 1
    assert uploads.remove(first.upload_id).state == "removed"
    assert uploads.list() == [] and list(spool_folder(graph).iterdir()) == [] and completed(graph) == {1, 2, 3}
    with pytest.raises(StepNotAllowed, match="it is removed"):
        uploads.remove(first.upload_id)
    second = uploads.upload(io.BytesIO(data))
    assert second.upload_id == f"{first.upload_id}-2" and second.processed_items == 3 and ailments(graph) == []


def test_what_is_worked_on_can_not_be_removed(uploads: Uploads, graph: Graph, tmp_path: Path) -> None:
    taken = uploads.take(write(tmp_path, as_array(items(8))))
    take_by_hand(graph, "validate_upload", Work(taken, small(), graph.clock.now_ms()))
    with pytest.raises(StepNotAllowed, match="exclude upload"):
        uploads.remove(taken.upload_id)


def test_the_form_of_the_items_is_told(uploads: Uploads, tmp_path: Path) -> None:
    assert uploads.upload(write(tmp_path, as_array(items(2)))).item_form == API
    row = {"id": "7", "type": "story", "title": "t", "by": "a", "time": "1325376000", "dead": 0}
    assert uploads.upload(write(tmp_path, as_lines([row]), "rows")).item_form == ROWS


def test_an_array_on_the_first_line_is_a_bad_line_however_long_it_is(uploads: Uploads, tmp_path: Path) -> None:
    data = json.dumps([1] * 40_000).encode() + b"\n" + as_lines(items(3))
    found = uploads.upload(write(tmp_path, data))
    assert (found.format, found.processed_items, found.failed_items) == ("lines", 3, 1)


def test_several_files_are_several_uploads(place: Place, tmp_path: Path) -> None:
    graph = str(place.path)
    one, two = (str(write(tmp_path, as_lines(items(3, first=first)), str(first))) for first in (1, 10))
    bad = str(write(tmp_path, b"[1", "bad"))
    assert "is not there" in run("upload", one, str(tmp_path / "none"), "--graph", graph, status=1).err
    done = json.loads(run("upload", one, bad, two, "--json", "--graph", graph, status=1).out)["uploads"]
    assert [found["state"] for found in done] == ["completed", "failed", "completed"]
    ids = [found["upload_id"] for found in done]
    assert "2 uploads removed" in run("upload", "remove", *ids[:2], "--graph", graph).out
    assert ids[0] not in run("uploads", "--graph", graph).out
