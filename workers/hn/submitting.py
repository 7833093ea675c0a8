"""What the process that serves the graph does for Hacker News, asked from here: taking in and pulling.

One process takes items in, since what waits for a parent is known in its memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from graphvine.graph import Graph
from graphvine.remote import call, run_job
from graphvine.workers.hn.pull import Pulled
from graphvine.workers.parts.hn.intake import Taken
from graphvine.workers.parts.hn.portions import portions

# Items in one request: a delivery of many is sent in parts, each taken in as a whole.
_ITEMS_AT_ONCE = 10_000


def add(
    graph: Graph, items: Iterable[Any], source: str, fetched_at: int | None, progress: Callable[[Taken], None] | None
) -> Taken:
    """One delivery has one time, however many parts it is sent in."""
    at, total = fetched_at or graph.clock.now_ms(), Taken()
    for part in portions(items, _ITEMS_AT_ONCE):
        total += call(graph, "hn.add", {"items": part, "source": source, "fetched_at": at}, Taken)
        if progress is not None:
            progress(total)
    return total


def pull(
    graph: Graph, asked: dict[str, Any], on_progress: Callable[[Pulled], None] | None, stop: threading.Event | None
) -> Pulled:
    def told(name: str, facts: Any) -> None:
        if on_progress is not None:
            on_progress(msgspec.convert(facts, Pulled))

    return run_job(graph, "hn pull", asked, Pulled, told, stop)
