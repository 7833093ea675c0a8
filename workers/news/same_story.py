"""Finds articles that cover the same story, by the similarity of their vectors.

The vectors of the newest articles are cached in memory, one cache for all processors of an open graph: reading a
thousand of them from the store takes half a second, comparing with them a millisecond.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from graphvine.graph import Graph
from graphvine.records import Row
from graphvine.vectors import as_stored
from graphvine.workers.news import NAME
from graphvine.workers.news.claimed_article import ClaimedArticle

if TYPE_CHECKING:
    from graphvine.workers.common.embedding import Embedder

# The model reads some 250 words: the title and the beginning say what a story is about.
_READ_CHARACTERS = 1_500
_MOST_LINKS = 20


class _VectorCache:
    """Vectors by the article's id, with its seq; the oldest are evicted first."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.loaded = False
        self.vectors: OrderedDict[str, tuple[int, Any]] = OrderedDict()


_caches: WeakKeyDictionary[Graph, dict[tuple[str, str], _VectorCache]] = WeakKeyDictionary()
_opening = threading.Lock()


class Stories:
    def __init__(self, graph: Graph, topic: str, embedder: Embedder, similarity: float, most: int) -> None:
        self._graph, self._topic, self._embedder = graph, topic, embedder
        self._similarity, self._most = similarity, most
        with _opening:
            self._cache = _caches.setdefault(graph, {}).setdefault((topic, embedder.name), _VectorCache())

    def vector(self, title: str, text: str) -> list[float]:
        """The vector of an article."""
        vectors = self._embedder.embed([f"{title}. {text[:_READ_CHARACTERS]}"])
        return as_stored(vectors)[0]

    def saved(self, article: ClaimedArticle) -> Row:
        return {"id": article.claim.key, "embedding": article.vector, "model": self._embedder.name}

    def remember(self, article: ClaimedArticle) -> None:
        """Cache its vector, once it is saved, for other articles to compare with."""
        import numpy as np

        with self._cache.lock:
            self._cache.vectors[article.claim.key] = (article.claim.seq, np.array(article.vector, np.float32))
            while len(self._cache.vectors) > self._most:
                self._cache.vectors.popitem(last=False)

    def similar(self, article: ClaimedArticle) -> list[Row]:
        """The articles that cover the same story, as links from the younger to the older.

        Of two that are processed at once each saves its vector before it compares: at least one of them sees both.
        """
        import numpy as np

        length = len(article.vector)
        with self._cache.lock:
            self._load()
            rows = [
                (id, seq, vector)
                for id, (seq, vector) in self._cache.vectors.items()
                if id != article.claim.key and len(vector) == length
            ]
        if not rows or not length:
            return []
        scores = np.stack([vector for _, _, vector in rows]) @ np.array(article.vector, np.float32)
        near = [int(place) for place in np.argsort(-scores)[:_MOST_LINKS] if scores[place] >= self._similarity]
        return [_link(article, rows[place][0], rows[place][1], float(scores[place])) for place in near]

    def _load(self) -> None:
        """Read the store once; again each time where other processes write to it too."""
        import numpy as np

        if self._cache.loaded and self._graph.engine.capabilities.single_owner:
            return
        given = {"topic": self._topic, "model": self._embedder.name, "limit": self._most}
        rows = self._graph.read(f"{NAME}.stories", **given)
        known = self._cache.vectors
        if unknown := [row["id"] for row in rows if row["id"] not in known]:
            read = self._graph.read(f"{NAME}.vectors", keys=unknown)
            vectors = {row["id"]: np.array(row["embedding"], np.float32) for row in read}
            found = {row["id"]: (row["seq"], vectors[row["id"]]) for row in rows if row["id"] in vectors}
            self._cache.vectors = OrderedDict(sorted((found | known).items(), key=lambda one: one[1][0]))
        self._cache.loaded = True


def _link(article: ClaimedArticle, other: str, number: int, similarity: float) -> Row:
    younger, older = (article.claim.key, other) if article.claim.seq > number else (other, article.claim.key)
    return {"younger": younger, "older": older, "similarity": round(similarity, 4)}
