"""What became of the rows that a worker claimed, and how many it may claim."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from graphvine.outcomes import Done, GiveUp, Outcome, Postpone, Retry, Skip


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the rows that a worker claimed."""

    claimed: int = 0
    done: int = 0
    retried: int = 0
    failed: int = 0
    lost: int = 0
    released: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.claimed + other.claimed, self.done + other.done, self.retried + other.retried,
            self.failed + other.failed, self.lost + other.lost, self.released + other.released,
            self.skipped + other.skipped,
        )  # fmt: skip


class Allowance:
    """How many rows may still be claimed, shared by the workers of one job."""

    def __init__(self, rows: int) -> None:
        self._rows, self._lock = rows, threading.Lock()

    def take(self, most: int) -> int:
        with self._lock:
            taken = min(most, self._rows)
            self._rows -= taken
            return taken

    @property
    def spent(self) -> bool:
        return self._rows <= 0

    def give_back(self, rows: int) -> None:
        with self._lock:
            self._rows += rows


def count(settled: Sequence[Outcome], max_retries: int) -> Counts:
    """What became of the rows that were settled so."""
    done = sum(isinstance(one, Done) for one in settled)
    released = sum(isinstance(one, Postpone) for one in settled)
    skipped = sum(isinstance(one, Skip) for one in settled)
    failed = sum(
        isinstance(one, GiveUp) or (isinstance(one, Retry) and one.claim.retry_count + 1 >= max_retries)
        for one in settled
    )
    retried = len(settled) - done - released - skipped - failed
    return Counts(done=done, failed=failed, retried=retried, released=released, skipped=skipped)
