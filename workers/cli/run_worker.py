"""Runs a worker for a command: what it prints, and how signals end it."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from graphvine.dispatch import dispatch
from graphvine.workers.cli.output import one_line
from graphvine.workers.cli.progress import activity
from graphvine.workers.counts import Counts

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.workers.requests import WorkRequest


def work_on(graph: Graph, request: WorkRequest) -> tuple[Counts, bool]:
    """Work; what was done, and whether Ctrl-C ended it."""
    paused = graph.store.paused(request.pipeline)
    if paused is not None:
        why = f" ({one_line(paused, 60)})" if paused else ""
        print(f"{request.pipeline} is paused{why}: 'graphvine resume {request.pipeline}' continues it", file=sys.stderr)
    total = Counts()
    with signals(graph) as ended, activity(f"working on {request.pipeline}") as shown:

        def on_event(counts: Counts) -> None:
            # Added up here: a daemon that was restarted counts from nothing.
            nonlocal total
            total += counts
            if shown is not None:
                shown(described(total))

        dispatch(graph, request, on_event=on_event, stop=ended.stop)
    return total, ended.by == signal.SIGINT


def described(counts: Counts) -> str:
    """What was done, leaving out what did not happen: 3 claimed, 2 done, 1 failed."""
    named = {
        "claimed": counts.claimed, "done": counts.done, "to be retried": counts.retried, "failed": counts.failed,
        "skipped": counts.skipped,
        "given back": counts.released, "lost to another worker": counts.lost,
    }  # fmt: skip
    return ", ".join(f"{count:,} {name}" for name, count in named.items() if count) or "nothing to claim"


class Ended:
    """Whether, and by which signal, the work was asked to end."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.by: int | None = None
        self.then: Callable[[], None] | None = None

    def __call__(self, number: int, frame: Any) -> None:
        if self.stop.is_set():
            raise KeyboardInterrupt  # asked twice: at once
        self.by = number
        self.stop.set()
        if self.then is not None:
            self.then()
        print("stopping after this batch; press Ctrl-C again to stop now", file=sys.stderr)


@contextmanager
def signals(graph: Graph) -> Iterator[Ended]:
    """Let SIGINT and SIGTERM end the work cleanly, and a second one at once."""
    ended = Ended()
    ended.then = getattr(graph.engine, "hurry", None)  # a daemon that is away is not waited for any longer
    before = {number: signal.signal(number, ended) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield ended
    finally:
        for number, action in before.items():
            signal.signal(number, action)
