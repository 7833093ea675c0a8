"""An upload from file to collection: steps by hand and in a row, recognition, retries, reset, cleaning up."""

from __future__ import annotations

import io
import threading
from pathlib import Path
from typing import Any

import pytest

from graphvine.clock import ManualClock
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.outcomes import Done
from graphvine.workers.loop import Loop
from graphvine.workers.uploads import processing
from graphvine.workers.uploads.api import Uploads
from graphvine.workers.uploads.errors import FileFault, HeldElsewhere, NoSuchUpload, StepNotAllowed
from graphvine.workers.uploads.handler import UploadHandler
from graphvine.workers.uploads.machine import take_by_hand
from graphvine.workers.uploads.processors import Work
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

ORPHAN = {"id": 500, "type": "comment", "text": "whose?"}


def test_all_the_way(uploads: Uploads, graph: Graph, tmp_path: Path) -> None:
    found = uploads.upload(write(tmp_path, as_array(items(23)), "a file.json"))
    assert found.state == "completed"
    assert (found.total_items, found.processed_items, found.failed_items, found.new_items) == (23, 23, 0, 23)
    assert found.filename == str(tmp_path / "a file.json") and found.format == "array" and len(found.sha256) == 64
    assert found.processing_report is not None and found.processing_report["success_rate"] == 100.0
    assert set(found.processing_report) >= {
        "total_items",
        "processed_items",
        "failed_items",
        "success_rate",
        "processing_time_ms",
    }
    assert found.processing_progress == {"total": 23, "processed": 23, "failed": 0, "current_item": 23}
    assert found.parsed_content == f"{(tmp_path / 'a file.json').as_uri()}#items=0..22"
    assert completed(graph) == set(range(1, 24)) and collected(graph, found.collection_id) == list(range(1, 24))
    collection = graph.read("upload.collection", collection_id=found.collection_id)[0]
    assert collection["item_count"] == 23 and collection["finalized_at"] is not None
    assert graph.hn.search("title").total > 0, "what was uploaded is found"
    assert ailments(graph) == []


@pytest.mark.parametrize("others", [{7}, set(range(2, 41, 2))])
def test_a_collection_holds_its_own_items_and_none_between_them(graph: Graph, tmp_path: Path, others: set[int]) -> None:
    made = items(40)
    graph.hn.add([item for item in made if item["id"] in others], source="SINGLE_POST")
    uploads, own = Uploads(graph), [item for item in made if item["id"] not in others]
    found = uploads.upload(write(tmp_path, as_lines(own)))
    assert (found.state, found.new_items) == ("completed", len(own))
    assert collected(graph, found.collection_id) == [item["id"] for item in own]


def test_step_by_step(uploads: Uploads, tmp_path: Path) -> None:
    taken = uploads.upload(write(tmp_path, as_lines(items(8))), auto=False)
    assert taken.state == "uploaded"
    with pytest.raises(StepNotAllowed, match="start_processing: it is uploaded, not validated"):
        uploads.start(taken.upload_id)
    validated = uploads.validate(taken.upload_id)
    assert (validated.state, validated.total_items, validated.validation_status) == ("validated", 8, "passed")
    for step, name in (
        (uploads.validate, "validate_upload"),
        (uploads.retry, "retry_failed"),
        (uploads.reset, "retry_upload"),
    ):
        with pytest.raises(StepNotAllowed, match=f"{name}.*it is validated"):
            step(taken.upload_id)
    assert uploads.start(taken.upload_id).state == "completed"
    with pytest.raises(NoSuchUpload):
        uploads.start("nothing")


