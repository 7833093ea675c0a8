"""The claim contract, one for all entities: claim, heartbeat, settle (complete, fail), release, reclaim.

Every move is one guarded statement of the entity's query file, which returns the rows that it moved. An asked row that
did not come back is lost: nothing was written for it, and the caller gets ClaimLost once the rest is safe.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from graphvine.claim_steps import ClaimSteps
from graphvine.clock import Clock, moment
from graphvine.errors import ClaimLost, GraphvineError
from graphvine.isolation import apart, is_suspect
from graphvine.outcomes import Done, GiveUp, Outcome, Postpone, Retry, one_claim_a_row
from graphvine.ready_cache import RemoteReadyCache, spans
from graphvine.records import Claim, Row, Step, Unit, UnitResult, new_token
from graphvine.store import Store

Keep = Callable[[list[Claim]], Step]
# The same of what was claimed, and of the numbers of the rows whose claims held.
KeepBoth = Callable[[list[Claim], Collection[int]], Step]

_FRUITLESS_TRIES = 20


class Claims:
    """The claims of one worker in one pipeline."""

    def __init__(self, store: Store, pipeline: str, worker: str, clock: Clock | None = None) -> None:
        """`clock`: the worker's own, where it differs from the store's."""
        self._store, self.pipeline, self.worker = store, pipeline, worker
        self._clock = clock or store.clock
        self._machine = store.machine(pipeline)
        self._steps = ClaimSteps(store, pipeline, worker, self._clock)
        self._lease_ms = int(1000 * store.settings.timeout_seconds)
        # Whether the last claim was refused because a suspect is worked on, or is to be, with nothing beside it.
        self.held_back = False

    def claim(
        self, limit: int, states: Collection[str] | None = None, max_depth: int | None = None,
        keep: Keep | None = None, suspects: bool = True,
    ) -> list[Claim]:  # fmt: skip
        """Take up to `limit` rows, nearest first, for this worker alone; none while the pipeline is paused.

        `keep` makes the step that records, with the claim itself, what was taken so far. Without `suspects`, a row that
        must be worked on alone is not taken, and nothing behind it.
        """
        window = self._store.ready_cache(self.pipeline)
        if limit > 0 and isinstance(window, RemoteReadyCache):
            return self._claim_there(window, limit, states, max_depth)
        claims: list[Claim] = []
        self.held_back = False
        if limit <= 0 or self._store.paused(self.pipeline) is not None:
            return claims
        fruitless = 0
        while len(claims) < limit and fruitless < _FRUITLESS_TRIES:
            rows = window.take(limit - len(claims), self._now, states, max_depth)
            if not rows:
                break
            if (claims and is_suspect(rows[0])) or not (claims or self._admitted(rows, suspects)):
                window.add(rows, self._now)  # not beside others
                break
            try:
                taken, _ = self._run((), rows, keep=keep and partial(_kept, keep, claims))
            except GraphvineError:
                window.invalidate()
                raise
            window.report(rows, {claim.seq for claim in taken})
            # Others were quicker, or the rows are in no state that can be claimed: not for ever.
            fruitless = 0 if taken else fruitless + 1
            claims += taken
            if is_suspect(rows[0]):
                break  # a suspect is worked on alone
        return claims

    def _claim_there(
        self, window: RemoteReadyCache, limit: int, states: Collection[str] | None, max_depth: int | None
    ) -> list[Claim]:
        """Rows that the daemon chooses. What this process has in hand is known here alone."""
        isolation = self._store.isolation
        if not self._admitted([{}]):
            return []
        alone = isolation.is_idle(self.pipeline, self.worker, self._now)
        claims, self.held_back = window.claim(self.worker, limit, states, max_depth, suspects=alone)
        if self.held_back:
            isolation.admits(self.pipeline, self.worker, True, self._now)  # it waits for its turn
        isolation.hold(self.worker, claims, self._until)
        return claims

    def claim_keys(self, keys: Sequence[str]) -> list[Claim]:
        """Claim the rows with these keys, where they are free and due."""
        rows = self._store.read(f"{self.pipeline}.named", keys=list(keys)) if keys else []
        if rows and "retry_count" not in rows[0]:
            raise GraphvineError(f"{self.pipeline}.named must return the row's counts for rows to be claimed by key")
        return self.claim_rows(rows)

    def claim_rows(self, rows: Sequence[Row]) -> list[Claim]:
        """Claim these rows, where they are free and due, in this order: for a pipeline that keeps its own queue."""
        return self.exchange((), rows)[0]

    def exchange(
        self, outcomes: Sequence[Outcome], rows: Sequence[Row], role: str = "claim", columns: Sequence[str] = (),
        **given: Any,
    ) -> tuple[list[Claim], list[Claim]]:  # fmt: skip
        """Settle claims and claim these rows, in one transaction. Returns the new claims, and those that were lost.

        `role` names the block that claims, where it is not the entity's usual one, and `given` its own parameters. A
        block that takes `rows` gets each row's seq and these `columns`. A suspect among the rows is claimed alone.
        """
        rows = apart(rows)
        if rows and (self._store.paused(self.pipeline) is not None or not self._admitted(rows)):
            rows = []
        *before, last = one_claim_a_row(outcomes)
        lost = [claim for part in before for claim in self._run(part)[1]]
        claims, more = self._run(last, rows, role, columns, given)
        return claims, self._published(lost + more)

    def heartbeat(self, claims: Iterable[Claim]) -> None:
        """Say that the work on all these goes on; raises ClaimLost with those that are no longer ours."""
        held = {claim.seq: claim for claim in claims}
        if not held:
            return
        given = {"tokens": sorted({claim.token for claim in held.values()}), "at": self._at}
        steps = [Step(f"{self.pipeline}.heartbeat", {**span, **given}) for span in spans(list(held))]
        alive = {(row["seq"], row["token"]) for rows in self._store.run(Unit.of(steps)).rows for row in rows}
        self._store.isolation.hold(self.worker, held.values(), self._until)
        if lost := self._published([claim for claim in held.values() if (claim.seq, claim.token) not in alive]):
            self._store.isolation.drop(self.worker, lost)
            raise ClaimLost(lost)

    def complete(self, claims: Claim | Sequence[Claim], steps: Sequence[Step] = ()) -> None:
        """The work is done: its results and the new state, in one transaction."""
        several = [claims] if isinstance(claims, Claim) else list(claims)
        if several:
            self.settle([Done(several[0], steps), *(Done(claim) for claim in several[1:])])

    def fail(
        self, claim: Claim, error: str, *, permanent: bool = False, retry_after_seconds: float | None = None,
        trace: str | None = None,
    ) -> None:  # fmt: skip
        """The work failed: it is tried again later, or fails for good when that can't help or was tried enough."""
        self.settle([GiveUp(claim, error, trace) if permanent else Retry(claim, error, retry_after_seconds, trace)])

    def release(self, claims: Iterable[Claim]) -> None:
        """Give the rows back untouched."""
        self.settle([Postpone(claim, "released") for claim in claims])

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Finish many claims, each in its own way, in one transaction."""
        if lost := self.exchange(outcomes, ())[1]:
            raise ClaimLost(lost)

    def settle_and_claim(
        self, outcomes: Sequence[Outcome], limit: int, max_depth: int | None = None
    ) -> tuple[list[Claim], list[Claim]]:
        """Settle claims and take up to `limit` rows that come next, in one transaction: the new claims, and the lost.

        It takes none where that is for another moment: while the pipeline is paused, where a row has to wait for its
        turn alone, and where the outcomes discover rows, which may come before the next.
        """
        window = self._store.ready_cache(self.pipeline)
        if limit <= 0 or self._steps.discovering(outcomes):
            return self.exchange(outcomes, ())
        if isinstance(window, RemoteReadyCache) and not self._admitted([{}]):
            return self.exchange(outcomes, ())
        *before, last = one_claim_a_row(outcomes)
        lost = [claim for part in before for claim in self._run(part)[1]]
        settled, steps = [outcome.claim for outcome in last], list(self._steps.settling(last))
        if isinstance(window, RemoteReadyCache):
            claims, held = window.exchange(self.worker, steps, limit, max_depth)
            self._store.isolation.drop(self.worker, settled)
            self._store.isolation.hold(self.worker, claims, self._until)
        else:
            claims, held = self.exchange_steps(steps, limit, max_depth, settled=settled)
        return claims, self._published(lost + [claim for claim in settled if claim.seq not in held])

    def exchange_steps(
        self, settling: Sequence[Step], limit: int, max_depth: int | None = None, keep: KeepBoth | None = None,
        settled: Sequence[Claim] = (), suspects: bool = True,
    ) -> tuple[list[Claim], Collection[int]]:  # fmt: skip
        """Run steps that settle claims and take what comes next, in one transaction: the new claims, and what held."""
        window, rows = self._store.ready_cache(self.pipeline), list[Row]()
        assert not isinstance(window, RemoteReadyCache), "rows are chosen where the store is"
        if self._store.paused(self.pipeline) is None:
            rows = window.take(limit, self._now, None, max_depth)
        if rows and not self._admitted(rows, suspects):
            window.add(rows, self._now)
            rows = []
        try:
            claims, held = self._run_steps(settling, settled, rows, keep=keep)
        except GraphvineError:
            window.invalidate()
            raise
        window.report(rows, {claim.seq for claim in claims})
        return claims, held

    def _run(
        self, outcomes: Sequence[Outcome], rows: Sequence[Row] = (), role: str = "claim", columns: Sequence[str] = (),
        given: Mapping[str, Any] | None = None, keep: Keep | None = None,
    ) -> tuple[list[Claim], list[Claim]]:  # fmt: skip
        """One transaction: settle these, then claim those. Returns the new claims, and those that were lost."""
        settled = [outcome.claim for outcome in outcomes]
        steps = list(self._steps.settling(outcomes))
        both = None if keep is None else lambda claims, held: keep(claims)
        claims, held = self._run_steps(steps, settled, rows, role, columns, given, both)
        return claims, [claim for claim in settled if claim.seq not in held]

    def _run_steps(
        self, settling: Sequence[Step], settled: Sequence[Claim], rows: Sequence[Row], role: str = "claim",
        columns: Sequence[str] = (), given: Mapping[str, Any] | None = None, keep: KeepBoth | None = None,
    ) -> tuple[list[Claim], Collection[int]]:  # fmt: skip
        """The new claims, and the numbers of the rows whose claims held."""
        # A word that is no state of the machine, set by hand: left where it is, the doctor tells of it.
        known = [row for row in rows if self._machine.by_role(role, row["state"]) is not None]
        token = new_token()
        claiming = self._steps.claiming(known, token, role, columns, given or {})
        unit = Unit.of([*settling, *claiming, *self._steps.unmarking(known)])
        if not unit.steps:
            return [], ()

        def made(result: UnitResult) -> list[Claim]:
            # Rows of several workers that were claimed together have one token.
            answers = result.rows[len(settling) :]
            tokens = {row["seq"]: row.get("token", token) for answer in answers for row in answer}
            return self._steps.made([row for row in known if row["seq"] in tokens], tokens, role)

        save = None if keep is None else lambda done: keep(made(done), done.held)
        result = self._store.run(unit, save, now=self._now)
        claims = made(result)
        self._store.isolation.drop(self.worker, settled)
        if keep is None:  # otherwise they are for a worker elsewhere, and end there
            self._store.isolation.hold(self.worker, claims, self._until)
        return claims, result.held

    def save(self, name: str, claim: Claim, values: Row, **given: Any) -> Step:
        """A block of this entity that saves these values of a claimed row, guarded by seq and token."""
        rows = [{"seq": claim.seq, "token": claim.token, **values}]
        span = {"rows": rows, "tokens": [claim.token], "lo": claim.seq, "hi": claim.seq}
        return Step(f"{self.pipeline}.{name}", {**span, **given})

    def step(self, name: str, claims: Sequence[Claim], **parameters: Any) -> list[Step]:
        """A block of this entity that guards by seqs and token, for these claims."""
        block = self._store.library.block(f"{self.pipeline}.{name}")
        return [Step(block.full_name, {**span, **parameters}) for span in self._steps.by_token(claims)]

    def _admitted(self, rows: Sequence[Row], suspects: bool = True) -> bool:
        """Whether these rows may be claimed beside what the process has in hand; a suspect is the only one of them."""
        suspect = is_suspect(rows[0])
        allowed = suspects or not suspect
        admitted = allowed and self._store.isolation.admits(self.pipeline, self.worker, suspect, self._now)
        self.held_back = not admitted
        return admitted

    def _published(self, lost: list[Claim]) -> list[Claim]:
        if lost:
            self._store.publish("claims_lost", pipeline=self.pipeline, count=len(lost))
        return lost

    @property
    def _now(self) -> int:
        return self._clock.now_ms()

    @property
    def _until(self) -> int:
        return self._now + self._lease_ms

    @property
    def _at(self) -> Any:
        return moment(self._now)


def _kept(keep: Keep, before: list[Claim], now: list[Claim]) -> Step:
    return keep([*before, *now])
