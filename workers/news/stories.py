"""The same story from several sources: told by how near the vectors of two articles lie.

The vectors of the newest articles are kept in memory, one copy for all processors of an open graph: to read a thousand
of them from the store takes half a second, to compare with them a millisecond.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from graphvine.graph import Graph
from graphvine.records import Row
from graphvine.workers.news import PIPELINE
from graphvine.workers.news.held import Held

if TYPE_CHECKING:
    from graphvine.workers.parts.embedding import Embedder

# The model reads some 250 words: what a story is about stands in its title and its beginning.
_READ_CHARACTERS = 1_500
_MOST_LINKS = 20


class _Known:
    """Vectors by the article's id, with its number; the oldest go first."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.loaded = False
        self.vectors: OrderedDict[str, tuple[int, Any]] = OrderedDict()


_known: WeakKeyDictionary[Graph, dict[tuple[str, str], _Known]] = WeakKeyDictionary()
_opening = threading.Lock()


class Stories:
    def __init__(self, graph: Graph, topic: str, embedder: Embedder, similarity: float, most: int) -> None:
        self._graph, self._topic, self._embedder = graph, topic, embedder
        self._similarity, self._most = similarity, most
        with _opening:
            self._known = _known.setdefault(graph, {}).setdefault((topic, embedder.name), _Known())

    def vector(self, title: str, text: str) -> list[float]:
        """What an article is about."""
        vectors = self._embedder.embed([f"{title}. {text[:_READ_CHARACTERS]}"])
        return [float(number) for number in vectors[0]]

    def saved(self, held: Held) -> Row:
        return {"id": held.claim.key, "embedding": held.vector, "model": self._embedder.name}

    def remember(self, held: Held) -> None:
        """Its vector is saved: others that tell the same story are to find it."""
        import numpy as np

        with self._known.lock:
            self._known.vectors[held.claim.key] = (held.claim.seq, np.array(held.vector, np.float32))
            while len(self._known.vectors) > self._most:
                self._known.vectors.popitem(last=False)

    def alike(self, held: Held) -> list[Row]:
        """Which articles tell the same story. The line leads from the younger to the older, whichever ends last.

        Of two that are worked on at once each has its vector saved before it looks: one of them, at least, sees both.
        """
        import numpy as np

        length = len(held.vector)
        with self._known.lock:
            self._load()
            rows = [
                (id, seq, vector)
                for id, (seq, vector) in self._known.vectors.items()
                if id != held.claim.key and len(vector) == length
            ]
        if not rows or not length:
            return []
        nearness = np.stack([vector for _, _, vector in rows]) @ np.array(held.vector, np.float32)
        near = [int(place) for place in np.argsort(-nearness)[:_MOST_LINKS] if nearness[place] >= self._similarity]
        return [_line(held, rows[place][0], rows[place][1], float(nearness[place])) for place in near]

    def _load(self) -> None:
        """What is in the store, once; what came to it since, where other processes write there too."""
        import numpy as np

        if self._known.loaded and self._graph.engine.capabilities.single_owner:
            return
        rows = self._graph.read(
            f"{PIPELINE}.stories", topic=self._topic, model=self._embedder.name, after=self._after(), limit=self._most
        )
        known = self._known.vectors
        if unknown := [row["id"] for row in rows if row["id"] not in known]:
            read = self._graph.read(f"{PIPELINE}.vectors", keys=unknown)
            vectors = {row["id"]: np.array(row["embedding"], np.float32) for row in read}
            found = {row["id"]: (row["seq"], vectors[row["id"]]) for row in rows if row["id"] in vectors}
            self._known.vectors = OrderedDict(sorted((found | known).items(), key=lambda one: one[1][0]))
        self._known.loaded = True

    def _after(self) -> int:
        """A number behind which the newest lie, so that not all are looked at; an index on them needs none."""
        if self._graph.engine.dialect != "kuzu":
            return 0
        return int(self._graph.read(f"{PIPELINE}.last_number")[0]["seq"] or 0) - 2 * self._most


def _line(held: Held, other: str, number: int, similarity: float) -> Row:
    younger, older = (held.claim.key, other) if held.claim.seq > number else (other, held.claim.key)
    return {"younger": younger, "older": older, "similarity": round(similarity, 4)}
