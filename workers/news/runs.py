"""The result of a run of the updater or the processor: the specification's metrics and log lines."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from graphvine.records import Row

# Some hours of a processor that runs each minute.
_RUNS_KEPT = 500
_log = logging.getLogger("graphvine.news")


@dataclass(frozen=True, slots=True)
class UpdaterRun:
    """`found` are new articles; `total` is the length of the log of additions afterwards."""

    topic: str
    found: int = 0
    trimmed: int = 0
    credits: int = 0
    total: int = 0
    pages: int = 0
    checkpoint: str = ""
    rejected: list[str] = field(default_factory=list)
    # Providers that failed, before or after some pages, and why.
    errors: dict[str, str] = field(default_factory=dict)
    # Of these, those that were not asked, and how many seconds they are left alone after an error.
    waiting: dict[str, float] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        yield f"Fetched {_articles(self.found, 'new ')}"
        if self.trimmed:
            yield f"Trimmed {self.trimmed} processed articles from additions log (checkpoint: {self.checkpoint})"
        added = f"Added {_articles(self.found)} to pending additions staging area"
        yield f"{added} (total: {self.total}, trimmed {self.trimmed})"
        yield f"API credits used: {self.credits}"


@dataclass(frozen=True, slots=True)
class ProcessorRun:
    """`remaining` is the length of the queue afterwards."""

    topic: str
    merged: int = 0
    checkpoint: str = ""
    loaded: int = 0
    processed: int = 0
    removed: int = 0
    moved_to_end: int = 0
    failed: int = 0
    lost: int = 0
    released: int = 0
    remaining: int = 0
    seconds: float = 0.0
    # Articles that back off, and the seconds until the first of them may be tried again.
    waiting: int = 0
    next_in_seconds: float | None = None
    # Articles that the log or the queue names and that do not exist.
    missing: list[str] = field(default_factory=list)
    # Entries that were put back into the queue, or dropped from it, to repair it.
    rebuilt: int = 0
    dropped: int = 0

    def lines(self) -> Iterator[str]:
        if self.merged:
            moved = f"(checkpoint updated to article ID: {self.checkpoint})"
            yield f"Merged {_articles(self.merged, 'new ')} from additions {moved}"
        if self.missing:
            yield f"Missing articles dropped: {', '.join(self.missing[:10])}"
        if self.rebuilt or self.dropped:
            yield f"Queue rebuilt: {self.rebuilt} put back, {self.dropped} dropped"
        yield f"Loaded: {_articles(self.loaded)}"
        yield f"Processed: {_articles(self.processed)}"
        if self.failed:
            yield f"Failed: {_articles(self.failed)}"
        yield f"Removed from queue: {_articles(self.removed)}"
        yield f"Moved to end for retry: {_articles(self.moved_to_end)}"
        yield f"Queue length: {_articles(self.remaining)} remaining"
        if self.waiting and self.next_in_seconds is not None:
            wait = f"the first for {math.ceil(self.next_in_seconds)} s (--now skips the wait)"
            yield f"Backing off: {_articles(self.waiting)}, {wait}"


def log(run: UpdaterRun | ProcessorRun) -> None:
    """Write the lines of a run to the log."""
    who = "Updater" if isinstance(run, UpdaterRun) else "Processor"
    # A processor runs each minute: a run with nothing to do is not worth a line.
    idle = isinstance(run, ProcessorRun) and not (run.merged or run.loaded or run.rebuilt or run.dropped)
    for line in run.lines():
        _log.log(logging.DEBUG if idle else logging.INFO, "%s: %s", who, line)
    if isinstance(run, UpdaterRun):
        for provider, reason in run.errors.items():
            _log.warning("Updater: %s failed: %s", provider, reason)
        for reason in run.rejected[:20]:
            _log.warning("Updater: not an article: %s", reason)
    elif run.missing:
        _log.warning("Processor: %d articles do not exist: %s", len(run.missing), ", ".join(run.missing[:20]))


def next_run_id(topic: str, last: Sequence[Row]) -> str:
    """The id of a run's metrics: a ring, in which the newest replaces the oldest."""
    number = str(last[0]["id"]).rpartition(" ")[2] if last else ""
    return f"{topic} {(int(number) + 1 if number.isdigit() else 0) % _RUNS_KEPT}"


def _articles(count: int, kind: str = "") -> str:
    return f"{count} {kind}articles"
