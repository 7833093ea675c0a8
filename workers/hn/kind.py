"""Items of Hacker News as a kind of the one search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from graphvine.graph import Graph
from graphvine.search.documents import Stored
from graphvine.search.kinds import Node
from graphvine.search.row_kind import RowKind, Text
from graphvine.workers.hn.search import HNSearch
from graphvine.workers.hn.server_search import ServerItems

_PAGE = "https://news.ycombinator.com/item?id="


class Items(RowKind):
    name = "hn"
    filters = frozenset({"author", "type", "site", "time", "score"})
    facet_names = frozenset({"type", "by", "year"})

    def __init__(self, graph: Graph) -> None:
        self._search = HNSearch(graph)
        super().__init__(graph, None, on_server=ServerItems.serves(graph))

    @property
    def followed(self) -> Any:
        # To ask whether its files are still the same costs more than a look-up: once for each search.
        if self._opened is None:
            self._opened = self._search._index
        return self._opened

    def catch_up(self, progress: Callable[[int], None] | None = None) -> int:
        self._opened = None
        return super().catch_up(progress)

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        self._opened = None
        self._vectors.rebuild()
        return self._search.rebuild(progress)

    def close(self) -> None:
        self._search.close()
        self._vectors.close()

    def text_of(self, key: str, kept: Stored | None) -> Text | None:
        # The texts are at hand: each column that is read takes its time.
        at_hand = kept is not None and kept.exact
        for row in self._graph.read("hn_item.cited_beside_text" if at_hand else "hn_item.cited", hnId=int(key)):
            if kept is not None and at_hand:
                title, body = kept.texts["title"], kept.texts["body"]
            else:
                title, body = row["title"] or "", row["plain"] or row["text"] or ""
            at = datetime.fromtimestamp(row["fetchedAt"] / 1_000, UTC) if row["fetchedAt"] else None
            shown = title or f"{row['type'] or 'item'} by {row['by'] or 'nobody'}"
            return Text(shown, body or title, f"{_PAGE}{key}", at)
        return None

    def edges_at_hand(self, keys: Sequence[str], limit: int) -> dict[str, list[Node]]:
        """The same from the index of words, which names the parent of each item; it is in step with the graph."""
        if self._on_server:
            return {}
        index = self.followed.index
        above = index.numbers_by_seq("parent", {"id": keys}, limit=len(keys))
        # A hub among them would leave no room for the others' replies: then each is asked for its own.
        most = limit * len(keys)
        below = index.numbers_by_seq("parent", {"parent": [int(key) for key in keys]}, limit=most)
        near: dict[str, list[Node]] = {key: [("hn", str(above[int(key)]))] * bool(above.get(int(key))) for key in keys}
        if len(below) == most:
            below = {
                id: int(key) for key in keys for id in index.seqs(None, {"parent": int(key)}, sort="seq", limit=limit)
            }
        for id in sorted(below):
            near[str(below[id])].append(("hn", str(id)))
        return {key: found[:limit] for key, found in near.items()}

    def edges(self, key: str, limit: int) -> Iterator[Node]:
        """The items right above and right below it."""
        rows = self._graph.read("hn_item.around", hnId=int(key), limit=limit)
        return (("hn", str(row["hnId"])) for row in rows)
