"""Claiming ahead of quick handlers, so that many of their rows share a transaction.

A commit costs about the same for one row as for dozens. Where a handler needs less time for a row than that, a thread
settles what the workers of a process have answered, together, and claims what comes next for each, while they go on
with what they have. A handler is still handed no more than a batch at a time. How many rows are held grows while the
workers wait for them, as long as the transactions stay short, and is never more than they get through in a moment.

A handler that suddenly takes long holds nothing up: what it answered before is settled without it, and the rows that it
has not begun go back to the queue.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Hashable, Sequence

from graphvine.errors import GraphvineError
from graphvine.isolation import process_of
from graphvine.outcomes import Outcome
from graphvine.records import Claim
from graphvine.workers.counts import Counts
from graphvine.workers.worker_claims import WorkerClaims, exchange

# A handler this quick with a row is worth reading ahead for; and so much of its work is held at most.
QUICK_SECONDS, _AHEAD_SECONDS = 0.01, 0.1
# Answers wait for others for so long at most.
_GATHER_SECONDS = 0.005
# Fewer rows share a transaction where one takes so long: for one row at a time, and more for each of a batch.
_LONG_SECONDS, _LONG_SECONDS_A_ROW = 0.05, 0.002
# Larger batches are meant to be quick in sum, not one by one: so many times the rows are held for them.
_MOST_TIMES = 20
# Of a handler that takes so long with what it has, the other rows are given back.
_STUCK_SECONDS = 1.0
_log = logging.getLogger("graphvine.workers")


class ReadAhead:
    """One worker's rows that are claimed and not begun, and its answers that are not settled yet."""

    def __init__(self, group: Group, worker: WorkerClaims, claims: Sequence[Claim], batch: int) -> None:
        self._group, self.worker, self.batch = group, worker, batch
        self.change = threading.Condition(group.lock)
        self.rows = deque(claims)
        self.answers: list[Outcome] = []
        self.begun: tuple[float, int] | None = None  # when the handler was given what it has, and how many
        self.row_seconds = 0.0
        self.counts = Counts()  # of what was settled since somebody asked
        self.waiting = self.leaving = self.exchanging = False
        self.failed: tuple[list[Outcome], Exception] | None = None

    def take(self) -> list[Claim]:
        """The next batch, waiting for it if need be; nothing when there is none, and all answers are settled."""
        with self.change:
            self._measure()
            while not self.rows and (self.answers or self.exchanging) and self.failed is None:
                self.waiting = True
                self._group.look_again()
                self.change.wait()
            self.waiting = False
            if self.failed is not None:
                return []
            taken = [self.rows.popleft() for _ in range(min(self.batch, len(self.rows)))]
            self.begun = (time.monotonic(), len(taken)) if taken else None
            return taken

    def answer(self, outcomes: Sequence[Outcome]) -> None:
        """To be settled soon; the caller does not wait for it."""
        if outcomes:
            with self.change:
                self.answers += outcomes
                self._group.answered()

    def settled(self) -> Counts:
        """What became of the rows that were settled since the last time."""
        with self.change:
            counts, self.counts = self.counts, Counts()
            return counts

    def close(self) -> tuple[list[Claim], list[Outcome], Exception | None]:
        """Settle what was answered. Returns the rows not begun, and what could not be settled, with the reason."""
        with self.change:
            self.leaving = True
            while self.exchanging or (self.answers and self.failed is None):
                self._group.look_again()
                self.change.wait()
            self._group.leave(self)
        failed, error = self.failed or ([], None)
        return list(self.rows), [*failed, *self.answers], error

    def _measure(self) -> None:
        if self.begun is not None:
            began, rows = self.begun
            seconds = (time.monotonic() - began) / rows
            self.row_seconds = seconds if self.row_seconds == 0.0 else (3 * self.row_seconds + seconds) / 4
            self.begun = None

    def stuck(self, now: float) -> list[Claim]:
        """The rows that wait behind what takes long, no longer ours to work on."""
        if self.begun is None or now - self.begun[0] < _STUCK_SECONDS:
            return []
        rows = list(self.rows)
        self.rows.clear()
        return rows

    def room(self, share: int) -> int:
        """How many rows it should get, of a share of so many."""
        if self.leaving or self.row_seconds > QUICK_SECONDS:
            return 0
        most = min(share, int(_AHEAD_SECONDS / max(self.row_seconds, 1e-6)))
        return max(0, max(self.batch, most) - len(self.rows))