def test_the_same_file_is_recognised(uploads: Uploads, graph: Graph, tmp_path: Path) -> None:
    data = as_array(items(9))
    first = uploads.upload(write(tmp_path, data, "one"))
    again = uploads.upload(write(tmp_path, data, "two"))
    assert again == first
    piped = uploads.upload(io.BytesIO(data))
    assert piped == first and list(processing.spool_folder(graph).iterdir()) == []
    wanted = uploads.upload(tmp_path / "two", again=True)
    assert wanted.upload_id == f"{first.upload_id}-2"
    assert (wanted.state, wanted.new_items, wanted.unchanged_items) == ("completed", 0, 9)
    assert collected(graph, wanted.collection_id) == list(range(1, 10))


def test_a_pipe_is_kept_as_long_as_it_is_needed(uploads: Uploads, graph: Graph) -> None:
    folder = processing.spool_folder(graph)
    taken = uploads.upload(io.BytesIO(as_lines([*items(4), ORPHAN])), name="a pipe")
    assert taken.state == "partial_success" and taken.spooled and taken.filename == "a pipe"
    assert [path.name for path in folder.iterdir()] == [taken.sha256]
    graph.hn.add({"id": 400, "type": "story", "title": "found", "kids": [500]})
    done = uploads.retry(taken.upload_id)
    assert done.state == "completed" and not done.spooled and done.path is None
    assert list(folder.iterdir()) == []
    (folder / "1-left.part").write_bytes(b"by a process that is gone, or is it")
    (folder / "999999999-left.part").write_bytes(b"by a process that is gone")
    uploads.tidy()
    assert [path.name for path in folder.iterdir()] == ["1-left.part"], "a process that lives may still write"
    with pytest.raises(FileFault, match="more than 10 bytes"):
        Uploads(graph, small(max_file_size=10)).upload(io.BytesIO(b"x" * 11))


def test_a_retry_takes_what_failed_and_nothing_else(uploads: Uploads, graph: Graph, tmp_path: Path) -> None:
    bad = [{"id": 600 + number} for number in range(12)]
    mixed: list[Any] = [one for pair in zip(items(12), bad, strict=True) for one in pair] + [ORPHAN, 7]
    found = uploads.upload(write(tmp_path, as_array(mixed)))
    assert (found.state, found.processed_items, found.failed_items) == ("partial_success", 12, 14)
    assert found.failure_report is not None and found.failure_report["failed_items"] == 14
    errors = list(uploads.errors(found.upload_id))
    assert [error["index"] for error in errors] == [*range(1, 24, 2), 24, 25]
    assert [(error["hnId"], error["field"]) for error in errors[-3:]] == [(611, "type"), (500, "parent"), (None, None)]
    graph.hn.add({"id": 400, "type": "story", "title": "found", "kids": [500]})
    written: list[str] = []
    graph.store.subscribe(lambda event, facts: written.extend(facts.get("blocks", ())))
    again = uploads.retry(found.upload_id)
    assert (again.state, again.processed_items, again.failed_items) == ("partial_success", 13, 13)
    assert (again.retry_count, again.retry_total) == (1, 14)
    assert sum(block == "hn_item.take_in" for block in written) == 1, "only the orphan was written"
    errors = list(uploads.errors(found.upload_id))
    assert [error["index"] for error in errors] == [*range(1, 24, 2), 25] and {error["round"] for error in errors} == {
        1
    }
    assert collected(graph, found.collection_id) == [*range(1, 13), 500]


def test_success_after_a_retry_is_success(uploads: Uploads, graph: Graph, tmp_path: Path) -> None:
    found = uploads.upload(write(tmp_path, as_lines([*items(6), ORPHAN])))
    assert found.state == "partial_success"
    graph.hn.add({"id": 400, "type": "story", "title": "found", "kids": [500]})
    done = uploads.retry(found.upload_id)
    assert (done.state, done.processed_items, done.failed_items) == ("completed", 7, 0)
    assert list(uploads.errors(found.upload_id)) == [] and done.failure_report is None
    assert done.processing_report is not None and done.processing_report["success_rate"] == 100.0


