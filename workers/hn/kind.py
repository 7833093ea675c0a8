"""Items of Hacker News as a kind of the one search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from graphvine.graph import Graph
from graphvine.search import Filters, Hit
from graphvine.search.kinds import Node
from graphvine.search.row_kind import RowKind, Text
from graphvine.workers.hn.search import HNSearch
from graphvine.workers.hn.server_search import ServerItems

_PAGE = "https://news.ycombinator.com/item?id="


class Items(RowKind):
    name = "hn"
    filters = frozenset({"author", "type", "site", "time", "score"})

    def __init__(self, graph: Graph) -> None:
        self._search = HNSearch(graph)
        super().__init__(graph, None, on_server=ServerItems.serves(graph))

    @property
    def followed(self) -> Any:
        return self._search._index

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        self._vectors.rebuild()
        return self._search.rebuild(progress)

    def close(self) -> None:
        self._search.close()
        self._vectors.close()

    def words(self, question: str, where: Filters | None, limit: int, *, any_word: bool = True) -> Sequence[Hit]:
        if not self._on_server:
            return super().words(question, where, limit, any_word=any_word)
        found: Sequence[Hit] = self.followed.index.text(question, None, where or {}, limit=limit).hits
        return found

    def text_of(self, key: str) -> Text | None:
        for row in self._graph.read("hn_item.cited", hnId=int(key)):
            title, body = row["title"] or "", row["plain"] or row["text"] or ""
            at = datetime.fromtimestamp(row["fetchedAt"] / 1_000, UTC) if row["fetchedAt"] else None
            shown = title or f"{row['type'] or 'item'} by {row['by'] or 'nobody'}"
            return Text(shown, body or title, f"{_PAGE}{key}", at)
        return None

    def edges_at_hand(self, key: str, limit: int) -> list[Node] | None:
        """The same from the index of words, which names the parent of each item; it is in step with the graph."""
        if self._on_server:
            return None
        index = self.followed.index
        above = [parent for parent in index.numbers_of("parent", [key]) if parent]
        below = index.seqs(None, {"parent": int(key)}, sort="seq", limit=limit)
        return [("hn", str(id)) for id in [*above, *below][:limit]]

    def edges(self, key: str, limit: int) -> Iterator[Node]:
        """The items right above and right below it."""
        rows = self._graph.read("hn_item.around", hnId=int(key), limit=limit)
        return (("hn", str(row["hnId"])) for row in rows)
