"""The same story from several sources: told by how near the vectors of two articles lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphvine.graph import Graph
from graphvine.records import Row
from graphvine.workers.news import PIPELINE
from graphvine.workers.news.held import Held

if TYPE_CHECKING:
    from graphvine.workers.parts.embedding import Embedder

# The model reads some 250 words: what a story is about stands in its title and its beginning.
_READ_CHARACTERS = 1_500
_MOST_LINKS = 20


class Stories:
    def __init__(self, graph: Graph, topic: str, embedder: Embedder, similarity: float, most: int) -> None:
        self._graph, self._topic, self._embedder = graph, topic, embedder
        self._similarity, self._most = similarity, most

    def vector(self, title: str, text: str) -> list[float]:
        """What an article is about."""
        vectors = self._embedder.embed([f"{title}. {text[:_READ_CHARACTERS]}"])
        return [float(number) for number in vectors[0]]

    def saved(self, held: Held) -> Row:
        return {"id": held.claim.key, "embedding": held.vector, "model": self._embedder.name}

    def alike(self, held: Held) -> list[Row]:
        """Which articles tell the same story. The line leads from the younger to the older, whichever ends last.

        Two articles that are worked on at once both have their vectors saved before either looks.
        """
        import numpy as np

        rows = self._graph.read(
            f"{PIPELINE}.stories", topic=self._topic, model=self._embedder.name, after=-1, limit=self._most
        )
        others = [row for row in rows if row["id"] != held.claim.key and len(row["embedding"]) == len(held.vector)]
        if not others or not held.vector:
            return []
        nearness = np.array([row["embedding"] for row in others], np.float32) @ np.array(held.vector, np.float32)
        near = [int(place) for place in np.argsort(-nearness)[:_MOST_LINKS] if nearness[place] >= self._similarity]
        return [_line(held, others[place], float(nearness[place])) for place in near]


def _line(held: Held, other: Row, similarity: float) -> Row:
    younger, older = (held.claim.key, other["id"]) if held.claim.seq > other["seq"] else (other["id"], held.claim.key)
    return {"younger": younger, "older": older, "similarity": round(similarity, 4)}
