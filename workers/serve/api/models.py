"""What routes answer, where that is no record of the library: for the description, and for clients made from it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, create_model

from graphvine.records import PipelineStatus

# Numbers of rows may have more digits than JavaScript's have room for: such a one is a text.
Number = int | str


def counted(*names: str) -> type[BaseModel]:
    """How many rows were moved, under these names."""
    fields: dict[str, Any] = dict.fromkeys(names, (int, ...))
    return create_model("".join(name.title() for name in names), **fields)


class JobEvent(BaseModel):
    number: int
    name: str
    facts: Any


class JobShown(BaseModel):
    """A job: what was asked, its state (running, done, failed, stopped, waiting), its result or error."""

    id: str
    verb: str
    state: str
    started_at: str
    ended_at: str | None
    error: str | None
    result: Any
    asked: dict[str, Any]
    last_event: JobEvent | None


class Alive(BaseModel):
    status: str
    version: str
    seconds: float


class Ready(BaseModel):
    """`graph`, `engine` and `what` for those alone who may read."""

    status: str
    graph: str | None = None
    engine: str | None = None
    what: str | None = None


class ServiceStatus(BaseModel):
    graph: str
    engine: str
    version: str
    what: str
    seconds: float
    pipelines: list[PipelineStatus]
    titles: dict[str, str]


class WorkerShown(BaseModel):
    pipeline: str
    name: str
    state: str
    since: str
    restarts: int
    done: int
    last_error: str | None
    heartbeat_at: str | None


class Holder(BaseModel):
    pipeline: str
    worker: str | None
    claims: int
    heartbeat_at: str | None


class WorkersShown(BaseModel):
    """The daemon's own workers, and whoever holds claims, in other processes too."""

    workers: list[WorkerShown]
    holders: list[Holder]


class SpanShown(BaseModel):
    """Moments, in seconds since 1970, and of each pipeline a value for each of them, by name of the series."""

    every_seconds: float
    at: list[float]
    pipelines: dict[str, dict[str, list[float | None]]]


class SamplesShown(BaseModel):
    hour: SpanShown | None = None
    day: SpanShown | None = None


class StateShown(BaseModel):
    name: str
    initial: bool
    final: bool
    claimed: bool
    beyond: str


class MoveShown(BaseModel):
    source: str | None
    target: str
    block: str
    transition: str
    manual: bool
    processors: list[str]
    criteria: list[str]
    beyond: str
    purpose: str


class MachineShown(BaseModel):
    """A machine: its states and moves, and how many rows are in each state."""

    entity: str
    label: str
    column: str
    key: str
    document: str | None
    states: list[StateShown]
    moves: list[MoveShown]
    fingerprint: str | None = None
    pipeline: str
    counts: dict[str, int]


class End(BaseModel):
    label: str
    key: str


class NodeShown(End):
    name: str
    properties: dict[str, Any]


class EdgeShown(BaseModel):
    type: str
    source: End
    target: End


class Degree(BaseModel):
    type: str
    outward: bool
    count: int


class PathShown(BaseModel):
    """Nodes in order, and what joins each to the next; both empty where there is no way."""

    nodes: list[NodeShown]
    edges: list[EdgeShown]


class Neighbourhood(PathShown):
    """A node, its neighbours and what joins them; `degree` counts all relationships, however many are listed."""

    node: NodeShown
    degree: list[Degree]


class PipelinePaused(BaseModel):
    """Whether a pipeline is paused now."""

    pipeline: str
    paused: bool


class RowShown(BaseModel):
    """A row of a queue. `standing` says whether it would be claimed now, waits, is held, or rests.

    `at` is when it became or becomes due, had its last heartbeat, or came to rest, by its standing.
    """

    seq: str
    key: str
    state: str | None
    standing: Literal["ready", "backing off", "claimed", "at rest"]
    prioritised: bool = False
    depth: int | None = None
    retries: int | None = None
    due_in_seconds: float | None = None
    error: str | None = None
    name: str | None = None
    worker: str | None = None
    claimed_at: str | None = None
    at: str | None = None


class RowCount(BaseModel):
    """How many rows match; their first and last numbers tell where in the table a part of it lies, roughly."""

    count: int
    states: dict[str, int]
    first: str | None = None
    last: str | None = None


class Reason(BaseModel):
    """A reason for failures, with how many rows have it and one of them."""

    reason: str | None
    count: int
    example: str


class RowDetail(BaseModel):
    """One row: where it stands, its properties, what went wrong with it, and what happened to it."""

    pipeline: str
    label: str
    row: RowShown
    properties: dict[str, Any]
    failures: list[dict[str, Any]]
    history: list[dict[str, Any]]
