"""Everything that can go wrong, in one tree.

GraphvineError
|- QueryFileError, ParameterError, UnknownBlock     a query file or a call of it is wrong (graphvine.queries)
|- SettingsError                                    unknown setting or invalid value
|- StoreError
|  |- StoreBusy            another process holds the file
|  |- StoreMissing         there is nothing to open
|  |- StoreDamaged         the files do not fit together
|  |- StoreClosed          used after close
|  |- StoreStuck           something in the engine does not end: only a restart helps
|  |- StoreFull            too little room on the disk to write
|  |- UnitFailed           a write failed midway: nothing of it was kept
|  |  |- StoreReopened     and the store was reopened
|  |- SchemaTooNew         the graph was written by a newer Graphvine
|  |- EngineMissing        the package of this engine is not installed
|- QueryError              the engine refused a statement
|  |- QueryTimeout
|  |- WriteRefused         a statement that writes came where only reading is allowed
|  |- QueryTooComplex      it is longer or deeper than the engine can plan safely
|- ClaimLost               the claim is no longer the caller's: nothing was written for it
|- UnknownPipeline         no such pipeline
|- BadRequest              a field of a request does not fit; also a ValueError (graphvine.requests)
|- JobFailed               a job failed in the daemon (graphvine.dispatch)
|- PipelineBroken          a pipeline is found that can't be loaded
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphvine.queries.errors import GraphvineError, ParameterError, QueryFileError, UnknownBlock, did_you_mean

if TYPE_CHECKING:
    from graphvine.records import Claim

__all__ = [
    "ClaimLost", "EngineMissing", "GraphvineError", "ParameterError", "PipelineBroken", "QueryError", "QueryFileError",
    "QueryTimeout", "QueryTooComplex", "SchemaTooNew", "SettingsError", "StoreBusy", "StoreClosed", "StoreDamaged",
    "StoreError", "StoreFull", "StoreMissing", "StoreReopened", "StoreStuck", "UnitFailed", "UnknownBlock",
    "UnknownPipeline", "WriteRefused", "did_you_mean",
]  # fmt: skip


class SettingsError(GraphvineError):
    """Unknown setting or invalid value."""


class StoreError(GraphvineError):
    """The store itself."""


class StoreBusy(StoreError):
    """Another process holds the file."""

    def __init__(self, path: str, holder: str) -> None:
        super().__init__(f"{path} is open in {holder}: stop that first, or work on another graph with --graph")
        self.path, self.holder = path, holder


class StoreMissing(StoreError):
    """There is nothing to open."""


class StoreDamaged(StoreError):
    """The files do not fit together."""


class StoreClosed(StoreError):
    """Used after close."""

    def __init__(self) -> None:
        super().__init__("this graph is closed: open it again with graphvine.open")


class StoreStuck(StoreError):
    """Something in the engine does not end: only a restart of the process helps."""


class StoreFull(StoreError):
    """There is too little room on the disk to write."""


class UnitFailed(StoreError):
    """A write failed midway. Nothing of it was kept."""

    ENDING = "Nothing of its unit was kept"

    def __init__(self, block: str, reason: str) -> None:
        super().__init__(f"{block} failed: {reason}. {self.ENDING}")
        self.block, self.reason = block, reason


class StoreReopened(UnitFailed):
    """A write failed midway and was discarded; the store was reopened and can be used."""

    ENDING = "Its unit was discarded; the store was reopened"


class SchemaTooNew(StoreError):
    """The graph was written by a newer Graphvine."""

    def __init__(self, entity: str, found: int, known: int) -> None:
        advice = "upgrade Graphvine to open it" if known else (
            "install the pipeline that it belongs to, or name its folder in GRAPHVINE_PIPELINES_FOLDER"
            " (or upgrade Graphvine, if it is a newer one's) to open it"
        )  # fmt: skip
        super().__init__(f"the graph has version {found} of {entity!r}, this Graphvine knows up to {known}: {advice}")
        self.entity, self.found, self.known = entity, found, known


class EngineMissing(StoreError):
    """The package of this engine is not installed."""


class QueryError(GraphvineError):
    """The engine refused a statement."""


class QueryTimeout(QueryError):
    """A statement took longer than it was given."""


class WriteRefused(QueryError):
    """A statement that writes came where only reading is allowed."""


class QueryTooComplex(QueryError):
    """A typed query is longer or deeper than the engine can plan safely."""


class ClaimLost(GraphvineError):
    """The claim is no longer the caller's: nothing was written for it."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        names = ", ".join(repr(claim.key) for claim in claims[:3]) + (", ..." if len(claims) > 3 else "")
        super().__init__(f"{len(claims)} claim(s) lost, nothing was written for: {names}")
        self.claims = tuple(claims)


class UnknownPipeline(GraphvineError):
    """No such pipeline."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"there is no pipeline {name!r}{did_you_mean(name, known)}")
        self.name = name


class PipelineBroken(GraphvineError):
    """A pipeline is found that can't be loaded."""

    def __init__(self, name: str, where: str, problem: str) -> None:
        super().__init__(f"the pipeline {name!r} ({where}) can't be loaded: {problem}")
        self.name, self.where = name, where
