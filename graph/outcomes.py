"""The verbs with which a worker answers for a claim.

`saves` are guarded writes to the claimed row itself, made before it leaves its state; `steps` are what else is written
where the claim still held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphvine.records import Claim, Step


@dataclass(frozen=True, slots=True)
class Done:
    """The work is done, and these writes are its result. Where it can end in several ways, `ending` is the role of the
    block that says which."""

    claim: Claim
    steps: Sequence[Step] = ()
    ending: str = "complete"
    saves: Sequence[Step] = ()


@dataclass(frozen=True, slots=True)
class Retry:
    """It failed in a way that may pass; not before `after_seconds` where the other side said so.

    A pipeline that counts its tries itself gives the `attempt`: then it is tried again, however often it was.
    """

    claim: Claim
    reason: str
    after_seconds: float | None = None
    trace: str | None = None
    steps: Sequence[Step] = ()
    saves: Sequence[Step] = ()
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class GiveUp:
    """It failed, and trying again can't help. The steps take back what was written of it before, if anything was."""

    claim: Claim
    reason: str
    trace: str | None = None
    steps: Sequence[Step] = ()
    saves: Sequence[Step] = ()


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing is wrong, and nothing can come of this row: it rests as `skipped`, with the reason and without a failure.

    For pipelines whose query file has a block of the role `skip`. The steps take back what was written of it before.
    """

    claim: Claim
    reason: str
    steps: Sequence[Step] = ()
    saves: Sequence[Step] = ()


@dataclass(frozen=True, slots=True)
class Save:
    """Part of the work is done: these writes are kept. The claim goes on, unless they end it themselves."""

    claim: Claim
    saves: Sequence[Step]
    steps: Sequence[Step] = ()


@dataclass(frozen=True, slots=True)
class Postpone:
    """What the row needs is unavailable for now: it goes back to the queue, and no attempt is counted."""

    claim: Claim
    reason: str
    after_seconds: float = 0.0


Outcome = Done | Retry | GiveUp | Skip | Postpone | Save


def one_claim_a_row(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
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
