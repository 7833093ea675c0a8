"""Hacker News in Python: `graph.hn`. Each method is the twin of a command."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.remote import call
from graphvine.workers.hn import by_hand, submitting, threads
from graphvine.workers.hn.pull import Pull, Pulled
from graphvine.workers.hn.searching import HNSearch, Page
from graphvine.workers.hn.settings import HNSettings, load
from graphvine.workers.hn.threads import Item
from graphvine.workers.parts.hn.following import following
from graphvine.workers.parts.hn.intake import Taken, take_in
from graphvine.workers.parts.hn.item import POST


class HackerNews:
    def __init__(self, graph: Graph, settings: HNSettings | None = None) -> None:
        self._graph, self._settings = graph, settings or load()

    def add(
        self, items: Mapping[str, Any] | Iterable[Any], *, source: str = POST, fetched_at: int | None = None,
        progress: Callable[[Taken], None] | None = None,
    ) -> Taken:  # fmt: skip
        """Take in one item or many, as the API gives them. `fetched_at` (ms) is the time of copies that say none."""
        several = [items] if isinstance(items, Mapping) else items
        if self._graph.door.served is not None:
            return submitting.add(self._graph, several, source, fetched_at, progress)
        batch = self._settings.items_at_once
        with following(self._graph):
            return take_in(self._graph, several, source, handed_over_at=fetched_at, batch=batch, progress=progress)

    def pull(
        self, *, ids: Iterable[int] = (), top: int | None = None, new: int | None = None, first: int | None = None,
        last: int | None = None, since_last: bool = False, updates: bool = False, thread: int | None = None,
        on_progress: Callable[[Pulled], None] | None = None, stop: threading.Event | None = None,
    ) -> Pulled:  # fmt: skip
        """Fetch from the API: ids, top or new stories, a range, what is new, what changed, or a thread. One of them."""
        wanted = list(ids)
        asked = [bool(wanted), top is not None, new is not None, first is not None or last is not None, since_last,
                 updates, thread is not None]  # fmt: skip
        if asked.count(True) != 1:
            raise GraphvineError("say what to pull: ids, top, new, first and last, since_last, updates, or a thread")
        if self._graph.door.served is not None:
            given = {"ids": wanted, "top": top, "new": new, "first": first, "last": last, "since_last": since_last,
                     "updates": updates, "thread": thread}  # fmt: skip
            return submitting.pull(self._graph, given, on_progress, stop)
        pull = Pull(self._graph, self._settings, on_progress=on_progress, stop=stop)
        if wanted:
            return pull.ids(wanted)
        if top is not None or new is not None:
            return pull.listed("top" if new is None else "new", top or new or 0)
        if since_last:
            return pull.since_last()
        if updates:
            return pull.updates()
        if thread is not None:
            return pull.thread(thread)
        return pull.between(first or 1, last or 0)

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

    def search(self, words: str = "", **options: Any) -> Page:
        """Find items; see HNSearch.search for the options. For many searches keep an HNSearch open."""
        if self._graph.door.served is not None:
            return call(self._graph, "hn.search", {"words": words, **options}, Page)
        with HNSearch(self._graph) as searching:
            return searching.search(words, **options)

    def reindex(self, progress: Callable[[int], None] | None = None) -> int:
        """Make the search index anew from the graph."""
        if self._graph.door.served is not None:
            return call(self._graph, "hn.reindex", {}, int)
        with HNSearch(self._graph) as searching:
            return searching.rebuild(progress)

    def transitions(self, id: int) -> list[by_hand.Way]:
        """Where an item can go from the state that it is in."""
        return by_hand.transitions(self._graph, id)

    def advance(self, id: int, transition: str) -> str:
        """Take an item through one automatic transition."""
        if self._graph.door.served is not None:
            return call(self._graph, "hn.advance", {"id": id, "transition": transition}, str)
        return by_hand.advance_one(self._graph, id, transition)

    def mark_failed(self, id: int, reason: str) -> None:
        """An item failed, by hand."""
        return by_hand.mark_failed(self._graph, id, reason)

    def retry(self, ids: Sequence[int]) -> int:
        """Process failed items again: within three tries, and a day after they failed."""
        return by_hand.retry(self._graph, ids)
