"""The loop of every worker: claim, handle, settle. One for all pipelines."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.outcomes import Done, GiveUp, Outcome, Postpone, Retry
from graphvine.records import Claim
from graphvine.workers.heartbeat import Heartbeats
from graphvine.workers.pipeline import CannotWork, Context, Handler

_IDLE_SECONDS = 1.0
# While another worker of the process has a row that must be worked on alone.
HELD_BACK_SECONDS = 0.02
# Answers are written together for this long: a commit costs the same for one as for many.
_GATHER_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the rows that a worker claimed."""

    claimed: int = 0
    done: int = 0
    retried: int = 0
    failed: int = 0
    lost: int = 0
    released: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))


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


class Loop:
    def __init__(
        self, graph: Graph, pipeline: str, handler: Handler, *, batch: int | None = None, worker: str | None = None,
        stop: threading.Event | None = None, max_depth: int | None = None, allowance: Allowance | None = None,
        gather_seconds: float = _GATHER_SECONDS, keys: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        """With `keys` it works on these rows and no others."""
        self._keys = keys
        self._graph, self._pipeline, self._handler = graph, pipeline, handler
        self._batch = batch or graph.settings.batch_size
        self._claims = graph.claims(pipeline, worker)
        self._max_depth, self._allowance, self._gather = max_depth, allowance, gather_seconds
        self.stop = stop or threading.Event()
        self.context = Context(self.stop)
        self.heartbeats = Heartbeats(self._claims, self.context, graph.settings.heartbeat_seconds)

    @property
    def spent(self) -> bool:
        """Whether it may claim no more, whatever there is."""
        return self._allowance is not None and self._allowance.spent

    @property
    def held_back(self) -> bool:
        """Whether the last claim was refused because a row is to be worked on alone in this process."""
        return self._claims.held_back

    def run(self, *, until_empty: bool = False, once: bool = False) -> Counts:
        """Work until told to stop; or until nothing is left that this worker could claim, now or later; or once."""
        total = Counts()
        with self.heartbeats.running():
            while not self.stop.is_set():
                counts = self.run_once()
                total += counts
                if once or (counts.claimed == 0 and (self.spent or not self._wait(until_empty))):
                    break
        return total

    def run_once(self) -> Counts:
        """One batch, from claim to settlement."""
        batch = self._batch if self._allowance is None else self._allowance.take(self._batch)
        if self._keys is None:
            claims = self._claims.claim(batch, max_depth=self._max_depth)
        else:
            claims = self._claims.claim_keys(self._keys)
        if self._allowance is not None:
            self._allowance.give_back(batch - len(claims))
        if not claims:
            return Counts()
        self.heartbeats.hold(claims)
        counts = Counts(claimed=len(claims)) + self._work(claims)
        self._graph.store.publish("batch", pipeline=self._pipeline, counts=counts)
        return counts

    def _work(self, claims: Sequence[Claim]) -> Counts:
        counts = Counts()
        unanswered = {claim.seq: claim for claim in claims}
        try:
            for outcomes in self._gathered(claims):
                counts += self._settle(outcomes)
                for outcome in outcomes:
                    unanswered.pop(outcome.claim.seq, None)
        except CannotWork:
            self.stop.set()  # so that the rest is given back, with nothing held against it
            raise
        except Exception as error:
            left = list(unanswered.values())
            unanswered.clear()
            if len(claims) == 1:
                reason = f"{type(error).__name__}: {error}"
                return counts + self._settle([Retry(claim, reason, trace=traceback.format_exc()) for claim in left])
            # One of them raised, and which is not known: each is worked on alone, so that only that one pays.
            for claim in left:
                counts += self._work([claim])
        finally:
            # Also when the worker is interrupted: what has no answer goes back at once, not after the time-out.
            counts += self._leave(list(unanswered.values()))
        return counts

    def _gathered(self, claims: Sequence[Claim]) -> Iterator[list[Outcome]]:
        """The handler's answers, in groups that are worth a commit."""
        group: list[Outcome] = []
        began = time.monotonic()
        try:
            for outcome in self._handler.handle(claims, self.context):
                group.append(outcome)
                if time.monotonic() - began >= self._gather:
                    yield group
                    group, began = [], time.monotonic()
        except Exception:
            yield group  # what was answered before counts
            raise
        yield group

    def _settle(self, outcomes: Sequence[Outcome]) -> Counts:
        if not outcomes:
            return Counts()
        ours = [outcome for outcome in outcomes if not self.context.lost(outcome.claim)]
        lost = {outcome.claim.seq for outcome in outcomes} - {outcome.claim.seq for outcome in ours}
        try:
            self._claims.settle(ours)
        except ClaimLost as error:
            lost |= {claim.seq for claim in error.claims}
        self.heartbeats.drop(outcome.claim for outcome in outcomes)
        kept = [outcome for outcome in ours if outcome.claim.seq not in lost]
        last = self._graph.settings.max_retries
        gone = [o for o in kept if isinstance(o, GiveUp) or (isinstance(o, Retry) and o.claim.retry_count + 1 >= last)]
        done = sum(isinstance(outcome, Done) for outcome in kept)
        back = sum(isinstance(outcome, Postpone) for outcome in kept)
        retried = len(kept) - done - back - len(gone)
        return Counts(done=done, failed=len(gone), retried=retried, lost=len(lost), released=back)

    def _leave(self, claims: list[Claim]) -> Counts:
        """Claims without an answer: released when we stop, otherwise the handler forgot them."""
        if not claims:
            return Counts()
        self.heartbeats.drop(claims)
        if not self.stop.is_set() and not _interrupted():
            return self._settle([Retry(claim, "the handler gave no answer") for claim in claims])
        lost = 0
        try:
            self._claims.release(claims)
        except ClaimLost as error:
            lost = len(error.claims)
        return Counts(released=len(claims) - lost, lost=lost)

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
