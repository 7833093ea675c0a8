"""Time as a parameter: every statement gets it from here, so that tests can move it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol

# Beyond every real moment, in ms: the `due` of a row that can't be claimed. Exact in a 64-bit float too.
NEVER = 1 << 52
# Before every real moment, in ms: the `due` of a row that somebody prioritised, until it is claimed.
FIRST = -1


class Clock(Protocol):
    """The time in milliseconds since 1970; tests have a clock that they move."""

    def now_ms(self) -> int: ...

    def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's clock, or that of a server which is so many ms ahead of it."""

    def __init__(self, offset_ms: int = 0) -> None:
        self.offset_ms = offset_ms

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 + self.offset_ms

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class ManualClock:
    """A clock that moves only when its owner moves it."""

    def __init__(self, start_ms: int = 1_750_000_000_000) -> None:
        self._now_ms = start_ms

    def now_ms(self) -> int:
        return self._now_ms

    def sleep(self, seconds: float) -> None:
        self.forward(seconds)

    def forward(self, seconds: float) -> None:
        self._now_ms += int(seconds * 1000)


def moment(ms: int) -> datetime:
    """Milliseconds as an aware UTC time, as columns such as `claimed_at` hold it."""
    return datetime.fromtimestamp(ms / 1000, UTC)
