"""An upload whose workers are killed early goes on all the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphvine.graph import Graph
from graphvine.workers.loop import Loop
from graphvine.workers.uploads.handler import UploadHandler
from tests.pipelines.uploads.making import as_lines, items, small, write


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
