"""A worker: the loop with its handler and the scheduler's jobs, here or in the daemon, and how signals end it."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from graphvine.workers.cli.progress import activity
from graphvine.workers.cli.text import one_line
from graphvine.workers.loop import Counts, Loop
from graphvine.workers.reaper import Reaper
from graphvine.workers.registry import by_owner, handler
from graphvine.workers.scheduler import running

if TYPE_CHECKING:
    from graphvine.graph import Graph


def work_on(graph: Graph, pipeline: str, *, batch: int | None, once: bool, until_empty: bool) -> bool:
    """Work, and say what was done. True when Ctrl-C ended it."""
    paused = graph.door.paused(pipeline)
    if paused is not None:
        why = f" ({one_line(paused, 60)})" if paused else ""
        print(f"{pipeline} is paused{why}: 'graphvine resume {pipeline}' lets it go on", file=sys.stderr)
    if graph.door.served is not None and by_owner(pipeline):
        counts, ended = _work_there(graph, pipeline, batch, once, until_empty)
    else:
        counts, ended = _work_here(graph, pipeline, batch, once, until_empty)
    print(f"{pipeline}: {described(counts)}")
    return ended.by == signal.SIGINT


def _work_here(graph: Graph, pipeline: str, batch: int | None, once: bool, until_empty: bool) -> tuple[Counts, Ended]:
    with closing(handler(graph, pipeline)) as handling, signals() as ended:
        if graph.door.served is not None:
            ended.then = graph.door.served.hurry  # a daemon that is away is not waited for any longer
        loop = Loop(graph, pipeline, handling, batch=batch, stop=ended.stop)
        with activity(f"working on {pipeline}") as told:
            if told is not None:
                graph.door.listen(_telling(told))
            if once:
                # The scheduler would not come to it in one batch.
                Reaper(graph).run_once()
                return loop.run(once=True), ended
            # Where the graph is served, the daemon sees to what goes by the clock.
            with running(graph, [] if graph.door.served is not None else None):
                return loop.run(until_empty=until_empty), ended


def _work_there(graph: Graph, pipeline: str, batch: int | None, once: bool, until_empty: bool) -> tuple[Counts, Ended]:
    """By a worker of the process that serves the graph, for as long as this one lives."""
    import msgspec

    from graphvine.remote import run_job

    total = Counts()
    asked = {"pipeline": pipeline, "batch": batch, "once": once, "until_empty": until_empty}
    with signals() as ended, activity(f"working on {pipeline}, in the process that serves the graph") as shown:

        def told(name: str, facts: Any) -> None:
            # Added up here: a daemon that was started anew counts from nothing.
            nonlocal total
            total += msgspec.convert(facts, Counts)
            if shown is not None:
                shown(described(total))

        if graph.door.served is not None:
            ended.then = graph.door.served.hurry
        run_job(graph, "work", asked, Counts, told, ended.stop)
    return total, ended


def described(counts: Counts) -> str:
    """What was done, leaving out what did not happen: 3 claimed, 2 done, 1 failed."""
    named = {
        "claimed": counts.claimed, "done": counts.done, "to be tried again": counts.retried, "failed": counts.failed,
        "given back": counts.released, "lost to another worker": counts.lost,
    }  # fmt: skip
    return ", ".join(f"{count:,} {name}" for name, count in named.items() if count) or "nothing to claim"


def _telling(told: Callable[[str], None]) -> Callable[[str, dict[str, Any]], None]:
    total = Counts()

    def listen(event: str, facts: dict[str, Any]) -> None:
        nonlocal total
        if event == "batch":
            total += facts["counts"]
            told(described(total))

    return listen


class Ended:
    """Whether, and by which signal, the work was told to end."""

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
        print("ending after what is in hand; once more ends at once", file=sys.stderr)


@contextmanager
def signals() -> Iterator[Ended]:
    """Let SIGINT and SIGTERM end the work cleanly, and a second one at once."""
    ended = Ended()
    before = {number: signal.signal(number, ended) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield ended
    finally:
        for number, action in before.items():
            signal.signal(number, action)
