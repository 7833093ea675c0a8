"""An upload whose workers are killed early goes on all the same."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from graphvine.reaper import reap_dead
from graphvine.workers.loop import Loop
from graphvine.workers.pipeline import Context
from graphvine.workers.uploads.handler import UploadHandler
from tests.pipelines.uploads.making import as_array, as_lines, items, small, write


def test_an_upload_that_lost_workers_begins_with_less(graph: Graph, tmp_path: Path) -> None:
    """So that something is done, and counts, in however short a life."""
    graph.seed("upload", [str(write(tmp_path, as_lines(items(1_000)), "items"))])
    written: list[int] = []

    def note(event: str, facts: dict[str, Any]) -> None:
        if event == "write" and "upload.advance" in facts["blocks"]:
            written.append(1)

    settings = small(items_at_once=800, bytes_at_once=1 << 20)
    loop = Loop(graph, "upload", UploadHandler(graph, settings), batch=1)
    while graph.uploads.list()[0].state != "processing":
        loop.run_once()
    graph.execute("MATCH (u:Upload) SET u.lost_claims = 1")
    graph.store.forget()
    graph.store.subscribe(note)
    loop.run_once()
    (found,) = graph.uploads.list()
    assert (found.state, found.processed_items) == ("completed", 1_000)
    assert len(written) == 5, "50, 100, 200, 400 and the rest"


class Killed(BaseException):
    """In the place of a SIGKILL: nothing is written after it."""


@pytest.mark.parametrize("shape", [as_lines, as_array])
def test_validation_goes_on_where_a_lost_worker_was(
    graph: Graph, clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: Any
) -> None:
    """A file that takes longer to read through than each life of its process is validated all the same."""
    monkeypatch.setattr("graphvine.workers.uploads.handler._NOTED_AFTER", 1_024)
    many = items(200)
    graph.seed("upload", [str(write(tmp_path, shape(many), "items"))])
    lives, begun = 0, list[int]()
    while graph.uploads.list()[0].state in ("initial_state", "uploaded", "validating"):
        lives += 1
        assert lives < 100
        begun.append(graph.uploads.list()[0].chunk_offset)
        handler = UploadHandler(graph, small())
        told: Counter[str] = Counter()

        def die(claim: Any, phase: str, done: int, total: int, told: Counter[str] = told) -> None:
            told[phase] += 1
            if told[phase] == 7:  # a little further than what is noted first
                raise Killed

        handler._tell = die  # type: ignore[method-assign]
        claims = graph.claims("upload", f"{socket.gethostname()}:{2**22 + lives}:x")  # no such process
        for claim in claims.claim(1):
            try:
                for outcome in handler.handle([claim], Context(threading.Event())):
                    claims.settle([outcome])
            except Killed:
                reap_dead(graph.store, "upload")
                clock.forward(3_600)
    (found,) = graph.uploads.list()
    assert (found.state, found.total_items) == ("processing", len(many)), found.last_error
    assert lives > 6 and len(set(begun)) > 3
