"""The loop of every worker: claim, handle, settle. One for all pipelines."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence

from graphvine.errors import GraphvineError, StoreFull
from graphvine.graph import Graph
from graphvine.isolation import is_suspect
from graphvine.outcomes import Outcome, Retry
from graphvine.records import Claim
from graphvine.workers.counts import Allowance, Counts
from graphvine.workers.pipeline import CannotWork, Handler
from graphvine.workers.read_ahead import QUICK_SECONDS, Group, ReadAhead
from graphvine.workers.worker_claims import WorkerClaims

_IDLE_SECONDS = 1.0
# While another worker of the process has a row that must be worked on alone.
HELD_BACK_SECONDS = 0.02
# Answers are written together for this long: a commit costs the same for one as for many.
_GATHER_SECONDS = 0.25
# Settles answers, the last of a batch or not, and counts what became of them.
Settle = Callable[[Sequence[Outcome], bool], Counts]


class Loop:
    def __init__(
        self, graph: Graph, pipeline: str, handler: Handler, *, batch: int | None = None, worker: str | None = None,
        stop: threading.Event | None = None, max_depth: int | None = None, allowance: Allowance | None = None,
        gather_seconds: float = _GATHER_SECONDS, keys: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        """With `keys` it works on these rows and no others."""
        self._graph, self._pipeline, self._handler, self._keys = graph, pipeline, handler, keys
        self._batch, self._gather = batch or graph.settings.batch_size, gather_seconds
        self.stop = stop or threading.Event()
        self._mine = WorkerClaims(graph, pipeline, worker, self.stop, max_depth, allowance)
        self.context, self.heartbeats = self._mine.context, self._mine.heartbeats
        self._next: list[Claim] = []  # claimed with the settlement of the last batch, and not begun yet
        self._ahead: ReadAhead | None = None
        self._row_seconds = 0.0  # what the handler took for one, the last time

    @property
    def spent(self) -> bool:
        """Whether it may claim no more, whatever there is."""
        return self._mine.allowance is not None and self._mine.allowance.spent

    @property
    def held_back(self) -> bool:
        """Whether the last claim was refused because a row is to be worked on alone in this process."""
        return self._mine.claims.held_back

    @property
    def holding(self) -> bool:
        """Whether it has claims that it has not begun to work on: the next turn does."""
        return bool(self._next) or self._ahead is not None

    def run(self, *, until_empty: bool = False, once: bool = False) -> Counts:
        """Work until asked to stop; or until nothing is left that this worker could claim, now or later; or once."""
        total = Counts()
        with self.heartbeats.running():
            try:
                while not self.stop.is_set():
                    counts = self.run_once() if once else self.turn()
                    total += counts
                    if once or (counts.claimed == 0 and (self.spent or not self._wait(until_empty))):
                        break
            finally:
                total += self.leave()
        return total

    def run_once(self) -> Counts:
        """One batch, from claim to settlement."""
        return self._batch_of(self._next or self._claimed(), go_on=False)

    def turn(self) -> Counts:
        """One batch, whose settlement claims the next in the same transaction; `leave` when there is no next turn.

        Batches that take the handler no time are settled together: a turn is as many of them as it gets through soon.
        """
        counts = Counts() if self._ahead is None else self._go_through(self._ahead)
        if counts.claimed or self._ahead is not None or self.stop.is_set():
            return counts
        # Nothing more was claimed ahead, perhaps for a slow handler: only a claim tells whether the queue is empty.
        counts += self._batch_of(self._next or self._claimed(), go_on=self._keys is None)
        quick = self._row_seconds <= QUICK_SECONDS and self._graph.settings.read_ahead_rows > 0
        if self._next and quick and not any(map(is_suspect, self._next)):
            self._ahead, self._next = Group.join(self._mine, self._next, self._batch), []
        return counts

    def leave(self) -> Counts:
        """Give back what was claimed and not begun; what became of the rows that were not counted yet."""
        counts = Counts() if self._ahead is None else self._end_ahead(self._ahead)
        if self._next:
            claims, self._next = self._next, []
            self._mine.put_back(claims)
        self._publish(counts)
        return counts

    def _go_through(self, ahead: ReadAhead) -> Counts:
        """Batches that were claimed ahead, for a moment or until none is left."""
        counts, until = Counts(), time.monotonic() + _GATHER_SECONDS

        def settle(outcomes: Sequence[Outcome], last: bool) -> Counts:
            ahead.answer(outcomes)
            return Counts()  # they come later

        while not self.stop.is_set():
            if not (claims := ahead.take()):
                counts += self._end_ahead(ahead)
                break
            counts += Counts(claimed=len(claims)) + self._work(claims, settle)
            if time.monotonic() >= until:
                break
        counts += ahead.settled()
        self._publish(counts)
        return counts

    def _end_ahead(self, ahead: ReadAhead) -> Counts:
        """Settle what was answered, one by one where it could not be settled together; rows not begun come next."""
        self._ahead = None
        self._next, failed, error = ahead.close()
        if error is not None and not isinstance(error, GraphvineError):
            raise error
        counts = ahead.settled()
        for outcome in failed:
            try:
                counts += self._settle([outcome])
            except GraphvineError as problem:
                counts += self._settle([Retry(outcome.claim, str(problem), trace=traceback.format_exc())])
        return counts

    def _publish(self, counts: Counts) -> None:
        if counts != Counts():
            self._graph.store.publish("batch", pipeline=self._pipeline, counts=counts)

    def _claimed(self) -> list[Claim]:
        return self._mine.take(self._batch) if self._keys is None else self._mine.take_keys(self._keys)

    def _batch_of(self, claims: list[Claim], *, go_on: bool) -> Counts:
        self._next = []
        if not claims:
            return Counts()

        def settle(outcomes: Sequence[Outcome], last: bool) -> Counts:
            return self._settle(outcomes, go_on=go_on and last)

        counts = Counts(claimed=len(claims)) + self._work(claims, settle)
        self._publish(counts)
        return counts

    def _work(self, claims: Sequence[Claim], settle: Settle) -> Counts:
        counts = Counts()
        unanswered = {claim.seq: claim for claim in claims}
        try:
            for outcomes, last in self._gathered(claims):
                answered = {outcome.claim.seq for outcome in outcomes}
                counts += settle(outcomes, last and answered >= unanswered.keys())
                for seq in answered:
                    unanswered.pop(seq, None)
        except (CannotWork, StoreFull):
            self.stop.set()  # so that the rest is given back, with nothing held against it
            raise
        except Exception as error:
            left = list(unanswered.values())
            unanswered.clear()
            if len(claims) == 1:
                reason = f"{type(error).__name__}: {error}"
                return counts + settle([Retry(claim, reason, trace=traceback.format_exc()) for claim in left], False)
            # One of them raised, and which is not known: each is worked on alone, so that only that one pays.
            for claim in left:
                counts += self._work([claim], settle)
        finally:
            # Also when the worker is interrupted: what has no answer goes back at once, not after the time-out.
            counts += self._leave(list(unanswered.values()))
        return counts

    def _gathered(self, claims: Sequence[Claim]) -> Iterator[tuple[list[Outcome], bool]]:
        """The handler's answers, in groups that are worth a commit; and whether it has ended with that group."""
        group: list[Outcome] = []
        began = time.monotonic()
        try:
            for outcome in self._handler.handle(claims, self.context):
                group.append(outcome)
                if time.monotonic() - began >= self._gather:
                    yield group, False
                    group, began = [], time.monotonic()
        except Exception:
            yield group, False  # what was answered before counts
            raise
        self._row_seconds = (time.monotonic() - began) / max(1, len(group))
        yield group, True

    def _settle(self, outcomes: Sequence[Outcome], *, go_on: bool = False) -> Counts:
        """Settle these; with `go_on` what comes next is claimed in the same transaction, unless we are to stop."""
        if not outcomes:
            return Counts()
        counts, claims = self._mine.settle(outcomes, self._batch if go_on else 0)
        self._next = claims or self._next
        return counts

    def _leave(self, claims: list[Claim]) -> Counts:
        """Claims without an answer: released when we stop, otherwise the handler forgot them."""
        if not claims:
            return Counts()
        self.heartbeats.drop(claims)
        if not self.stop.is_set() and not _interrupted():
            return self._settle([Retry(claim, "the handler gave no answer") for claim in claims])
        return self._mine.release(claims)

    def _wait(self, until_empty: bool) -> bool:
        """Wait for something to claim. False when it should not."""
        if self.held_back:
            self.stop.wait(HELD_BACK_SECONDS)
            return True
        now = self._graph.clock.now_ms()
        due = self._graph.store.ready_cache(self._pipeline).next_due(now)
        if until_empty and due is None:
            return False
        self.stop.wait(_IDLE_SECONDS if due is None else min(max(due - now, 10) / 1000, _IDLE_SECONDS))
        return True


def _interrupted() -> bool:
    import sys

    return isinstance(sys.exc_info()[1], KeyboardInterrupt | SystemExit)
