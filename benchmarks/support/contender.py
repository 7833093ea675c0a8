"""What takes part in a race: it hands out items, takes them back done, and survives a power cut."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Protocol


class Unavailable(Exception):
    """A contender that this machine can't run; the message is the line that says so."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One timed stretch of work."""

    items: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.items / self.seconds


class Contender(Protocol):
    """A durable queue: what a call has acknowledged is on the disk."""

    name: str
    durability: str
    # The batch sizes between which its figures differ: (1,) for a queue that takes its items one by one.
    batches: tuple[int, ...]

    def fill(self, items: int) -> None:
        """Start afresh with this many items waiting; what it costs is not measured."""

    def run(self, batch: int, seconds: float, items: int) -> Sample:
        """Claim and complete in batches, until the time is over or so many items are done."""

    def close(self) -> None:
        """End what the contender started."""


def timed(turn: Callable[[], int], seconds: float, items: int) -> Sample:
    """Call `turn`, which answers how many items it did, until either limit is reached."""
    done = 0
    start = time.perf_counter()
    while True:
        took = turn()
        done += took
        spent = time.perf_counter() - start
        if took == 0 or spent >= seconds or done >= items:
            return Sample(done, spent)


def package(name: str, distribution: str) -> ModuleType:
    """Import a peer's package, or say in one line that it is not here."""
    try:
        return import_module(name)
    except ImportError:
        raise Unavailable(f"{distribution} not measured: pip install {distribution}") from None
