"""The claim contract, one for all entities: claim, heartbeat, settle (complete, fail), release, reclaim.

Every move is one guarded statement of the entity's query file, which returns the rows that it moved. An asked row that
did not come back is lost: nothing was written for it, and the caller gets ClaimLost once the rest is safe.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from graphvine.clock import NEVER, Clock, moment
from graphvine.errors import ClaimLost, GraphvineError
from graphvine.failures import backoff, clean_text, note_failure
from graphvine.isolation import apart, is_suspect
from graphvine.outcomes import Done, GiveUp, Outcome, Postpone, Retry, Save, one_claim_a_row
from graphvine.queries import Block
from graphvine.ready_cache import RemoteReadyCache, spans
from graphvine.records import Claim, Row, Step, Unit, UnitResult, new_token
from graphvine.store import Store
from graphvine.units import join

Keep = Callable[[list[Claim]], Step]

_FRUITLESS_TRIES = 20


class Claims:
    """The claims of one worker in one pipeline."""

    def __init__(self, store: Store, pipeline: str, worker: str, clock: Clock | None = None) -> None:
        """`clock`: the worker's own, where it differs from the store's."""
        self._store, self.pipeline, self.worker = store, pipeline, worker
        self._clock = clock or store.clock
        self._machine = store.machine(pipeline)
        self._settings = store.settings
        # Whether the last claim was refused because a suspect is worked on, or is to be, with nothing beside it.
        self.held_back = False

    def claim(
        self, limit: int, states: Collection[str] | None = None, max_depth: int | None = None,
        keep: Keep | None = None,
    ) -> list[Claim]:  # fmt: skip
        """Take up to `limit` rows, nearest first, for this worker alone; none while the pipeline is paused.

        `keep` makes the step that records, with the claim itself, what was taken so far.
        """
        window = self._store.ready_cache(self.pipeline)
        if limit > 0 and isinstance(window, RemoteReadyCache):
            return window.claim(self.worker, limit, states, max_depth)
        claims: list[Claim] = []
        self.held_back = False
        if limit <= 0 or self._store.paused(self.pipeline) is not None:
            return claims
        fruitless = 0
        while len(claims) < limit and fruitless < _FRUITLESS_TRIES:
            rows = window.take(limit - len(claims), self._now, states, max_depth)
            if not rows:
                break
            if (claims and is_suspect(rows[0])) or not (claims or self._admitted(rows)):
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

    def _run(
        self, outcomes: Sequence[Outcome], rows: Sequence[Row] = (), role: str = "claim", columns: Sequence[str] = (),
        given: Mapping[str, Any] | None = None, keep: Keep | None = None,
    ) -> tuple[list[Claim], list[Claim]]:  # fmt: skip
        """One transaction: settle these, then claim those. Returns the new claims, and those that were lost."""
        settling = list(self._settling(outcomes))
        # A word that is no state of the machine, set by hand: left where it is, the doctor tells of it.
        known = [row for row in rows if self._machine.by_role(role, row["state"]) is not None]
        token = new_token()
        unit = Unit.of([*settling, *self._claiming(known, token, role, columns, given or {})])
        if not unit.steps:
            return [], []

        def made(result: UnitResult) -> list[Claim]:
            taken = {row["seq"] for answer in result.rows[len(settling) :] for row in answer}
            return self._made([row for row in known if row["seq"] in taken], token, role)

        result = self._store.run(unit, None if keep is None else lambda done: keep(made(done)))
        claims = made(result)
        self._store.isolation.drop(self.worker, [outcome.claim for outcome in outcomes])
        if keep is None:  # otherwise they are for a worker elsewhere, and end there
            self._store.isolation.hold(self.worker, claims, self._until)
        return claims, [outcome.claim for outcome in outcomes if outcome.claim.seq not in result.held]

    def _settling(self, outcomes: Sequence[Outcome]) -> Iterator[Step]:
        """What is saved under the claims, then the moves that end them, then the rest for the claims that held."""
        endings: dict[str, list[Claim]] = {}
        postponed: dict[float, list[Claim]] = {}
        for outcome in outcomes:
            if isinstance(outcome, Done):
                endings.setdefault(outcome.ending, []).append(outcome.claim)
            elif isinstance(outcome, Postpone):
                postponed.setdefault(outcome.after_seconds, []).append(outcome.claim)
        saves = (step for one in outcomes if not isinstance(one, Postpone) for step in one.saves)
        yield from join(saves, self._store.library)
        for ending, ended in endings.items():
            yield from self._grouped(ending, ended, {"at": self._at})
        for seconds, later in sorted(postponed.items()):
            yield from self._grouped("release", later, {"due": self._now + int(seconds * 1000)})
        results = (step for one in outcomes if isinstance(one, Done | Save) for step in one.steps)
        yield from join(results, self._store.library)
        for one in outcomes:
            if isinstance(one, Retry | GiveUp):
                yield from self._failure(one)

    def save(self, name: str, claim: Claim, values: Row, **given: Any) -> Step:
        """A block of this entity that saves these values of a claimed row, guarded by seq and token."""
        rows = [{"seq": claim.seq, "token": claim.token, **values}]
        span = {"rows": rows, "tokens": [claim.token], "lo": claim.seq, "hi": claim.seq}
        return Step(f"{self.pipeline}.{name}", {**span, **given})

    def step(self, name: str, claims: Sequence[Claim], **parameters: Any) -> list[Step]:
        """A block of this entity that guards by seqs and token, for these claims."""
        block = self._store.library.block(f"{self.pipeline}.{name}")
        return [Step(block.full_name, {**span, **parameters}) for span in self._by_token(claims)]

    def _claiming(
        self, rows: Sequence[Row], token: int, role: str, columns: Sequence[str], more: Mapping[str, Any]
    ) -> Iterator[Step]:
        given = {"worker": self.worker, "token": token, "now": self._now, "at": self._at, "never": NEVER, **more}
        for state in dict.fromkeys(row["state"] for row in rows):
            group = [row for row in rows if row["state"] == state]
            block, single = self._block(role, state), self._machine.by_role(f"{role}_one", state)
            seqs = [row["seq"] for row in group]
            if single is not None and self._few(len(group)):
                yield from (Step(single.full_name, {"key": r["key"], "seq": r["seq"], **given}) for r in group)
            elif "rows" in block.parameters:
                chosen = [{"seq": row["seq"], **{name: row[name] for name in columns}} for row in group]
                yield Step(block.full_name, {"rows": chosen, "lo": min(seqs), "hi": max(seqs), **given})
            else:
                yield from (Step(block.full_name, {**span, **given}) for span in spans(seqs))

    def _made(self, rows: Sequence[Row], token: int, role: str) -> list[Claim]:
        after = {
            state: next(move.target for move in self._block(role, state).moves if state in move.sources)
            for state in {row["state"] for row in rows}
        }
        return [
            Claim(
                self.pipeline, row["key"], row["seq"], token, after[row["state"]], row.get("depth", 0),
                row.get("retry_count", 0), row.get("lost_claims", 0), row.get("failure_count", 0),
            )
            for row in rows
        ]  # fmt: skip

    def _grouped(self, role: str, claims: list[Claim], given: dict[str, Any]) -> Iterator[Step]:
        """One step for each block and token; the block is the one that plays the role in the claim's state."""
        for state, group in groupby(sorted(claims, key=lambda claim: claim.state), key=lambda claim: claim.state):
            block, single = self._block(role, state), self._machine.by_role(f"{role}_one", state)
            of_state = list(group)
            if single is not None and self._few(len(of_state)):
                for claim in of_state:
                    yield Step(single.full_name, {"key": claim.key, "seq": claim.seq, "token": claim.token, **given})
                continue
            for span in self._by_token(of_state):
                yield Step(block.full_name, {**span, **given})

    def _by_token(self, claims: Sequence[Claim]) -> Iterator[dict[str, Any]]:
        for token, group in groupby(sorted(claims, key=lambda claim: claim.token), key=lambda claim: claim.token):
            for span in spans([claim.seq for claim in group]):
                yield {**span, "token": token}

    def _failure(self, outcome: Retry | GiveUp) -> Iterator[Step]:
        claim, message, at = outcome.claim, clean_text(outcome.reason), self._at
        attempt = claim.retry_count + 1
        given = {"key": claim.key, "seq": claim.seq, "token": claim.token, "error": message}
        if isinstance(outcome, Retry) and (outcome.attempt is not None or attempt < self._settings.max_retries):
            wait = max(outcome.after_seconds or 0, backoff(self._settings, outcome.attempt or attempt))
            due = self._now + int(1000 * wait)
            yield Step(self._block("retry", claim.state).full_name, {**given, "due": due})
        else:
            yield Step(self._block("fail", claim.state).full_name, {**given, "at": at})
        kind = "transient" if isinstance(outcome, Retry) else "permanent"
        yield note_failure(
            self.pipeline, claim.seq, claim.key, claim.failure_count, at=at, attempt=attempt, kind=kind,
            message=message, trace=outcome.trace,
        )  # fmt: skip
        yield from outcome.steps

    def _few(self, rows: int) -> bool:
        """Whether so few rows are cheaper found one by one, by key, than together by their numbers.

        Measured on Kuzu: a row by its key costs 0.6 ms at any size; a statement over numbers costs 0.4 ms in a small
        table and 3 ms at a million rows. Where numbers have an index, they always win.
        """
        if not self._store.engine.capabilities.single_owner:
            return False
        return rows <= (4 if self._store.table_size(self.pipeline) > 200_000 else 1)

    def _block(self, role: str, state: str) -> Block:
        if (block := self._machine.by_role(role, state)) is None:
            raise GraphvineError(f"{self.pipeline}: no block plays the role {role!r} for a row that is {state!r}")
        return block

    def _admitted(self, rows: Sequence[Row]) -> bool:
        """Whether these rows may be claimed beside what the process has in hand; a suspect is the only one of them."""
        admitted = self._store.isolation.admits(self.pipeline, self.worker, is_suspect(rows[0]), self._now)
        self.held_back = not admitted
        return admitted

    def _published(self, lost: list[Claim]) -> list[Claim]:
        self._store.isolation.drop(self.worker, lost)
        if lost:
            self._store.publish("claims_lost", pipeline=self.pipeline, count=len(lost))
        return lost

    @property
    def _now(self) -> int:
        return self._clock.now_ms()

    @property
    def _until(self) -> int:
        return self._now + int(1000 * self._settings.timeout_seconds)

    @property
    def _at(self) -> Any:
        return moment(self._now)


def _kept(keep: Keep, before: list[Claim], now: list[Claim]) -> Step:
    return keep([*before, *now])
