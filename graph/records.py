"""Records that modules exchange: claims, write units and their results."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from graphvine.query_result import EncodedResult as EncodedResult
from graphvine.query_result import QueryResult as QueryResult

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One named block with its parameters."""

    block: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unit:
    """Steps that happen together or not at all, in one transaction.

    Blocks marked `guard` say which claims still hold; what later blocks declare as `held` is carried out for those
    claims alone. It is plain data: an engine runs it, another process may send it. With `if_held`, nothing at all is
    carried out beside the guards where they find no claim: for a unit that is all the work of one claim.
    """

    steps: tuple[Step, ...]
    if_held: bool = False

    @classmethod
    def of(cls, steps: Iterable[Step], *, if_held: bool = False) -> Unit:
        return cls(tuple(steps), if_held)


@dataclass(frozen=True, slots=True)
class UnitResult:
    """The rows that each step returned (none for a step that was left out), and the claims that held."""

    rows: tuple[list[Row], ...]
    held: frozenset[int]


class Claim(msgspec.Struct, frozen=True):  # made by the thousand, in a third of the time of a frozen dataclass
    """A row that a worker has claimed, identified by its token."""

    pipeline: str
    key: str
    seq: int
    token: int
    state: str
    depth: int = 0
    retry_count: int = 0
    lost_claims: int = 0
    failure_count: int = 0


# The tokens of claims begin here: large, so that no state column's number is taken for one.
FIRST_TOKEN = 1 << 61


def new_token() -> int:
    """The token of a claim, never made twice."""
    return secrets.randbits(62) | FIRST_TOKEN


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table of the graph: a node or a relationship, with its properties."""

    name: str
    kind: str
    properties: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt."""

    at: datetime
    attempt: int
    kind: str
    message: str
    trace: str | None = None


@dataclass(frozen=True, slots=True)
class FailedRow:
    """A row that failed, with the failures that were kept."""

    key: str
    state: str
    reason: str | None
    retry_count: int
    failed_at: datetime | None
    failures: list[Failure] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PipelineStatus:
    """Where a pipeline stands. `ready` rows would be claimed now; those beyond the workers' depth are counted apart."""

    pipeline: str
    paused: bool
    paused_reason: str | None
    states: dict[str, int]
    ready: int
    backing_off: int
    claimed: int
    failed: int
    total: int
    progress_percent: float
    oldest_heartbeat: datetime | None
    beyond_depth: int = 0
    skipped: int = 0
    oldest_ready: datetime | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check of the doctor found."""

    check: str
    ok: bool
    detail: str
    advice: str = ""
