"""One progress bar on stderr, so that stdout stays clean for the figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


class Bar:
    """A bar that knows how many stretches there are and says which one runs."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self.progress = progress
        self.task = task

    def expect(self, steps: int) -> None:
        """Raise the number of steps that are to come."""
        total = self.progress.tasks[self.task].total or 0
        self.progress.update(self.task, total=total + steps)

    def say(self, what: str) -> None:
        """Name what is going on now."""
        self.progress.update(self.task, description=what)

    def step(self) -> None:
        self.progress.advance(self.task)


@contextmanager
def progress_bar() -> Iterator[Bar]:
    columns = (TextColumn("{task.description:<44}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield Bar(progress, progress.add_task("preparing", total=0))
