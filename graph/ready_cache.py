"""What to claim next, cached in memory, so that a claim does not scan the table.

The cache is only a hint: the claim statement guards itself, and a stale entry claims nothing."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from graphvine.clock import FIRST, NEVER
from graphvine.engines.protocol import ServedEngine
from graphvine.errors import GraphvineError
from graphvine.isolation import is_suspect
from graphvine.queries import Machine
from graphvine.records import Claim, Row, Step

# Rows that come due one after another must not cost a scan each.
_RESCAN_MS = 250
_BEFORE_ALL = -(1 << 63)


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a scan found."""

    rows: list[Row]  # ready, in claim order
    end: tuple[int, int] | None  # (depth, seq) up to which every ready row is among them; None: all are
    next_due: int  # when the next row that is backing off comes due


# (now, lease) to what is ready.
Scan = Callable[[int, int], Scanned]

FRESH, RESUMED = 0, -1


def place_of(row: Row) -> tuple[int, int]:
    """Where a row stands in the queue: by depth, then by number; what was prioritised comes before all depths."""
    return (_BEFORE_ALL if row["due"] == FIRST else row["depth"]), row["seq"]


class ReadyCache:
    """The two windows of a pipeline: rows that start, and rows that go on from a middle state; the latter first.

    They are kept apart so that many of one kind can't hide the other from who asks for it.
    """

    def __init__(self, scan: Scan, size: int, initial: str) -> None:
        self._initial = initial
        self._fresh = Window(lambda now: scan(now, FRESH), size)
        self._resumed = Window(lambda now: scan(now, RESUMED), size)

    def take(
        self, count: int, now: int, states: Collection[str] | None = None, max_depth: int | None = None
    ) -> list[Row]:
        taken: list[Row] = []
        for window in self._asked(states):
            if taken and is_suspect(taken[0]):
                break
            more = window.take(count - len(taken), now, states, max_depth)
            if taken and more and is_suspect(more[0]):
                window.add(more, now)
                break
            taken += more
        return taken

    def add(self, rows: list[Row], now: int) -> None:
        """These have become ready, or will."""
        self._fresh.add([row for row in rows if row["lease"] == FRESH], now)
        self._resumed.add([row for row in rows if row["lease"] == RESUMED], now)

    def report(self, asked: list[Row], taken: Collection[int]) -> None:
        """Of the rows that were tried, these were still free: one process alone has nothing to learn from it."""

    def invalidate(self) -> None:
        self._fresh.invalidate()
        self._resumed.invalidate()

    def next_due(self, now: int, states: Collection[str] | None = None) -> int | None:
        """When a row that is backing off comes due; None when none is."""
        return min((due for window in self._asked(states) if (due := window.next_due(now)) is not None), default=None)

    def _asked(self, states: Collection[str] | None) -> list[Window]:
        if states is None:
            return [self._resumed, self._fresh]
        resumed = [self._resumed] if any(state != self._initial for state in states) else []
        return resumed + ([self._fresh] if self._initial in states else [])


