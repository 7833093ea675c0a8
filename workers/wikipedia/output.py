"""Progress of growth in a terminal or a notebook: done of known, rate, depth, queue, ETA."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, Protocol

from graphvine.clock import NEVER
from graphvine.graph import Graph
from graphvine.workers.cli.output import screen
from graphvine.workers.wikipedia.grow import GrowEvent


class _Bar(Protocol):
    def show(self, done: int, total: int | None, rate: float, depth: int, queue: int) -> None: ...

    def note(self, sentence: str) -> None: ...

    def close(self) -> None: ...


@contextmanager
def growth_bar(graph: Graph, depth: int) -> Iterator[Callable[[GrowEvent], None]]:
    """A bar for `on_event` of `grow`, in a terminal or a notebook; elsewhere only what holds the work up is printed.

    with graphvine.growth_bar(graph, depth=2) as bar:
        graph.grow(["Vine"], depth=2, on_event=bar)
    """
    make = _NotebookBar if _in_notebook() else _TerminalBar if sys.stderr.isatty() else None
    if make is None:
        yield _only_outages
        return
    bar: _Bar | None = None
    began = 0.0
    lock = threading.Lock()  # events come from several workers
    ready = 0  # embedded, and to be written with the rest of their batch
    total: int | None = None
    deepest = queue = 0

    def on_event(event: GrowEvent) -> None:
        nonlocal bar, began, ready, total, deepest, queue
        with lock:
            if bar is None:
                # Not before: fetching the weights, at the very first start, has a bar of its own.
                bar, began = make(), time.monotonic()
            written = event.total.done + event.total.failed + event.total.skipped
            ready = ready + 1 if event.name == "article" else max(0, ready - event.counts.done)
            if event.name == "away":
                bar.note(event.reason)
            elif event.name != "article":
                reach = graph.read("article.reach", depth=depth, now=graph.clock.now_ms(), never=NEVER)[0]
                deepest, queue = reach["depth"] or 0, reach["waiting"] or 0
                total = written + queue + (reach["claimed"] or 0)
            done = written + ready
            bar.show(done, total, done / max(time.monotonic() - began, 0.001), deepest, queue)

    try:
        yield on_event
    finally:
        if bar is not None:
            bar.close()


class _TerminalBar:
    def __init__(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("growing"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]:.1f}/s"),
            TextColumn("depth {task.fields[depth]}"), TextColumn("{task.fields[queue]} wait"), TimeRemainingColumn(),
        )  # fmt: skip
        self._progress = Progress(*columns, console=screen(stderr=True), transient=True)
        self._task = self._progress.add_task("growing", total=None, rate=0.0, depth=0, queue=0)
        self._progress.start()

    def show(self, done: int, total: int | None, rate: float, depth: int, queue: int) -> None:
        self._progress.update(self._task, completed=done, total=total, rate=rate, depth=depth, queue=queue)

    def note(self, sentence: str) -> None:
        self._progress.console.print(sentence)

    def close(self) -> None:
        self._progress.stop()


class _NotebookBar:
    """One output of the cell, which is replaced; needs nothing but what every notebook has."""

    def __init__(self) -> None:
        self._html: Any = sys.modules["IPython.display"].HTML
        self._shown: Any = sys.modules["IPython.display"].display(self._html(""), display_id=True)
        self._sentence = ""

    def show(self, done: int, total: int | None, rate: float, depth: int, queue: int) -> None:
        length = f' value="{done}" max="{max(total, 1)}"' if total is not None else ""
        known = f" of {total:,}" if total is not None else ""
        counts = f"{done:,}{known}, {rate:.1f}/s, depth {depth}, {queue:,} wait {escape(self._sentence)}"
        self._shown.update(self._html(f"growing <progress{length}></progress> {counts}"))

    def note(self, sentence: str) -> None:
        self._sentence = sentence

    def close(self) -> None:
        """What was shown last stays."""


def _in_notebook() -> bool:
    shell = sys.modules["IPython"].get_ipython() if "IPython.display" in sys.modules else None
    return hasattr(shell, "kernel")


def _only_outages(event: GrowEvent) -> None:
    if event.name == "away":
        print(event.reason, file=sys.stderr)
