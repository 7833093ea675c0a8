"""Search as people know it from Hacker News: words, filters, and joins up the thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.search import Filters, Range, Results
from graphvine.search.server_index import NothingToFollow
from graphvine.workers.hn.ingest.index_sync import open_items_index
from graphvine.workers.hn.requests import Facet, Sort
from graphvine.workers.hn.server_search import ServerItems
from graphvine.workers.hn.threads import Item, as_item, below_of
from graphvine.workers.hn.transitions import row_of

_SORTS = {"relevance": "relevance", "date": "-time", "score": "-score"}
# Items of one author that a join takes into account, the newest first.
MOST_JOINED = 20_000
# The index holds nothing else: to ask for items only would be one more list of all of them to go through.
_ANY_KIND = None
_LOOK_UPS_AT_ONCE = 3


@dataclass(frozen=True, slots=True)
class Found:
    """An item that was found."""

    item: Item
    snippet: str
    score: float
    marks: tuple[tuple[int, int], ...] = ()  # where the words stand in the snippet


@dataclass(frozen=True, slots=True)
class Page:
    """One page of what was found; `relaxed` says that no item has all of the words, and these have some.

    `loose` are words that no item has, for which words like them were taken; `facets` are counts by name and value.
    """

    found: list[Found]
    total: int
    relaxed: bool = False
    loose: tuple[str, ...] = ()
    facets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


class HNSearch:
    """Open it once and search often. What was written before the call is found by it."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._server: NothingToFollow | None = (
            NothingToFollow(ServerItems(graph)) if ServerItems.serves(graph) else None
        )

    @property
    def _index(self) -> Any:
        return self._server or open_items_index(self._graph)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def search(
        self, words: str = "", *, author: str | None = None, type: str | None = None, min_score: int | None = None,
        max_score: int | None = None, after: int | None = None, before: int | None = None, under: int | None = None,
        story_by: str | None = None, reply_to: str | None = None, sort: Sort = "relevance", limit: int = 10,
        offset: int = 0, not_author: str | None = None, facets: Sequence[Facet] = (),
    ) -> Page:  # fmt: skip
        """Times are seconds since 1970, both ends included. An empty text finds all that the filters let through."""
        self._index.catch_up()
        filters: dict[str, Any] = {}
        for name, word in (("author", author), ("-author", not_author), ("type", type)):
            if word is not None:
                filters[name] = word
        for name, lowest, highest in (("score", min_score, max_score), ("time", after, before)):
            if lowest is not None or highest is not None:
                filters[name] = Range(lowest, highest)
        if not self._join(filters, under, story_by, reply_to):
            return Page([], 0)
        ranked = sort == "relevance" and bool(words.strip())
        page = self._page(self._ask(words, filters, sort, limit, offset), ranked=ranked)
        return replace(page, facets=self._facets(words, filters, facets)) if facets else page

    def _facets(self, words: str, filters: Filters, names: Sequence[Facet]) -> dict[str, dict[str, int]]:
        counted = self._index.index.facets(words, filters, names=["author" if name == "by" else name for name in names])
        return {"by" if name == "author" else name: values for name, values in counted.items()}

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        """Make the index anew from the graph."""
        read: int = self._index.rebuild(progress)
        return read

    def close(self) -> None:
        """The index stays open with the graph; nothing else is held."""

    def _join(self, filters: dict[str, Any], under: int | None, story_by: str | None, reply_to: str | None) -> bool:
        """Turn what is asked of the thread into filters; False when nothing can match."""
        stories: set[int] | None = None
        if story_by is not None:
            stories = set(self._ids_of(story_by, {"parent": 0}))
            filters["parent"] = Range(1, None)
        if under is not None:
            row = row_of(self._graph, under)
            if row["story"] == under:
                stories = {under} if stories is None else stories & {under}
                filters["parent"] = Range(1, None)
            else:
                filters["id"] = [str(id) for id in below_of(self._graph, under)]
                if not filters["id"]:
                    return False
        if reply_to is not None:
            filters["parent"] = self._ids_of(reply_to, {})
            if not filters["parent"]:
                return False
        if stories is not None:
            filters["story"] = sorted(stories)
        return stories is None or bool(stories)

    def _ids_of(self, author: str, more: Filters) -> list[int]:
        found: list[int] = self._index.index.seqs(
            _ANY_KIND, {"author": author, **more}, sort="-time", limit=MOST_JOINED
        )
        return found

    def _ask(self, words: str, filters: Filters, sort: Sort, limit: int, offset: int) -> Results:
        if sort not in _SORTS:
            raise GraphvineError(f"items are sorted by {', '.join(_SORTS)}, not by {sort!r}")
        order = _SORTS[sort] if words.strip() or sort != "relevance" else "-time"
        found: Results = self._index.index.text(
            words, _ANY_KIND, filters, limit=limit, offset=offset, sort=order, tolerant=True
        )
        return found

    def _page(self, results: Results, *, ranked: bool) -> Page:
        ids = [int(hit.id) for hit in results.hits]
        # A statement for each, which the index of keys answers; most of its time it waits for the engine.
        with ThreadPoolExecutor(_LOOK_UPS_AT_ONCE) as looking:
            looked = looking.map(lambda id: self._graph.read("hn_item.shown", hnId=id), ids)
            rows = {id: row for id, found in zip(ids, looked, strict=True) for row in found}
        found = [
            Found(
                as_item(rows[int(hit.id)]), hit.snippet.text if hit.snippet is not None else "",
                hit.score if ranked else 0.0,
                hit.snippet.marks if hit.snippet is not None else (),
            )
            for hit in results.hits if int(hit.id) in rows
        ]  # fmt: skip
        return Page(found, results.total or 0, results.relaxed, results.loose)