def test_three_retries_and_no_more(uploads: Uploads, tmp_path: Path) -> None:
    found = uploads.upload(write(tmp_path, as_lines([*items(3), ORPHAN])))
    for number in (1, 2, 3):
        found = uploads.retry(found.upload_id)
        assert (found.state, found.retry_count) == ("partial_success", number)
        assert (found.processed_items, found.failed_items) == (3, 1)
    with pytest.raises(StepNotAllowed, match="retried 3 times, 3 at most"):
        uploads.retry(found.upload_id)


def test_three_resets_and_no_more(uploads: Uploads, tmp_path: Path) -> None:
    found = uploads.upload(write(tmp_path, b"[1, 2"))
    for number in (1, 2, 3):
        found = uploads.reset(found.upload_id)
        assert (found.state, found.retry_count, found.failure_reason) == ("uploaded", number, None)
        assert (found.validation_errors, found.validation_status) == ([], None)
        found = uploads.validate(found.upload_id)
        assert (found.state, found.failure_reason) == ("failed", "validation_failed")
    with pytest.raises(StepNotAllowed, match="retried 3 times"):
        uploads.reset(found.upload_id)


def test_complete_failure_leaves_nothing_and_touches_nothing(uploads: Uploads, graph: Graph, tmp_path: Path) -> None:
    graph.hn.add(items(5))
    graph.seed("hn_item", ["77"])
    other = uploads.upload(write(tmp_path, as_array(items(3)), "other"))
    before = _everything(graph)
    bad: list[Any] = [item | {"type": "essay"} for item in items(5)] + [{"id": 77, "type": 1}, {"id": 78}, ORPHAN, None]
    found = uploads.upload(write(tmp_path, as_array(bad)))
    assert (found.state, found.failure_reason, found.collection_id) == ("failed", "processing_failed", None)
    assert found.failed_items == len(bad) == len(list(uploads.errors(found.upload_id)))
    assert _everything(graph) == before
    assert collected(graph, other.collection_id) == [1, 2, 3]
    assert uploads.reset(found.upload_id).state == "uploaded"
    assert list(uploads.errors(found.upload_id)) == []
    assert uploads.bring_on(found.upload_id).state == "failed"
    assert _everything(graph) == before and ailments(graph) == []


def test_requeued_it_fails_again_for_the_same_reasons(
    uploads: Uploads, graph: Graph, clock: ManualClock, tmp_path: Path
) -> None:
    found = uploads.upload(write(tmp_path, as_array([ORPHAN, 7])))
    clock.forward(1)
    assert graph.requeue("upload", keys=[found.upload_id]) == 1
    again = uploads.work(found.upload_id)
    assert (again.state, again.failed_items, again.last_error) == ("failed", 2, found.last_error)
    assert [error["index"] for error in uploads.errors(found.upload_id)] == [0, 1]


def _everything(graph: Graph) -> list[Any]:
    rows = graph.query("MATCH (a:HNItem) RETURN a ORDER BY a.hnId", max_rows=10_000).rows
    return [*rows, counted(graph, "Collection"), graph.query("MATCH (c:Collection) RETURN c").rows]


def test_an_item_that_comes_twice_is_there_once(uploads: Uploads, graph: Graph, tmp_path: Path) -> None:
    twice = items(12)
    found = uploads.upload(write(tmp_path, as_array([*twice, *twice, twice[0] | {"type": "none"}])))
    assert (found.state, found.processed_items, found.failed_items) == ("partial_success", 24, 1)
    assert (found.new_items, found.updated_items + found.unchanged_items) == (12, 12)
    assert collected(graph, found.collection_id) == list(range(1, 13))


def test_copies_of_which_none_is_accepted_all_fail(uploads: Uploads, tmp_path: Path) -> None:
    found = uploads.upload(write(tmp_path, as_array([*items(2), ORPHAN, ORPHAN])))
    assert (found.state, found.processed_items, found.failed_items) == ("partial_success", 2, 2)
    assert [error["message"] for error in uploads.errors(found.upload_id)] == ["a comment needs one"] * 2


