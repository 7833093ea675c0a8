"""The steps of which the units of claims are made: for each row the block that plays the role in its state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from graphvine.clock import FIRST, NEVER, Clock, moment
from graphvine.errors import GraphvineError
from graphvine.failures import backoff, clean_text, note_failure
from graphvine.outcomes import Done, GiveUp, Outcome, Postpone, Retry, Save, Skip
from graphvine.queries import Block
from graphvine.ready_cache import spans
from graphvine.records import Claim, Row, Step
from graphvine.store import Store
from graphvine.units import join


class ClaimSteps:
    """For one worker in one pipeline."""

    def __init__(self, store: Store, pipeline: str, worker: str, clock: Clock) -> None:
        self._store, self.pipeline, self.worker, self._clock = store, pipeline, worker, clock
        self._machine = store.machine(pipeline)
        self._settings = store.settings

    def settling(self, outcomes: Sequence[Outcome]) -> Iterator[Step]:
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
            if isinstance(one, Skip):
                yield from self._skip(one)
            elif isinstance(one, Retry | GiveUp):
                yield from self._failure(one)

    def discovering(self, outcomes: Sequence[Outcome]) -> bool:
        """Whether their results may put rows of this pipeline into its queue."""
        library = self._store.library
        steps = (step for one in outcomes if not isinstance(one, Postpone) for step in (*one.saves, *one.steps))
        blocks = (library.block(step.block) for step in steps)
        return any((block.readies or (block.ready and block.entity)) == self.pipeline for block in blocks)

    def claiming(
        self, rows: Sequence[Row], token: int, role: str, columns: Sequence[str], more: Mapping[str, Any]
    ) -> Iterator[Step]:
        """The moves that take these rows, by the blocks of this role."""
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

    def unmarking(self, rows: Sequence[Row]) -> Iterator[Step]:
        """Where prioritised rows are found by marks, those of these rows go with the claim."""
        first = [row["seq"] for row in rows if row.get("due") == FIRST]
        if first and "unmark" in self._store.library.entities[self.pipeline].blocks:
            yield Step(f"{self.pipeline}.unmark", {"seqs": first})

    def made(self, rows: Sequence[Row], tokens: Mapping[int, int], role: str) -> list[Claim]:
        """The claims on these rows, as they were taken: with the token of each."""
        after = {
            state: next(move.target for move in self._block(role, state).moves if state in move.sources)
            for state in {row["state"] for row in rows}
        }
        return [
            Claim(
                self.pipeline, row["key"], row["seq"], tokens[row["seq"]], after[row["state"]], row.get("depth", 0),
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
            for span in self.by_token(of_state):
                yield Step(block.full_name, {**span, **given})

    def by_token(self, claims: Sequence[Claim]) -> Iterator[dict[str, Any]]:
        """Their row numbers with bounds, and the token, for each token and each range of numbers."""
        for token, group in groupby(sorted(claims, key=lambda claim: claim.token), key=lambda claim: claim.token):
            for span in spans([claim.seq for claim in group]):
                yield {**span, "token": token}

    def _skip(self, outcome: Skip) -> Iterator[Step]:
        claim, reason = outcome.claim, clean_text(outcome.reason)
        given = {"key": claim.key, "seq": claim.seq, "token": claim.token, "error": reason, "at": self._at}
        yield Step(self._block("skip", claim.state).full_name, given)
        yield from outcome.steps

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

        Measured on Kuzu: a row by its key costs 0.4 ms at any size; a statement over numbers costs 0.9 ms in a small
        table, 2 ms at a million rows, and grows with the table. Where numbers have an index, they always win.
        """
        if not self._store.engine.capabilities.single_owner:
            return False
        return rows <= 1 + self._store.table_size(self.pipeline) // 300_000

    def _block(self, role: str, state: str) -> Block:
        if (block := self._machine.by_role(role, state)) is None:
            raise GraphvineError(f"{self.pipeline}: no block plays the role {role!r} for a row that is {state!r}")
        return block

    @property
    def _now(self) -> int:
        return self._clock.now_ms()

    @property
    def _at(self) -> Any:
        return moment(self._now)