class Window:
    def __init__(self, scan: Callable[[int], Scanned], size: int) -> None:
        self._scan, self._size = scan, size
        self._lock = threading.RLock()
        self.invalidate()

    def invalidate(self) -> None:
        """Forget everything: the next claim scans."""
        with self._lock:
            self._rows: dict[int, Row] = {}
            # Places in claim order: of scanned rows, the next one last, and a heap of those that came later.
            self._run: list[tuple[int, int]] = []
            self._order: list[tuple[int, int]] = []
            self._waiting: list[tuple[int, int]] = []
            self._later: dict[int, Row] = {}
            self._end: tuple[int, int] | None = None  # None: everything that is ready is here
            self._next_due = 0
            self._scanned_at = -NEVER

    def take(
        self, count: int, now: int, states: Collection[str] | None = None, max_depth: int | None = None
    ) -> list[Row]:
        """The next rows to try; they leave the window."""
        with self._lock:
            self._fill(now)
            taken: list[Row] = []
            aside: list[Row] = []
            while len(taken) < count and (row := self._next()) is not None:
                if max_depth is not None and row["depth"] > max_depth:
                    if row["due"] != FIRST:
                        aside.append(row)
                        break  # nearest first: all that follow lie deeper too
                    if self._end is None:
                        aside.append(row)  # otherwise it would keep the next scan, which finds it again, from coming
                    continue
                if states is not None and row["state"] not in states:
                    aside.append(row)
                    continue
                if is_suspect(row):
                    if taken:
                        self._push(row)
                    else:
                        taken.append(row)
                    break
                taken.append(row)
            for row in aside:
                self._push(row)
            return taken

    def add(self, rows: list[Row], now: int) -> None:
        """These have become ready, or will."""
        with self._lock:
            for row in rows:
                self._rows.pop(row["seq"], None)
                self._later.pop(row["seq"], None)
                if row["due"] > now:
                    if len(self._waiting) < self._size:
                        self._later[row["seq"]] = row
                        heapq.heappush(self._waiting, (row["due"], row["seq"]))
                    else:
                        self._next_due = min(self._next_due, row["due"])
                elif self._end is None or place_of(row) < self._end:
                    self._push(row)
            if len(self._rows) > 2 * self._size:
                self.invalidate()

    def next_due(self, now: int) -> int | None:
        """When a row that is backing off comes due; None when none is."""
        with self._lock:
            self._fill(now)
            due = min(self._next_due, self._waiting[0][0] if self._waiting else NEVER)
            return due if due < NEVER else None

    def _fill(self, now: int) -> None:
        while self._waiting and self._waiting[0][0] <= now:
            due, seq = heapq.heappop(self._waiting)
            row = self._later.get(seq)
            if row is None or row["due"] != due:
                continue  # offered again since, for another moment
            del self._later[seq]
            if self._end is None or place_of(row) < self._end:
                self._push(row)
        came_due = self._next_due <= now
        at_end = not self._rows and self._end is not None
        if at_end or (came_due and now - self._scanned_at >= _RESCAN_MS):
            scanned = self._scan(now)
            self.invalidate()
            self._rows = {row["seq"]: row for row in scanned.rows}
            self._run = [place_of(row) for row in reversed(scanned.rows)]
            self._end, self._next_due, self._scanned_at = scanned.end, scanned.next_due, now

    def _next(self) -> Row | None:
        """The first of those that are still here; it leaves the window."""
        while self._run or self._order:
            scanned = self._run and not (self._order and self._order[0] < self._run[-1])
            place = self._run.pop() if scanned else heapq.heappop(self._order)
            row = self._rows.get(place[1])
            if row is not None and place_of(row) == place:  # otherwise it was added again since, at another place
                return self._rows.pop(place[1])
        return None

    def _push(self, row: Row) -> None:
        self._rows[row["seq"]] = row
        heapq.heappush(self._order, place_of(row))


def spans(seqs: list[int], gap: int = 20_000, most: int = 8) -> list[dict[str, Any]]:
    """Row numbers in groups that lie close together, each with its bounds: a statement costs what its bounds span."""
    ordered = sorted(seqs)
    cuts = sorted(
        (index for index in range(1, len(ordered)) if ordered[index] - ordered[index - 1] > gap),
        key=lambda index: ordered[index - 1] - ordered[index],
    )[: most - 1]
    edges = [0, *sorted(cuts), len(ordered)]
    groups = [ordered[start:end] for start, end in pairwise(edges)]
    return [{"seqs": group, "lo": group[0], "hi": group[-1]} for group in groups if group]


Read = Callable[..., list[Row]]
# So often the nearest depth may be emptied by others while it is scanned, before one read takes whatever is nearest.
_SCANS_OF_A_DEPTH = 3


