"""Search the articles: by words, by meaning, and by nearness in the graph, fused into one ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from graphvine.errors import GraphvineError
from graphvine.following import FollowedIndex
from graphvine.graph import Graph
from graphvine.records import Row
from graphvine.search import Document, Hit, fuse
from graphvine.search.on_server import NothingToFollow, ServerIndex, around
from graphvine.workers.wikipedia.opening import open_embedder, settle_model
from graphvine.workers.wikipedia.settings import WikipediaSettings, load

Mode = Literal["hybrid", "vector", "text"]
KIND = "section"
# Looked at by each ranking before they are fused.
_CANDIDATES = 100
_SNIPPET_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class SearchHit:
    article: str
    section: str  # the path of section titles, '' for the lead
    snippet: str
    score: float
    distance: int | None = None  # links from the article that --near names


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

    def search(self, text: str, *, mode: Mode = "hybrid", near: str | None = None, limit: int = 10) -> list[SearchHit]:
        """The best sections. What was written before the call is found by it."""
        self._followed.catch_up()
        index = self._followed.index
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
            close = [key for key in found if rows[key]["article"] in distances]
            rankings.append(sorted(close, key=lambda key: distances[rows[key]["article"]]))
        ranked = [(key, score) for key, score in fuse(rankings) if key in rows][:limit]
        return [_hit(rows[key], found[key], score, distances, text) for key, score in ranked]

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


def _translate(row: Row) -> Document | tuple[str, str]:
    if row["gone"]:
        return KIND, row["id"]
    heading = " ".join(filter(None, (row["article"], row["path"])))
    return Document(
        KIND, row["id"], row["seq"], {"title": heading, "body": row["text"]}, {"article": row["article"]},
        row["embedding"] or None,
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
