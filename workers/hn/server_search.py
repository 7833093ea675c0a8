"""Items found by the indexes that a server keeps itself, behind the face of the index beside an embedded graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from graphvine.search.documents import Filters, Hit, Kinds, Range, Results, Snippet
from graphvine.search.server_index import around, lucene
from graphvine.workers.hn.threads import load

if TYPE_CHECKING:
    from graphvine.graph import Graph

# So many are put in order and counted, however many there are.
MOST_FOUND = 100_000
_SNIPPET_CHARACTERS = 200
# Where an item's words stand: its plain text is `text` itself where it has no other.
_FIELDS = {"text_words": ("title", "text"), "plain_words": ("title", "plain")}
_LEAST, _MOST = -(1 << 62), 1 << 62
_NO_FILTERS: dict[str, Any] = {
    "author": "", "type": "", "place": "", "stories": [], "parents": [], "ids": [], "score_from": _LEAST,
    "score_to": _MOST, "time_from": _LEAST, "time_to": _MOST,
}  # fmt: skip


class ServerItems:
    """Asks the block `search`."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    @staticmethod
    def serves(graph: Graph) -> bool:
        return "search" in graph.library.entities["hn_item"].blocks

    def text(
        self, words: str, kind: Kinds, filters: Filters, *, limit: int, offset: int = 0, sort: str = "relevance"
    ) -> Results:
        """Items with all of the words; with some of them where none has all."""
        page, total = self._ask(words, filters, sort, limit, offset)
        relaxed = False
        if words.strip() and not total:
            page, total = self._ask(words, filters, sort, limit, offset, all_words=False)
            relaxed = bool(total)
        texts = {row["hnId"]: _text(row) for row in load(self._graph, [id for id, _ in page])} if page else {}
        hits = tuple(Hit("hn_item", str(id), id, rank, _snippet(texts.get(id, ""), words)) for id, rank in page)
        return Results(hits, total, relaxed)

    def seqs(self, kind: Kinds, filters: Filters, *, sort: str, limit: int) -> list[int]:
        """The ids of all items that the filters pass, in this order."""
        return [id for id, _ in self._ask("", filters, sort, limit, 0)[0]]

    def _ask(
        self, words: str, filters: Filters, sort: str, limit: int, offset: int, *, all_words: bool = True
    ) -> tuple[list[tuple[int, float]], int]:
        asked: dict[str, Any] = {name: lucene(words, fields, all_words=all_words) for name, fields in _FIELDS.items()}
        given = _parameters(filters)
        if words.strip() and not asked["text_words"]:
            return [], 0
        ways = [name for name in ("ids", "parents", "author", "stories") if given[name]]
        way = "words" if words.strip() else ways[0] if ways else "all"
        asked |= {"way": way, "order": sort.lstrip("-"), "skip": offset, "limit": limit, **given}
        rows = self._graph.read("hn_item.search", asked=asked, most=MOST_FOUND)
        return [(id, rank) for id, rank in rows[0]["page"]], rows[0]["total"]


class NothingToFollow:
    """Stands where a followed index does: the server's is always in step."""

    def __init__(self, graph: Graph) -> None:
        self.index = ServerItems(graph)

    def catch_up(self, progress: Callable[[int], None] | None = None) -> int:
        return 0

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        return 0


def _parameters(filters: Filters) -> dict[str, Any]:
    """The filters of the index as the parameters of the block."""
    given: dict[str, Any] = dict(_NO_FILTERS)
    for name, value in filters.items():
        if name in ("author", "type"):
            given[name] = value
        elif name in ("score", "time") and isinstance(value, Range):
            given[f"{name}_from"] = _LEAST if value.minimum is None else value.minimum
            given[f"{name}_to"] = _MOST if value.maximum is None else value.maximum
        elif name == "story":
            given["stories"] = value
        elif name == "id" and isinstance(value, Sequence):
            given["ids"] = [int(id) for id in value]
        elif isinstance(value, Range):  # of `parent`: there is one
            given["place"] = "below"
        elif value == 0:  # of `parent`: there is none
            given["place"] = "top"
        else:
            given["parents"] = value
    return given


def _text(row: dict[str, Any]) -> str:
    title = row["title"] or ""
    body = row["plain"] or row["text"] or ""
    return f"{title}\n{body}" if title and body else title or body


def _snippet(text: str, words: str) -> Snippet | None:
    # The server finds words by their stems: where none stands there as it was typed, the beginning is shown.
    return (around(text, words) or Snippet(text[:_SNIPPET_CHARACTERS])) if words.strip() else None
