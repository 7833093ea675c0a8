"""What comes next in a queue that other processes work on too.

Alone, a worker reads some batches ahead and takes them in order. When a claim comes back short, others were quicker:
from then on each claim reads afresh, from a random place near the front, so that workers meet less. How near adapts to
how often they meet. It is a hint, as every window is: the claim's statement guards itself.
"""

from __future__ import annotations

import random
import threading
from bisect import insort
from collections.abc import Callable, Collection

from graphvine.clock import FIRST, NEVER
from graphvine.isolation import is_suspect
from graphvine.ready_cache import FRESH, RESUMED, place_of
from graphvine.records import Row

# (now, lease, skip, limit) to ready rows in claim order.
ScanFrom = Callable[[int, int, int, int], list[Row]]
# (now, lease) to the moment when the next row that is backing off comes due.
NextDue = Callable[[int, int], int | None]

_AHEAD = 16
# What others write is seen after this long at the latest.
_STALE_MS = 1_000
# A claim that met nobody narrows the spread by this much; one that did doubles it.
_NARROWER = 0.25
_WIDER_READS = 4


class SharedReadyCache:
    """The two windows of a pipeline: rows that go on from a middle state, then rows that start."""

    def __init__(
        self, scan: ScanFrom, next_due: NextDue, size: int, initial: str, draw: random.Random | None = None
    ) -> None:
        self._initial, self._next_due = initial, next_due
        self._of = {lease: SharedWindow(scan, lease, size, draw or random.Random()) for lease in (RESUMED, FRESH)}

    def take(
        self, count: int, now: int, states: Collection[str] | None = None, max_depth: int | None = None
    ) -> list[Row]:
        """The next rows to try. That there are none is not said from memory."""
        return self._take(count, now, states, max_depth, False) or self._take(count, now, states, max_depth, True)

    def _take(
        self, count: int, now: int, states: Collection[str] | None, max_depth: int | None, look: bool
    ) -> list[Row]:
        taken: list[Row] = []
        for lease in self._asked(states):
            if len(taken) == count or (taken and is_suspect(taken[0])):
                break
            more = self._of[lease].take(count - len(taken), now, states, max_depth, look=look)
            if taken and more and is_suspect(more[0]):
                self.add(more, now)
                break
            taken += more
        return taken

    def report(self, asked: list[Row], taken: Collection[int]) -> None:
        """Of the rows that were tried, these numbers were still free."""
        for lease, window in self._of.items():
            seqs = {row["seq"] for row in asked if row["lease"] == lease}
            if seqs:
                window.report(seqs, seqs.intersection(taken))

    def add(self, rows: list[Row], now: int) -> None:
        """These have become ready, or will."""
        for lease, window in self._of.items():
            window.add([row for row in rows if row["lease"] == lease], now)

    def invalidate(self) -> None:
        for window in self._of.values():
            window.invalidate()

    def next_due(self, now: int, states: Collection[str] | None = None) -> int | None:
        """When a row that is backing off comes due; None when none is."""
        dues = [due for lease in self._asked(states) if (due := self._next_due(now, lease)) is not None]
        return min(dues, default=None)

    def _asked(self, states: Collection[str] | None) -> list[int]:
        if states is None:
            return [RESUMED, FRESH]
        resumed = [RESUMED] if any(state != self._initial for state in states) else []
        return resumed + ([FRESH] if self._initial in states else [])


class SharedWindow:
    def __init__(self, scan: ScanFrom, lease: int, size: int, draw: random.Random) -> None:
        self._scan, self._lease, self._size, self._draw = scan, lease, size, draw
        self._lock = threading.Lock()
        self._spread = 1.0
        self._ahead = 1
        # In the hands of this process, but perhaps not claimed yet: a scan still sees them as free.
        self._given: set[int] = set()
        self._rows: list[Row] = []
        self._complete = False
        self._read_at = 0
        # When a row of ours that backs off comes due.
        self._next_due = NEVER

    def invalidate(self) -> None:
        with self._lock:
            self._given.clear()
            self._forget()

    def take(
        self, count: int, now: int, states: Collection[str] | None, max_depth: int | None, *, look: bool
    ) -> list[Row]:
        """`look` at the queue even where memory says that it is empty."""
        with self._lock:
            known = 0 <= now - self._read_at < _STALE_MS and now < self._next_due
            if known and self._complete and not self._rows and not look:
                return []
            if self._spread >= 2:
                self._read_somewhere(count, now)
            elif not known or len(self._rows) < (1 if self._complete else count):
                self._read_ahead(now, count)
            for wider in range(1, _WIDER_READS + 1):
                taken, passed = self._choose(count, states, max_depth)
                # Rows of other states stand in front: the wanted ones may come behind what was read.
                if len(taken) == count or not passed or self._complete:
                    break
                self._read(now, (len(self._rows) + count) * _AHEAD**wider)
            self._given.update(row["seq"] for row in taken)
            self._rows = self._not_given(self._rows)
            return taken

    def report(self, asked: set[int], got: set[int]) -> None:
        with self._lock:
            self._given -= asked
            if got != asked:
                self._spread = min(self._spread * 2, _AHEAD)
                self._forget()
            else:
                self._spread = max(self._spread - _NARROWER, 1.0)

    def add(self, rows: list[Row], now: int) -> None:
        offered = {row["seq"] for row in rows}
        with self._lock:
            self._given -= offered
            self._rows = [row for row in self._rows if row["seq"] not in offered]
            for row in rows:
                if row["due"] > now:
                    self._next_due = min(self._next_due, row["due"])
                elif self._complete or (self._rows and place_of(row) < place_of(self._rows[-1])):
                    insort(self._rows, row, key=place_of)

    def _forget(self) -> None:
        self._rows, self._complete, self._read_at = [], False, 0

    def _read_ahead(self, now: int, count: int) -> None:
        """As far as it was used last time: what is left over when it is too old was read for nothing."""
        used_up = len(self._rows) < count
        self._ahead = min(self._ahead * 2, _AHEAD) if used_up else max(self._ahead // 2, 1)
        self._read(now, max(count, min(count * self._ahead, self._size)))

    def _read(self, now: int, limit: int) -> None:
        rows = self._scan(now, self._lease, 0, limit)
        self._rows, self._complete, self._read_at = self._not_given(rows), len(rows) < limit, now
        if now >= self._next_due:
            self._next_due = NEVER

    def _read_somewhere(self, count: int, now: int) -> None:
        skip = count * self._draw.randrange(int(self._spread))
        self._forget()
        self._rows = self._not_given(self._scan(now, self._lease, skip, count))
        # What was prioritised is the same for all, from any place: each takes another part of it.
        first = [row for row in self._rows if row["due"] == FIRST]
        self._draw.shuffle(first)
        self._rows[: len(first)] = first
        if skip and len(self._rows) < count:
            self._read(now, count)  # the queue is shorter than the spread

    def _not_given(self, rows: list[Row]) -> list[Row]:
        return [row for row in rows if row["seq"] not in self._given]

    def _choose(self, count: int, states: Collection[str] | None, max_depth: int | None) -> tuple[list[Row], bool]:
        """The first rows that fit, and whether some that came before were passed over."""
        taken: list[Row] = []
        passed = False
        for row in self._rows:
            if len(taken) == count:
                break
            if max_depth is not None and row["depth"] > max_depth:
                if row["due"] != FIRST:
                    break
            elif states is not None and row["state"] not in states:
                passed = True
            elif is_suspect(row):
                # Claimed alone, so that it can't take others down with it.
                return (taken or [row]), False
            else:
                taken.append(row)
        return taken, passed
