"""Scraped pages as a kind of the one search."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

from graphvine.graph import Graph
from graphvine.index_sync import FollowedIndex
from graphvine.records import Row
from graphvine.search import Document, Filters, Stored
from graphvine.search.kinds import Node
from graphvine.search.row_kind import RowKind, Text
from graphvine.search.server_index import NothingToFollow, ServerRows
from graphvine.workers.scrape import NAME


class _ServerPages(ServerRows):
    pipeline = NAME
    fields: ClassVar[Mapping[str, Sequence[str]]] = {"words": ("title", "scraped")}

    def _parameters(self, filters: Filters) -> dict[str, Any]:
        """The author stands in the JSON of a page, where no text can look like it: its quotes would be escaped."""
        given = super()._parameters(filters)
        for name in ("author", "not_author"):
            if given[name]:
                given[name] = f'"author": {json.dumps(given[name], ensure_ascii=False)}'
        return given


class Pages(RowKind):
    name = "page"
    filters = frozenset({"author", "site", "time"})
    facet_names = frozenset({"year"})

    def __init__(self, graph: Graph) -> None:
        on_server = _ServerPages.serves(graph)
        followed: Any = NothingToFollow(_ServerPages(graph)) if on_server else FollowedIndex(
            graph, NAME, "changed_after", _translate, newest="newest_change"
        )  # fmt: skip
        super().__init__(graph, followed, on_server=on_server)

    def text_of(self, key: str, kept: Stored | None) -> Text | None:
        for row in self._graph.read(f"{NAME}.page_shown", key=key):
            page = _page(row)
            return Text(page.get("title") or row["url"], page.get("text") or "", row["url"], row["scraped_at"])
        return None

    def edges(self, key: str, limit: int) -> Iterator[Node]:
        """Pages have no edges among themselves."""
        return iter(())


def _translate(row: Row) -> Document | tuple[str, str]:
    page = _page(row)
    if not page:
        return NAME, row["id"]
    filters: dict[str, Any] = {"time": int(row["scraped_at"].timestamp()) if row["scraped_at"] else 0}
    if page.get("author"):
        filters["author"] = page["author"][:1_000]
    host = urlsplit(row["url"] or "").hostname
    if host:
        filters["site"] = host.removeprefix("www.")
    texts = {"title": page.get("title") or "", "body": page.get("text") or ""}
    return Document(NAME, row["id"], row["seq"], texts, filters)


def _page(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(row["scraped"]) if row["scraped"] else {}
    return found
