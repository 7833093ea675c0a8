"""Hacker News in Python: `graph.hn`. Each method is the twin of a command."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphvine.dispatch import dispatch
from graphvine.graph import Graph
from graphvine.workers.hn import threads, transitions
from graphvine.workers.hn.ingest.forms import converted
from graphvine.workers.hn.ingest.ingest import Taken
from graphvine.workers.hn.ingest.item import POST
from graphvine.workers.hn.pull import Pulled
from graphvine.workers.hn.requests import (
    AddRequest,
    AdvanceRequest,
    Facet,
    HNReindexRequest,
    HNSearchRequest,
    MarkFailedRequest,
    PullRequest,
    RetryItemsRequest,
    Sort,
    Type,
)
from graphvine.workers.hn.search import Page
from graphvine.workers.hn.settings import HNSettings
from graphvine.workers.hn.threads import Item


class HackerNews:
    """`graph.hn`: items in, threads, search, transitions."""

    def __init__(self, graph: Graph, settings: HNSettings | None = None) -> None:
        self._graph, self._settings = graph, settings

    def add(
        self, items: Mapping[str, Any] | Iterable[Any], *, source: str = POST, fetched_at: int | None = None,
        progress: Callable[[Taken], None] | None = None,
    ) -> Taken:  # fmt: skip
        """Take in one item or many, as the API or Algolia gives them, or as rows of a database.

        `fetched_at` (ms) is the time of copies that say none. What is refused is in the result, with the reason.
        """
        several, at = [items] if isinstance(items, Mapping) else items, fetched_at or self._graph.clock.now_ms()
        forms = Counter[str]()
        given = converted(several, forms)
        request = AddRequest(items=given, source=source, fetched_at=at, settings=self._settings)
        return replace(dispatch(self._graph, request, on_event=progress), forms=dict(forms))

    def pull(
        self, *, ids: Iterable[int] = (), top: int | None = None, new: int | None = None, best: int | None = None,
        ask: int | None = None, show: int | None = None, job: int | None = None, user: str | None = None,
        first: int | None = None, last: int | None = None, since_last: bool = False, updates: bool = False,
        thread: int | None = None,
        on_progress: Callable[[Pulled], None] | None = None, stop: threading.Event | None = None,
    ) -> Pulled:  # fmt: skip
        """Fetch from the API: ids, a list (the first so many), what a user wrote, a range, what is new, what changed,
        or a thread. One of them."""
        request = PullRequest(
            ids=list(ids), top=top, new=new, best=best, ask=ask, show=show, job=job, user=user, first=first, last=last,
            since_last=since_last, updates=updates, thread=thread, settings=self._settings,
        )  # fmt: skip
        return dispatch(self._graph, request, on_event=on_progress, stop=stop)

    def item(self, id: int) -> Item:
        """One item, with everything that is known of it."""
        return threads.item(self._graph, id)

    def thread(self, id: int, depth: int | None = None) -> Item:
        """The tree below an item."""
        return threads.thread(self._graph, id, depth)

    def ancestors(self, id: int) -> list[Item]:
        """Everything above an item, the nearest first."""
        return threads.ancestors(self._graph, id)

    def descendants(self, id: int) -> list[Item]:
        """Everything below an item, from top to bottom."""
        return threads.descendants(self._graph, id)

    def siblings(self, id: int) -> list[Item]:
        """What stands below the same parent."""
        return threads.siblings(self._graph, id)

    def story(self, id: int) -> Item | None:
        """The item at the top of the thread."""
        return threads.story(self._graph, id)

    def search(
        self, words: str = "", *, author: str | None = None, type: Type | None = None, min_score: int | None = None,
        max_score: int | None = None, after: int | None = None, before: int | None = None, under: int | None = None,
        story_by: str | None = None, reply_to: str | None = None, sort: Sort = "relevance", limit: int = 10,
        offset: int = 0, not_author: str | None = None, facets: Sequence[Facet] = (),
    ) -> Page:  # fmt: skip
        """Find items by words, fields and thread. Times are seconds since 1970, both ends included.

        An empty text finds all that the filters let through. For many searches keep an HNSearch open.
        """
        return dispatch(self._graph, HNSearchRequest(
            words=words, author=author, type=type, min_score=min_score, max_score=max_score, after=after,
            before=before, under=under, story_by=story_by, reply_to=reply_to, sort=sort, limit=limit, offset=offset,
            not_author=not_author, facets=facets,
        ))  # fmt: skip

    def reindex(self, progress: Callable[[int], None] | None = None) -> int:
        """Rebuild the search index of items from the graph. Returns how many it holds."""
        return dispatch(self._graph, HNReindexRequest(), on_event=progress)

    def transitions(self, id: int) -> list[transitions.Way]:
        """Where an item can go from the state that it is in."""
        return transitions.transitions(self._graph, id)

    def advance(self, id: int, transition: str) -> str:
        """Take an item through one transition, automatic or manual. Returns its new state."""
        return dispatch(self._graph, AdvanceRequest(id=id, transition=transition))

    def mark_failed(self, id: int, reason: str) -> None:
        """Mark an item as failed."""
        dispatch(self._graph, MarkFailedRequest(id=id, reason=reason))

    def retry(self, ids: Sequence[int]) -> int:
        """Process failed items again: within three tries, and a day after they failed. Returns how many."""
        return dispatch(self._graph, RetryItemsRequest(ids=ids))