class Group:
    """The workers of a process that share transactions, and the thread that carries these out.

    They work for the same pipeline of the same store, to the same depth, in batches of one size. All of them together
    hold as many rows as the setting says, where they take one at a time.
    """

    _groups: dict[Hashable, Group] = {}  # noqa: RUF012  one for the process
    _joining = threading.Lock()

    def __init__(self, key: Hashable, batch: int, most: int) -> None:
        self._key = key
        self._limit = most * min(batch, _MOST_TIMES)
        self._long = _LONG_SECONDS + batch * _LONG_SECONDS_A_ROW
        self._most = batch
        self._members: list[ReadAhead] = []
        self._answered_at: float | None = None  # when the first of the answers came that are not settled
        self.lock = threading.RLock()
        self._wake = threading.Condition(self.lock)

    @classmethod
    def join(cls, worker: WorkerClaims, claims: Sequence[Claim], batch: int) -> ReadAhead:
        """A place for a worker that has these claims, among those that can share transactions with it."""
        process = process_of(worker.claims.worker)  # a worker whose name somebody chose stands for itself
        key = (id(worker.graph.store), worker.pipeline, worker.max_depth, batch, process)
        with cls._joining:
            if (group := cls._groups.get(key)) is None:
                group = cls._groups[key] = cls(key, batch, worker.graph.settings.read_ahead_rows)
                threading.Thread(target=group._run, name="graphvine-read-ahead", daemon=True).start()
            member = ReadAhead(group, worker, claims, batch)
            with group.lock:
                group._members.append(member)
            return member

    def leave(self, member: ReadAhead) -> None:
        self._members.remove(member)
        self._wake.notify()

    def look_again(self) -> None:
        """Somebody waits, or leaves."""
        self._wake.notify()

    def answered(self) -> None:
        if self._answered_at is None:
            self._answered_at = time.monotonic()
            self._wake.notify()

    def _over(self) -> bool:
        """Whether nobody is left; then nobody joins either."""
        with self._joining, self.lock:
            if not self._members:
                del self._groups[self._key]
                return True
            return False

    def _run(self) -> None:
        while not self._over():
            with self.lock:
                parts, stuck = self._due()
            for member, rows in stuck:
                try:
                    member.worker.put_back(rows)
                except GraphvineError as error:  # they come back when their time is over
                    _log.warning("%d rows that nobody began were not given back: %s", len(rows), error)
            if parts:
                self._carry_out(parts)

    def _due(self) -> tuple[list[tuple[ReadAhead, list[Outcome], int]], list[tuple[ReadAhead, list[Claim]]]]:
        """What it is time to settle, and rows to give back; waits for one of the two for a moment."""
        now = time.monotonic()
        stuck = [(member, rows) for member in self._members if (rows := member.stuck(now))]
        gathered = self._answered_at is not None and (
            now - self._answered_at >= _GATHER_SECONDS
            or all(member.waiting or member.leaving for member in self._members)
            or any(member.leaving and member.answers for member in self._members)
        )
        if not gathered:
            if not stuck and self._members:
                left = _STUCK_SECONDS if self._answered_at is None else self._answered_at + _GATHER_SECONDS - now
                self._wake.wait(left)
            return [], stuck
        self._answered_at = None
        share = self._most // len(self._members)
        # What comes after a failure is for the worker itself: it is on its way out.
        ready = [member for member in self._members if member.answers and member.failed is None]
        parts = [(member, member.answers, member.room(share)) for member in ready]
        for member, _, _ in parts:
            member.answers, member.exchanging = [], True
        return parts, stuck

    def _carry_out(self, parts: Sequence[tuple[ReadAhead, list[Outcome], int]]) -> None:
        began = time.monotonic()
        problem: Exception | None = None
        try:
            results = exchange([(member.worker, answers, room) for member, answers, room in parts])
        except Exception as error:  # each worker settles its own, one by one
            problem, results = error, [(Counts(), []) for _ in parts]
        with self.lock:
            self._adapt(time.monotonic() - began)
            for (member, answers, _), (counts, claims) in zip(parts, results, strict=True):
                member.rows += claims
                member.counts += counts
                member.waiting = member.exchanging = False
                if problem is not None:
                    member.failed = answers, problem
                member.change.notify()

    def _adapt(self, seconds: float) -> None:
        if seconds > self._long:
            self._most = max(1, self._most // 2)
        elif all(member.waiting for member in self._members):
            self._most = max(1, min(2 * self._most, self._limit))
