"""Progress of growth on a terminal: done of known, rate, depth, queue, ETA."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graphvine.clock import NEVER
from graphvine.graph import Graph
from graphvine.workers.cli.output import screen
from graphvine.workers.wikipedia.grow import GrowEvent


@contextmanager
def progress(graph: Graph, depth: int) -> Iterator[Callable[[GrowEvent], None]]:
    """A bar that is told of the events of `grow`; where nobody would see it, only what holds the work up is told."""
    if not sys.stderr.isatty():
        yield _only_outages
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("growing"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]:.1f}/s"),
        TextColumn("depth {task.fields[depth]}"), TextColumn("{task.fields[queue]} wait"), TimeRemainingColumn(),
    )  # fmt: skip
    shown = Progress(*columns, console=screen(stderr=True), transient=True)
    try:
        task = shown.add_task("growing", total=None, rate=0.0, depth=0, queue=0)
        began: float | None = None
        lock = threading.Lock()  # events come from several workers
        ready = 0  # embedded, and to be written with the rest of their batch

        def tell(event: GrowEvent) -> None:
            nonlocal ready, began
            with lock:
                if began is None:
                    # Not before: fetching the weights, at the very first start, has a bar of its own.
                    began = time.monotonic()
                    shown.start()
                written = event.total.done + event.total.failed + event.total.skipped
                ready = ready + 1 if event.name == "article" else max(0, ready - event.counts.done)
                done = written + ready
                shown.update(task, completed=done, rate=done / max(time.monotonic() - began, 0.001))
                if event.name == "away":
                    shown.console.print(event.reason)
                elif event.name != "article":
                    reach = graph.read("article.reach", depth=depth, now=graph.clock.now_ms(), never=NEVER)[0]
                    waiting, claimed = reach["waiting"] or 0, reach["claimed"] or 0
                    shown.update(task, total=written + waiting + claimed, depth=reach["depth"] or 0, queue=waiting)

        yield tell
    finally:
        shown.stop()


def _only_outages(event: GrowEvent) -> None:
    if event.name == "away":
        print(event.reason, file=sys.stderr)