def test_a_file_that_moved_is_found_and_one_that_changed_is_not_taken(
    uploads: Uploads, graph: Graph, tmp_path: Path
) -> None:
    path = write(tmp_path, as_array(items(30)), "here")
    taken = uploads.take(path)
    moved = path.rename(tmp_path / "there")
    assert uploads.upload(moved).state == "completed"
    path = write(tmp_path, as_array(items(30, first=100)), "second")
    taken = uploads.take(path)
    path.write_bytes(as_array(items(30, first=200)))
    by_hand(uploads, graph, "validate_upload", taken.upload_id)
    counts = Loop(graph, "upload", UploadHandler(graph, small()), keys=[taken.upload_id]).run_once()
    assert (counts.claimed, counts.retried) == (1, 1)
    assert "is another file now" in str(uploads.show(taken.upload_id).last_error)
    assert completed(graph, 100) == set()


def by_hand(uploads: Uploads, graph: Graph, step: str, upload_id: str) -> None:
    """The step alone: nobody works on what comes of it."""
    take_by_hand(graph, step, Work(uploads.show(upload_id), small(), graph.clock.now_ms()))


def test_ctrl_c_stops_between_batches_and_the_same_call_goes_on(graph: Graph, tmp_path: Path) -> None:
    path, stop = write(tmp_path, as_array(items(40))), threading.Event()
    uploads = Uploads(graph, small())

    def listen(event: str, facts: dict[str, Any]) -> None:
        if event == "upload" and facts["phase"] == "processing" and facts["done"] >= 10:
            stop.set()

    graph.store.subscribe(listen)
    stopped = uploads.upload(path, stop=stop)
    assert stopped.state == "processing" and stopped.lease == -1 and 10 <= stopped.processed_items < 40
    assert stopped.current_item == stopped.processed_items
    stop.clear()
    graph.store._listeners.remove(listen)
    assert uploads.upload(path).state == "completed"
    assert collected(graph, stopped.collection_id) == list(range(1, 41))


def test_a_worker_that_lost_its_claim_writes_nothing(
    uploads: Uploads, graph: Graph, clock: ManualClock, tmp_path: Path
) -> None:
    taken = uploads.take(write(tmp_path, as_array(items(40))))
    uploads.validate(taken.upload_id)
    by_hand(uploads, graph, "start_processing", taken.upload_id)
    (claim,) = graph.claims("upload").claim_keys([taken.upload_id])
    with pytest.raises(HeldElsewhere):
        uploads.work(taken.upload_id)
    clock.forward(100_000)
    graph.reap("upload")
    work = Work(uploads.show(taken.upload_id), small(), graph.clock.now_ms())
    with pytest.raises(ClaimLost):
        processing.process(graph, claim, work, lambda: False)
    assert completed(graph) == set() and uploads.show(taken.upload_id).processed_items == 0
    with pytest.raises(ClaimLost):
        graph.claims("upload").settle([Done(claim, [], ending="processing_complete_success")])
    assert uploads.work(taken.upload_id).state == "completed"
    assert collected(graph, f"upload-{taken.upload_id}") == list(range(1, 41)) and ailments(graph) == []


def test_files_by_name_are_taken_by_a_worker(graph: Graph, tmp_path: Path) -> None:
    good = write(tmp_path, as_lines(items(6)), "good")
    missing = str(tmp_path / "missing")
    assert graph.seed("upload", [str(good), missing]) == 2
    loop = Loop(graph, "upload", UploadHandler(graph, small()), batch=1)
    for _ in range(6):
        loop.run_once()
    states = {found.upload_id: (found.state, found.last_error) for found in graph.uploads.list()}
    assert states[str(good)] == ("completed", None)
    assert states[missing][0] == "failed" and "is not there" in str(states[missing][1])
    assert graph.failed("upload")[0].key == missing
