"""Progress for people: on standard error, and only where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graphvine.workers.cli.output import screen


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar that takes (done, total) in bytes; None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = TextColumn(what), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    with Progress(*columns, console=screen(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar that takes (done, total) in rows; None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=screen(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def activity(what: str) -> Iterator[Callable[[str], None] | None]:
    """A line that shows what is being done; None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.text import Text

    with screen(stderr=True).status(Text(what)) as status:
        yield lambda now: status.update(Text(f"{what}: {now}"))
