"""The verbs with which a worker answers for a claim."""

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


@dataclass(frozen=True, slots=True)
class Retry:
    """It failed in a way that may pass; not before `after_seconds` where the other side said so."""

    claim: Claim
    reason: str
    after_seconds: float | None = None
    trace: str | None = None


@dataclass(frozen=True, slots=True)
class GiveUp:
    """It failed, and trying again can't help. The steps take back what was written of it before, if anything was."""

    claim: Claim
    reason: str
    trace: str | None = None
    steps: Sequence[Step] = ()


@dataclass(frozen=True, slots=True)
class Postpone:
    """Nothing is wrong with the row: what it needs is away for the moment. It goes back, and no try is burnt."""

    claim: Claim
    reason: str
    after_seconds: float = 0.0


Outcome = Done | Retry | GiveUp | Postpone
