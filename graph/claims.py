"""The claim contract, one for all entities: claim, heartbeat, settle (complete, fail), release, reclaim.

Every move is one guarded statement of the entity's query file, which returns the rows that it moved. An asked row that
did not come back is lost: nothing was written for it, and the caller gets ClaimLost once the rest is safe.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from graphvine.clock import NEVER, Clock, moment
from graphvine.door import Door
from graphvine.errors import ClaimLost, GraphvineError
from graphvine.outcomes import Done, GiveUp, Outcome, Postpone, Retry
from graphvine.queries import Block
from graphvine.records import Claim, Row, Step, Unit, UnitResult
from graphvine.units import join
from graphvine.window import is_suspect, spans

Keep = Callable[[list[Claim]], Step]

FAILURES_KEPT = 10
_FRUITLESS_TRIES = 20
_MESSAGE_CHARACTERS, _TRACE_CHARACTERS = 2_000, 8_000


class Claims:
    """The claims of one worker in one pipeline."""

    def __init__(self, door: Door, pipeline: str, worker: str, clock: Clock | None = None) -> None:
        """`clock` where the worker's own is not the door's."""
        self._door, self.pipeline, self.worker = door, pipeline, worker
        self._clock = clock or door.clock
        self._machine = door.machine(pipeline)
        self._settings = door.settings
        self._jitter = random.Random()

    def claim(
        self, limit: int, states: Collection[str] | None = None, max_depth: int | None = None,
        keep: Keep | None = None,
    ) -> list[Claim]:  # fmt: skip
        """Take up to `limit` rows, nearest first, for this worker alone; none while the pipeline is paused.

        `keep` makes the step that records, with the claim itself, what was taken so far.
        """
        claims: list[Claim] = []
        if limit > 0 and self._door.served is not None:
            return self._door.served.claim(self.pipeline, self.worker, limit, states, max_depth)
        if limit <= 0 or self._door.paused(self.pipeline):
            return claims
        window = self._door.window(self.pipeline)
        fruitless = 0
        while len(claims) < limit and fruitless < _FRUITLESS_TRIES:
            rows = window.take(limit - len(claims), self._now, states, max_depth)
            if not rows:
                break
            if claims and is_suspect(rows[0]):
                window.offer(rows, self._now)  # not beside others
                break
            token = secrets.randbits(62) | 1 << 61
            taken = self._take(rows, token, keep and partial(_kept, keep, claims))
            # Others were quicker, or the rows are in no state that can be claimed: not for ever.
            fruitless = 0 if taken else fruitless + 1
            claims += taken
            if is_suspect(rows[0]):
                break  # a suspect is worked on alone
        return claims

    def take(self, keys: Sequence[str]) -> list[Claim]:
        """Take these rows, where they are free and due: for a worker that was told which."""
        if not keys or self._door.paused(self.pipeline):
            return []
        rows = self._door.read(f"{self.pipeline}.named", keys=list(keys))
        if not rows:
            return []
        if "retry_count" not in rows[0]:
            raise GraphvineError(f"{self.pipeline}.named must return the row's counts for rows to be taken by name")
        return self._take([{"depth": 0, **row} for row in rows], secrets.randbits(62) | 1 << 61)

    def heartbeat(self, claims: Iterable[Claim]) -> None:
        """Say that the work on all these goes on; raises ClaimLost with those that are no longer ours."""
        held = {claim.seq: claim for claim in claims}
        if not held:
            return
        tokens = sorted({claim.token for claim in held.values()})
        name = f"{self.pipeline}.heartbeat"
        steps = [Step(name, {**span, "tokens": tokens, "at": self._at}) for span in spans(list(held))]
        answers = self._door.run(Unit.of(steps)).rows
        alive = {(row["seq"], row["token"]) for rows in answers for row in rows}
        self._lost([claim for claim in held.values() if (claim.seq, claim.token) not in alive])

    def complete(self, claims: Claim | Sequence[Claim], steps: Sequence[Step] = ()) -> None:
        """The work is done: its results and the new state, in one transaction."""
        several = [claims] if isinstance(claims, Claim) else list(claims)
        if len({claim.seq for claim in several}) < len(several):
            self.settle([Done(several[0], steps), *(Done(claim) for claim in several[1:])])
        elif several:
            self._lost(self._write(several, {"complete": several}, join(steps)))

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
        lost: list[Claim] = []
        for part in _one_claim_a_row(outcomes):
            lost += self._settle(part)
        self._lost(lost)

    def _settle(self, outcomes: Sequence[Outcome]) -> list[Claim]:
        done = [outcome for outcome in outcomes if isinstance(outcome, Done)]
        endings: dict[str, list[Claim]] = {}
        for one in done:
            endings.setdefault(one.ending, []).append(one.claim)
        results = join(step for outcome in done for step in outcome.steps)
        failures = [step for o in outcomes if isinstance(o, Retry | GiveUp) for step in self._failure(o)]
        postponed: dict[float, list[Claim]] = {}
        for outcome in outcomes:
            if isinstance(outcome, Postpone):
                postponed.setdefault(outcome.after_seconds, []).append(outcome.claim)
        return self._write([outcome.claim for outcome in outcomes], endings, [*results, *failures], postponed)

    def _write(
        self, claims: Sequence[Claim], endings: dict[str, list[Claim]], steps: Sequence[Step],
        postponed: dict[float, list[Claim]] | None = None,
    ) -> list[Claim]:  # fmt: skip
        """One transaction: the guards of all these claims, then the rest. Returns those that were lost."""
        guards: list[Step] = []
        for ending, ended in endings.items():
            guards += self._grouped(ending, ended, {"at": self._at})
        for seconds, later in sorted((postponed or {}).items()):
            guards += self._grouped("release", later, {"due": self._now + int(seconds * 1000)})
        if not guards and not steps:
            return []
        held = self._door.run(Unit.of([*guards, *steps])).held
        return [claim for claim in claims if claim.seq not in held]

    def step(self, name: str, claims: Sequence[Claim], **parameters: Any) -> list[Step]:
        """A block of this entity that guards by seqs and token, for these claims."""
        block = self._door.library.block(f"{self.pipeline}.{name}")
        return [Step(block.full_name, {**span, **parameters}) for span in self._by_token(claims)]

    def _take(self, rows: list[Row], token: int, keep: Keep | None = None) -> list[Claim]:
        # A word that is no state of the machine, set by hand: left where it is, the doctor tells of it.
        by_state: dict[str, list[Row]] = {}
        for row in rows:
            by_state.setdefault(row["state"], []).append(row)
        for state in [state for state in by_state if self._machine.by_role("claim", state) is None]:
            del by_state[state]
            rows = [row for row in rows if row["state"] != state]
        steps = []
        given = {"worker": self.worker, "token": token, "now": self._now, "at": self._at, "never": NEVER}
        for state, group in by_state.items():
            single = self._machine.by_role("claim_one", state)
            if single is not None and self._few(len(group)):
                steps += [Step(single.full_name, {"key": r["key"], "seq": r["seq"], **given}) for r in group]
                continue
            block = self._block("claim", state)
            steps += [Step(block.full_name, {**span, **given}) for span in spans([row["seq"] for row in group])]
        after = {
            state: next(move.target for move in self._block("claim", state).moves if state in move.sources)
            for state in by_state
        }

        def made(result: UnitResult) -> list[Claim]:
            return self._made(rows, {row["seq"] for answer in result.rows for row in answer}, token, after)

        try:
            result = self._door.run(Unit.of(steps), None if keep is None else lambda done: keep(made(done)))
        except GraphvineError:
            self._door.window(self.pipeline).drop()
            raise
        claims = made(result)
        self._door.window(self.pipeline).tried(rows, {claim.seq for claim in claims})
        return claims

    def _made(self, rows: list[Row], taken: set[int], token: int, after: dict[str, str]) -> list[Claim]:
        return [
            Claim(
                self.pipeline, row["key"], row["seq"], token, after[row["state"]], row["depth"],
                row.get("retry_count", 0), row.get("lost_claims", 0), row.get("failure_count", 0),
            )
            for row in rows if row["seq"] in taken
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
        claim, message = outcome.claim, _clean(outcome.reason, _MESSAGE_CHARACTERS)
        attempt = claim.retry_count + 1
        again = isinstance(outcome, Retry) and attempt < self._settings.max_retries
        given = {"key": claim.key, "seq": claim.seq, "token": claim.token, "error": message}
        if again:
            wait = outcome.after_seconds if isinstance(outcome, Retry) else None
            due = self._now + int(1000 * max(wait or 0, self._backoff(attempt)))
            yield Step(self._block("retry", claim.state).full_name, {**given, "due": due})
        else:
            yield Step(self._block("fail", claim.state).full_name, {**given, "at": self._at})
        kind = "transient" if isinstance(outcome, Retry) else "permanent"
        yield self._note(claim.seq, claim.key, claim.failure_count, attempt, kind, message, outcome.trace)
        if isinstance(outcome, GiveUp):
            yield from outcome.steps

    def _note(self, seq: int, key: str, count: int, attempt: int, kind: str, message: str, trace: str | None) -> Step:
        noted = {
            "seq": seq, "key": key, "id": f"{self.pipeline}/{key}/{count % FAILURES_KEPT}", "at": self._at,
            "attempt": attempt, "kind": kind, "message": message,
            "trace": _clean(trace, _TRACE_CHARACTERS) if trace else None,
        }  # fmt: skip
        return Step(f"{self.pipeline}.note_failure", noted)

    def _backoff(self, attempt: int) -> float:
        """Seconds to wait, doubling with each attempt; the jitter keeps rows that failed together apart."""
        longest = min(self._settings.backoff_max_seconds, self._settings.backoff_seconds * 2.0 ** (attempt - 1))
        return longest * self._jitter.uniform(0.5, 1.0)

    def _few(self, rows: int) -> bool:
        """Whether so few rows are cheaper found one by one, by key, than together by their numbers.

        Measured on Kuzu: a row by its key costs 0.6 ms at any size; a statement over numbers costs 0.4 ms in a small
        table and 3 ms at a million rows. Where numbers have an index, they always win.
        """
        if not self._door.engine.capabilities.single_owner:
            return False
        return rows <= (4 if self._door.table_size(self.pipeline) > 200_000 else 1)

    def _block(self, role: str, state: str) -> Block:
        block = self._machine.by_role(role, state)
        if block is None:
            raise GraphvineError(
                f"{self._machine.entity}: no block plays the role {role!r} for a row that is {state!r}"
            )
        return block

    def _lost(self, claims: list[Claim]) -> None:
        if claims:
            self._door.report("claims_lost", pipeline=self.pipeline, count=len(claims))
            raise ClaimLost(claims)

    @property
    def _now(self) -> int:
        return self._clock.now_ms()

    @property
    def _at(self) -> Any:
        return moment(self._now)


def _kept(keep: Keep, before: list[Claim], now: list[Claim]) -> Step:
    return keep([*before, *now])


def _one_claim_a_row(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    """Within a unit a claim is known by its row's number, so an old and a new claim on one row must not share one."""
    if len({outcome.claim.seq for outcome in outcomes}) == len(outcomes):
        return [list(outcomes)]
    parts: list[dict[int, Outcome]] = []
    for outcome in outcomes:
        seq = outcome.claim.seq
        part = next((part for part in parts if seq not in part), None)
        if part is None:
            parts.append(part := {})
        part[seq] = outcome
    return [list(part.values()) for part in parts]


def _clean(text: str, longest: int) -> str:
    """Text that every engine can store: a lone surrogate would raise inside the transaction."""
    return text[:longest].encode("utf-8", "replace").decode("utf-8").replace("\0", "")
