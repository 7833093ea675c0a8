"""Search the articles: by words, by meaning, and by a walk over the links between them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from graphvine.dispatch import Run
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.index_sync import FollowedIndex
from graphvine.records import Row
from graphvine.search import Document, Hit, fuse
from graphvine.search.server_index import NothingToFollow, ServerIndex, around
from graphvine.workers.wikipedia.boilerplate import is_boilerplate
from graphvine.workers.wikipedia.requests import Mode, SearchRequest
from graphvine.workers.wikipedia.resources import open_embedder, settle_model
from graphvine.workers.wikipedia.settings import WikipediaSettings, load
from graphvine.workers.wikipedia.walk import KIND, Reached, Walk

# Looked at by each ranking before they are fused.
_CANDIDATES = 100
_SNIPPET_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A section that was found."""

    article: str
    section: str  # the path of section titles, '' for the lead
    snippet: str
    score: float
    distance: int | None = None  # links from the article that --near names
    # How a walk reached it: the share of words, of meaning and of the edge in the score, and the article before it.
    by_words: float = 0.0
    by_meaning: float = 0.0
    by_link: float = 0.0
    path: tuple[str, ...] = ()


class NothingToSearch(GraphvineError):
    """The graph holds no vectors to compare with."""


class ArticleSearch:
    """Open it once and search often: the model and the index stay loaded."""

    def __init__(self, graph: Graph, settings: WikipediaSettings | None = None) -> None:
        self._graph, self._settings = graph, settings or load()
        self._embedder: Any = None
        models = graph.read("article.models")
        self._dimension = models[0]["dimension"] if models else None
        self._followed: FollowedIndex | NothingToFollow
        if ServerIndex.serves(graph, "article"):
            self._followed = NothingToFollow(graph, "article")
        else:
            self._followed = FollowedIndex(graph, "article", "sections_after", _translate, dimension=self._dimension)

    @property
    def knows_vectors(self) -> bool:
        """Whether there were vectors when it was opened."""
        return self._dimension is not None

    def search(self, text: str, *, mode: Mode = "walk", near: str | None = None, limit: int = 10) -> list[SearchHit]:
        """The best sections. What was written before the call is found by it.

        A walk shows one section an article, the best of it; the other modes rank sections.
        """
        self._followed.catch_up()
        index = self._followed.index
        if mode == "walk" and near is None:
            vector = None if self._dimension is None else self._vector(text)
            return self._shown(Walk(self._graph, index, text, vector).ranked(limit), text)
        found: dict[str, Hit] = {}
        rankings: list[list[str]] = []
        if mode != "vector":
            rankings.append(_keep(found, index.text(text, KIND, limit=_CANDIDATES).hits))
        if mode != "text" and (self._dimension is not None or mode == "vector"):
            rankings.append(_keep(found, index.vector(self._vector(text), KIND, limit=_CANDIDATES).hits))
        rows = {row["id"]: row for row in self._graph.read("article.sections_by_id", keys=list(found))} if found else {}
        distances: dict[str, int] = {}
        if near is not None and rows:
            distances = self._distances(near, sorted({row["article"] for row in rows.values()}))
            close = [key for key in found if key in rows and rows[key]["article"] in distances]
            rankings.append(sorted(close, key=lambda key: distances[rows[key]["article"]]))
        ranked = [(key, score) for key, score in fuse(rankings) if key in rows][:limit]
        return [_hit(rows[key], found[key], score, distances, text) for key, score in ranked]

    def _shown(self, ranked: list[Reached], text: str) -> list[SearchHit]:
        rows = {
            row["id"]: row for row in self._graph.read("article.sections_by_id", keys=[one.hit.id for one in ranked])
        }
        return [
            replace(
                _hit(rows[one.hit.id], one.hit, one.score, {}, text), by_words=one.by_words,
                by_meaning=one.by_meaning, by_link=one.by_link, path=one.path,
            )
            for one in ranked if one.hit.id in rows
        ]  # fmt: skip

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        return self._followed.rebuild(progress)

    def catch_up(self, progress: Callable[[int], None] | None = None) -> int:
        return self._followed.catch_up(progress)

    def close(self) -> None:
        self._followed.close()
        if self._embedder is not None:
            self._embedder.close()

    def _vector(self, text: str) -> Any:
        if self._dimension is None:
            raise NothingToSearch("this graph holds no vectors: grow it with an embedder, or search with --mode text")
        if self._embedder is None:
            self._embedder = open_embedder(self._settings)
            if self._embedder is None:
                raise NothingToSearch(
                    "the setting wikipedia.embedder is none: search with --mode text, or set it to light"
                )
            settle_model(self._graph, self._embedder.name, self._embedder.dimension)
        return self._embedder.embed([text])[0]

    def _distances(self, near: str, titles: list[str]) -> dict[str, int]:
        if not self._graph.read("article.named", keys=[near]):
            raise GraphvineError(f"there is no article {near!r} to be near to")
        rows = self._graph.read("article.distances", title=near, titles=titles)
        return {near: 0} | {row["title"]: row["distance"] for row in rows}


class SharedSearch:
    """One open index for all callers of a process; one of them searches at a time."""

    def __init__(self, graph: Graph) -> None:
        self._graph, self._lock, self._open = graph, threading.Lock(), ArticleSearch(graph)

    def search(self, request: SearchRequest) -> list[SearchHit]:
        with self._lock:
            return self._current().search(request.text, mode=request.mode, near=request.near, limit=request.limit)

    def rebuild(self, progress: Callable[[int], None]) -> int:
        with self._lock:
            return self._current().rebuild(progress)

    def close(self) -> None:
        with self._lock:
            self._open.close()

    def _current(self) -> ArticleSearch:
        # Vectors that came after it was opened have a dimension that it does not know.
        if not self._open.knows_vectors and self._graph.read("article.models"):
            self._open.close()
            self._open = ArticleSearch(self._graph)
        return self._open


def run_search(graph: Graph, request: SearchRequest, run: Run[None]) -> list[SearchHit]:
    return run.open("article search", lambda: SharedSearch(graph)).search(request)


def run_reindex(graph: Graph, run: Run[int]) -> int:
    return run.open("article search", lambda: SharedSearch(graph)).rebuild(run.publish)


def _translate(row: Row) -> Document | tuple[str, str]:
    if row["gone"]:
        return KIND, row["id"]
    boilerplate = is_boilerplate(row["path"].split(" / "))
    heading = row["path"] if boilerplate else " ".join(filter(None, (row["article"], row["path"])))
    return Document(
        KIND, row["id"], row["seq"], {"title": heading, "body": row["text"]}, {"article": row["article"]},
        None if boilerplate else row["embedding"] or None,
    )  # fmt: skip


def _keep(found: dict[str, Hit], hits: tuple[Hit, ...]) -> list[str]:
    for hit in hits:
        found.setdefault(hit.id, hit)
    return [hit.id for hit in hits]


def _hit(row: Row, hit: Hit, score: float, distances: dict[str, int], words: str) -> SearchHit:
    piece = hit.snippet or around(row["text"], words)
    snippet = piece.text if piece is not None else ""
    if snippet not in row["text"]:  # words of the heading, which is shown anyway
        snippet = ""
    snippet = snippet or row["text"][:_SNIPPET_CHARACTERS]
    return SearchHit(row["article"], row["path"], " ".join(snippet.split()), score, distances.get(row["article"]))
