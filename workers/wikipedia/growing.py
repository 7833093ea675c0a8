"""How growth is shown to somebody at a terminal: done of known, rate, depth, queue, what is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graphvine.clock import NEVER
from graphvine.graph import Graph
from graphvine.workers.cli.output import screen
from graphvine.workers.wikipedia.grow import GrowEvent


@contextmanager
def progress(graph: Graph, depth: int) -> Iterator[Callable[[GrowEvent], None] | None]:
    """A bar that is told of the events of `grow`; None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("growing"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]:.1f}/s"),
        TextColumn("depth {task.fields[depth]}"), TextColumn("{task.fields[queue]} wait"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=screen(stderr=True), transient=True) as shown:
        task = shown.add_task("growing", total=None, rate=0.0, depth=0, queue=0)
        began = time.monotonic()

        def tell(event: GrowEvent) -> None:
            reach = graph.read("article.reach", depth=depth, never=NEVER)[0]
            done = event.total.done + event.total.failed
            seconds = max(time.monotonic() - began, 0.001)
            shown.update(
                task, completed=done, total=done + reach["waiting"], rate=done / seconds, depth=reach["depth"] or 0,
                queue=reach["waiting"],
            )  # fmt: skip

        yield tell
