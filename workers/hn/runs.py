"""What the requests of this pipeline do, in the process that owns the store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from graphvine.dispatch import Run
from graphvine.graph import Graph
from graphvine.workers.hn import requests
from graphvine.workers.hn.ingest.index_sync import KIND, follow
from graphvine.workers.hn.ingest.ingest import Taken, take_in
from graphvine.workers.hn.pull import Pull, Pulled
from graphvine.workers.hn.search import HNSearch, Page
from graphvine.workers.hn.settings import load


def run_add(graph: Graph, request: requests.AddRequest, run: Run[Taken]) -> Taken:
    behind = KIND not in graph.open_indexes

    def progress(taken: Taken) -> None:
        follow(graph)  # behind the first items: opening the index takes longer than writing them
        run.publish(taken)

    total = take_in(
        graph, request.items, request.source, handed_over_at=request.fetched_at,
        batch=(request.settings or load()).items_at_once, progress=progress,
    )  # fmt: skip
    if behind and (index := graph.open_indexes.get(KIND)) is not None:
        index.catch_up()
    return total


def run_pull(graph: Graph, request: requests.PullRequest, run: Run[Pulled]) -> Pulled:
    pull = Pull(graph, request.settings or load(), on_progress=run.publish, stop=run.stop)
    if request.ids:
        return pull.ids(list(request.ids))
    for name in requests.LISTS:
        if (count := getattr(request, name)) is not None:
            return pull.listed(name, count)
    if request.user is not None:
        return pull.user(request.user)
    if request.since_last:
        return pull.since_last()
    if request.updates:
        return pull.updates()
    if request.thread is not None:
        return pull.thread(request.thread)
    return pull.between(request.first or 1, request.last or 0)


class SharedSearch:
    """One open index for all callers of a process; one of them searches at a time."""

    def __init__(self, graph: Graph) -> None:
        self._search, self._lock = HNSearch(graph), threading.Lock()

    def search(self, request: requests.HNSearchRequest) -> Page:
        fields: dict[str, Any] = request.sent()
        with self._lock:
            return self._search.search(**fields)

    def rebuild(self, progress: Callable[[int], None]) -> int:
        with self._lock:
            return self._search.rebuild(progress)

    def close(self) -> None:
        self._search.close()


def run_search(graph: Graph, request: requests.HNSearchRequest, run: Run[None]) -> Page:
    return run.open("hn search", lambda: SharedSearch(graph)).search(request)


def run_reindex(graph: Graph, run: Run[int]) -> int:
    return run.open("hn search", lambda: SharedSearch(graph)).rebuild(run.publish)
