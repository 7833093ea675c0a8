"""The index follows while items come in: whatever is written between two looks at the graph stands in it once."""

from __future__ import annotations

from typing import Any

from graphvine.graph import Graph
from graphvine.workers.hn.ingest.index_sync import HNIndex, share, unshare
from graphvine.workers.hn.ingest.ingest import intake
from tests.pipelines.hn.making import DELIVERED


def story(id: int) -> dict[str, Any]:
    return {"id": id, "type": "story", "by": "ann", "time": 1_400_000_000 + id, "title": f"story {id}"}


class Interrupted:
    """The graph, in which something happens once right after the newest stamp was read."""

    def __init__(self, graph: Graph, then: Any) -> None:
        self._graph, self._then = graph, then

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)

    def read(self, block: str, **given: Any) -> Any:
        found = self._graph.read(block, **given)
        if block == "hn_item.newest_stamp" and self._then is not None:
            then, self._then = self._then, None
            then()
        return found


def test_what_is_written_between_two_looks_stands_there_once(graph: Graph) -> None:
    taking = intake(graph)

    def take(*items: dict[str, Any]) -> None:
        taking.take(items, "BULK_UPLOAD", handed_over_at=DELIVERED)

    index: HNIndex = share(graph)
    try:
        take({"id": 2, "type": "comment", "by": "bob", "time": 1_400_000_002, "text": "first", "parent": 1})
        index.catch_up()
        index._graph = Interrupted(graph, lambda: take(*map(story, range(3, 8))))  # type: ignore[assignment]
        # The comment comes to stand below it: not all documents of the unit are at hand, so the graph is read.
        take(story(1))
        index.catch_up()
        assert index._graph._then is None, "it happened"
        assert index.index.count() == 7
    finally:
        unshare(graph)