def scan_ready(read: Read, machine: Machine, now: int, lease: int, size: int, next_due: int) -> Scanned:
    """The next rows to claim, `size` at most.

    Each read sees its own moment: between two of them other workers claim and discover. What one read counted may be
    gone, or more, at the next.
    """
    pipeline = machine.entity
    for _ in range(_SCANS_OF_A_DEPTH):
        there = read(f"{pipeline}.frontier", now=now, lease=lease)[0]
        if not there["ready"]:
            return Scanned([], None, next_due)
        asked = there["earliest"] == FIRST
        first = read(f"{pipeline}.prioritised", first=FIRST, lease=lease, limit=size) if asked else []
        if there["ready"] <= size:
            break
        scanned = _scan_nearest(read, machine, now, lease, size, there, next_due)
        if scanned.rows:
            return _in_front(first, scanned)
    # One more than fits tells whether there are more.
    rows = read(f"{pipeline}.ready", now=now, lease=lease, limit=size + 1)
    end = (rows[size]["depth"], rows[size]["seq"]) if len(rows) > size else None
    return _in_front(first, Scanned(rows[:size], end, next_due))


def _in_front(first: list[Row], scanned: Scanned) -> Scanned:
    """What was prioritised comes before what a scan found by depth, in which it may be, too."""
    rest = [row for row in scanned.rows if row["due"] != FIRST] if first else scanned.rows
    return Scanned(sorted(first, key=place_of) + rest, scanned.end, scanned.next_due)


def _scan_nearest(read: Read, machine: Machine, now: int, lease: int, size: int, there: Row, next_due: int) -> Scanned:
    """The next rows of the nearest depth; none when others have claimed them all since it was seen."""
    asked, between, depth = {"now": now, "lease": lease}, f"{machine.entity}.ready_between", 0
    if machine.order:
        depth = asked["depth"] = there["depth"]
        between = f"{machine.entity}.ready_at"
        there = read(f"{machine.entity}.frontier_at", **asked)[0]
    rows: list[Row] = []
    if not there["ready"]:
        return Scanned(rows, None, next_due)
    lo, last = there["lo"], there["hi"]
    while lo <= last and not rows:
        # As many numbers as should hold a window of ready rows, if they lie evenly.
        hi = min(last, lo + size * (last - there["lo"] + 1) // there["ready"])
        rows = read(between, **asked, lo=lo, hi=hi, limit=size)
        reached, lo = hi, hi + 1
    if len(rows) == size:
        reached = rows[-1]["seq"]
    return Scanned(rows, (depth, reached + 1), next_due)


class RemoteReadyCache:
    def __init__(self, engine: ServedEngine, pipeline: str) -> None:
        self._engine, self._pipeline = engine, pipeline

    def claim(
        self, worker: str, limit: int, states: Collection[str] | None, max_depth: int | None, *, suspects: bool
    ) -> tuple[list[Claim], bool]:
        """Rows that the daemon chose, claimed for this worker; and whether a suspect is next, which it may not have."""
        return self._engine.claim(self._pipeline, worker, limit, states, max_depth, suspects)

    def exchange(
        self, worker: str, steps: Sequence[Step], limit: int, max_depth: int | None
    ) -> tuple[list[Claim], Collection[int]]:
        """Run steps that settle claims, and claim what comes next, in one transaction: the claims, and what held."""
        return self._engine.exchange(self._pipeline, worker, steps, limit, max_depth)

    def take(
        self, count: int, now: int, states: Collection[str] | None = None, max_depth: int | None = None
    ) -> list[Row]:
        raise GraphvineError("rows are chosen by the process that serves the graph: claim them")

    def add(self, rows: list[Row], now: int) -> None:
        """The process that wrote them knows."""

    def report(self, asked: list[Row], taken: Collection[int]) -> None:
        """It knows that too."""

    def invalidate(self) -> None:
        self._engine.forget(self._pipeline)

    def next_due(self, now: int, states: Collection[str] | None = None) -> int | None:
        """When a row that is backing off comes due; None when none is."""
        return self._engine.next_due(self._pipeline, now, states)
