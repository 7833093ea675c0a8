"""News articles as a kind of the one search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

from graphvine.graph import Graph
from graphvine.index_sync import FollowedIndex
from graphvine.records import Row
from graphvine.search import Document, IndexFields, Stored
from graphvine.search.kinds import Node
from graphvine.search.row_kind import RowKind, Text
from graphvine.search.server_index import NothingToFollow, ServerRows
from graphvine.workers.news import NAME

_FIELDS = IndexFields(facets=("author", "source", "topic"))


class _ServerArticles(ServerRows):
    pipeline = NAME
    fields: ClassVar[Mapping[str, Sequence[str]]] = {"words": ("title", "description", "content", "summary")}


class NewsArticles(RowKind):
    """Vectors of their processor take part where they are of the same model as those of the articles."""

    name = "news"
    filters = frozenset({"author", "source", "topic", "site", "time"})
    facet_names = frozenset({"by", "source", "topic", "year"})

    def __init__(self, graph: Graph) -> None:
        on_server = _ServerArticles.serves(graph)
        models = [] if on_server else graph.read("article.models")
        self._model: str | None = models[0]["name"] if models else None
        if self._model is not None and not graph.read(f"{NAME}.embedded", model=self._model):
            self._model = None
        self.own_vectors = self._model is not None
        dimension = models[0]["dimension"] if self._model is not None else None
        followed: Any = NothingToFollow(_ServerArticles(graph)) if on_server else FollowedIndex(
            graph, NAME, "changed_after", self._translate, newest="newest_change", dimension=dimension, fields=_FIELDS
        )  # fmt: skip
        super().__init__(graph, followed, on_server=on_server)

    def text_of(self, key: str, kept: Stored | None) -> Text | None:
        for row in self._graph.read(f"{NAME}.cited", key=key):
            text = row["content"] or row["description"] or row["title"] or ""
            return Text(row["title"] or row["link"], text, row["link"] or "", row["contentAt"] or row["addedAt"])
        return None

    def edges(self, key: str, limit: int) -> Iterator[Node]:
        """The articles that cover the same story."""
        return (("news", row["id"]) for row in self._graph.read(f"{NAME}.around", key=key, limit=limit))

    def _translate(self, row: Row) -> Document | tuple[str, str]:
        if row["state"] == "excluded":
            return NAME, row["id"]
        filters: dict[str, Any] = {"time": int((row["date"] or row["addedAt"]).timestamp()) if row["addedAt"] else 0}
        for name in ("author", "source", "topic"):
            if row[name]:
                filters[name] = row[name][:1_000]
        host = urlsplit(row["link"] or "").hostname
        if host:
            filters["site"] = host.removeprefix("www.")
        body = "\n".join(filter(None, (row["content"] or row["description"], row["summary"])))
        vector = row["embedding"] if self._model is not None and row["embeddingModel"] == self._model else None
        return Document(
            NAME, row["id"], row["seq"], {"title": row["title"] or "", "body": body}, filters, vector or None
        )
