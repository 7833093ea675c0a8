"""An open graph: the public Python API. Each command has its method here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from graphvine import core_requests
from graphvine.clock import Clock, SystemClock
from graphvine.dispatch import dispatch
from graphvine.engines import connect, without_secrets
from graphvine.errors import GraphvineError, StoreFull
from graphvine.migrate import draw_machines, migrate
from graphvine.records import (
    EncodedResult,
    FailedRow,
    Finding,
    PipelineStatus,
    QueryResult,
    Row,
    TableInfo,
    Unit,
    UnitResult,
)
from graphvine.requests import as_list
from graphvine.settings import Settings, load
from graphvine.store import Store
from graphvine.verbs import PipelineVerbs

if TYPE_CHECKING:
    from graphvine.backup import BackupInfo
    from graphvine.claims import Claims
    from graphvine.engines.protocol import OwnerEngine, ServedEngine
    from graphvine.export_format import Moved
    from graphvine.reaper import Reaped
    from graphvine.telemetry import Telemetry

Progress = Callable[[int, int], None]


def open(
    where: str | os.PathLike[str] | None = None,
    *,
    settings: Settings | None = None,
    clock: Clock | None = None,
    create: bool = True,
) -> Graph:
    """Open the graph at this place, or at the one that the settings name; make it where there is none."""
    settings = settings or load()
    return Graph(os.fspath(where or settings.graph), settings, clock, create=create)


class Graph(PipelineVerbs):
    """An open graph. Each command of the command line has its method here."""

    def __init__(self, where: str, settings: Settings, clock: Clock | None = None, *, create: bool = True) -> None:
        self.where, self.settings = without_secrets(where), settings
        self.engine = connect(where, settings, create=create)
        # A clock that is given is used as it is. Otherwise workers on many machines use their server's.
        self.clock = clock or SystemClock(getattr(self.engine, "clock_offset_ms", 0))
        self.store = Store(self.engine, settings, self.clock)
        try:
            self.telemetry = _telemetry(self)
        except BaseException:
            self.engine.close()
            raise
        self.library = self.engine.library
        # Search indexes that stay open with the graph, by pipeline.
        self.open_indexes: dict[str, Any] = {}
        if not self.engine.capabilities.maintains:
            # The daemon has done the rest.
            daemon = cast("ServedEngine", self.engine)
            daemon.clock, self.migrated = self.clock, daemon.migrated
            return
        if self.engine.capabilities.read_only:
            self.migrated = []
            return
        try:
            self.migrated = migrate(self.store)
            with suppress(StoreFull):  # it can be read all the same, and its status says why nothing is claimed
                draw_machines(self.store)
                self.align()
                self._reap_dead()
        except BaseException:
            self.engine.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the graph; a file is free for other processes then."""
        try:
            while self.open_indexes:
                self.open_indexes.popitem()[1].close()
        finally:
            self.engine.close()

    # Reading and writing

    def read(self, name: str, **parameters: Any) -> list[Row]:
        """Run a named read, such as "article.state_distribution"."""
        return self.store.read(name, **parameters)

    def run(self, unit: Unit) -> UnitResult:
        """Run named writes in one transaction."""
        return self.store.run(unit)

    def query(
        self, text: str, parameters: Mapping[str, Any] | None = None, *, max_rows: int | None = None,
        timeout_seconds: float | None = None, isolated: bool = False,
    ) -> QueryResult:  # fmt: skip
        """Run Cypher that reads; anything that could write is refused before it reaches the engine.

        `isolated` is for somebody else's text: it runs in a process of its own, which it may crash or fill.
        """
        from graphvine.read_only import refuse_writes

        refuse_writes(text)
        most = max_rows or self.settings.query_max_rows
        seconds = timeout_seconds or self.settings.query_timeout_seconds
        if isolated and self.engine.capabilities.single_owner:
            owner = cast("OwnerEngine", self.engine)
            return owner.query_isolated(text, parameters or {}, max_rows=most, timeout_seconds=seconds)
        return self.engine.query(text, parameters or {}, max_rows=most, timeout_seconds=seconds)

    def query_encoded(
        self, text: str, parameters: bytes = b"{}", *, max_rows: int, timeout_seconds: float
    ) -> EncodedResult:
        """The same for a stranger, `isolated`: parameters and answer are JSON, which stays as it is in this process."""
        from graphvine.json_text import decode_parameters
        from graphvine.read_only import refuse_writes

        refuse_writes(text)
        if self.engine.capabilities.single_owner:
            owner = cast("OwnerEngine", self.engine)
            return owner.query_encoded(text, parameters, max_rows=max_rows, timeout_seconds=timeout_seconds)
        given = decode_parameters(parameters)
        return EncodedResult.of(self.engine.query(text, given, max_rows=max_rows, timeout_seconds=timeout_seconds))

    def interrupt(self) -> None:
        """End the queries that are running, from another thread; each raises QueryTimeout where it was called."""
        self.engine.interrupt()

    def execute(self, text: str, parameters: Mapping[str, Any] | None = None) -> QueryResult:
        """Run Cypher that may write; guard columns are then aligned with the states that it set."""
        from graphvine.read_only import check_complexity

        check_complexity(text)
        result = self.engine.execute([text], parameters=parameters)
        self.store.forget()
        self.align()
        return result

    def tables(self) -> list[TableInfo]:
        """Every table of the graph, with its properties."""
        return self.engine.tables()

    def neighbourhood(self, label: str, key: str, limit: int = 50) -> dict[str, Any]:
        """A node of any kind, by its key, with its neighbours and what joins them."""
        from graphvine.neighbourhood import around

        return around(self, label, key, limit)

    # Queues

    def seed(self, pipeline: str, keys: Iterable[str]) -> int:
        """Put these in at the start of a pipeline, where they are not there yet. Returns how many are new."""
        return sum(dispatch(self, request) for request in core_requests.SeedRequest.several(pipeline, keys))

    def claims(self, pipeline: str, worker: str | None = None) -> Claims:
        """One worker's view of the queue of a pipeline."""
        from graphvine.claims import Claims
        from graphvine.reaper import worker_name

        name = worker or worker_name()
        if self.telemetry is not None:
            return self.telemetry.claims(self, pipeline, name)
        return Claims(self.store, pipeline, name)

    def reap(self, pipeline: str, timeout_seconds: float | None = None) -> Reaped:
        """Take back claims with no heartbeat, and align guard columns with states that people set."""
        from graphvine.reaper import reap

        return reap(self.store, pipeline, timeout_seconds or self.settings.timeout_seconds)

    def align(self) -> int:
        """Align guard columns with states that were set past the query files, by whomever. Returns how many rows."""
        from graphvine.reaper import align_all

        return align_all(self.store)

    def status(self) -> list[PipelineStatus]:
        """Where every pipeline stands: rows by state, ready, backing off, claimed, failed, skipped, paused."""
        return dispatch(self, core_requests.StatusRequest())

    def failed(
        self, pipeline: str, *, keys: Iterable[str] | None = None, contains: str = "", limit: int = 100,
        skipped: bool = False,
    ) -> list[FailedRow]:  # fmt: skip
        """What failed (or was `skipped`) and why, newest first: these rows, or those with a text in key or reason."""
        given = None if keys is None else as_list("failed", "keys", keys)
        request = core_requests.FailedRequest(
            pipeline=pipeline, keys=given, contains=contains, limit=limit, skipped=skipped
        )
        return dispatch(self, request)[pipeline]

    def failed_by_pipeline(self, *, contains: str = "", limit: int = 100) -> dict[str, list[FailedRow]]:
        """The same for every pipeline, at most `limit` rows of each."""
        return dispatch(self, core_requests.FailedRequest(contains=contains, limit=limit))

    def requeue(
        self, pipeline: str, *, keys: Iterable[str] | None = None, contains: str | None = None,
        everything: bool = False, skipped: bool = False,
    ) -> int:  # fmt: skip
        """Put rows back into the queue: these; or those that failed (or were `skipped`) and match; or all of those.

        Returns how many.
        """
        given = None if keys is None else as_list("requeue", "keys", keys)
        return dispatch(self, core_requests.RequeueRequest(
            pipeline=pipeline, keys=given, contains=contains, everything=everything, skipped=skipped
        ))  # fmt: skip

    def exclude(self, pipeline: str, keys: Iterable[str]) -> int:
        """Take rows that wait or failed out of the queue for good. Returns how many."""
        return dispatch(self, core_requests.ExcludeRequest(pipeline=pipeline, keys=as_list("exclude", "keys", keys)))

    def prioritise(self, pipeline: str, keys: Iterable[str]) -> int:
        """Let rows that wait, or back off, be claimed before all others, once. Returns how many."""
        return dispatch(
            self, core_requests.PrioritiseRequest(pipeline=pipeline, keys=as_list("prioritise", "keys", keys))
        )

    def release(self, pipeline: str, keys: Iterable[str]) -> int:
        """Take rows from their workers, which get ClaimLost, back into the queue. Returns how many."""
        return dispatch(self, core_requests.ReleaseRequest(pipeline=pipeline, keys=as_list("release", "keys", keys)))

    def pause(self, pipeline: str, reason: str = "") -> None:
        """Pause a pipeline: nothing more is claimed until it is resumed."""
        dispatch(self, core_requests.PauseRequest(pipeline=pipeline, reason=reason))

    def resume(self, pipeline: str) -> None:
        """Let a paused pipeline go on."""
        dispatch(self, core_requests.ResumeRequest(pipeline=pipeline))

    # Maintenance

    def backup(self, target: str | os.PathLike[str], progress: Progress | None = None) -> BackupInfo:
        """Copy the graph as it is now into a new folder, while it goes on being used."""
        return dispatch(self, core_requests.BackupRequest(target=os.fspath(target)), on_event=_pair(progress))

    def export(self, target: str | os.PathLike[str], progress: Progress | None = None) -> Moved:
        """Write the whole graph into a new folder, from which any engine can load it."""
        return dispatch(self, core_requests.ExportRequest(target=os.fspath(target)), on_event=_pair(progress))

    def load(self, source: str | os.PathLike[str], progress: Progress | None = None) -> Moved:
        """Load an exported graph into this one, which has to be empty."""
        return dispatch(self, core_requests.LoadRequest(source=os.fspath(source)), on_event=_pair(progress))

    def doctor(self, progress: Callable[[str], None] | None = None) -> list[Finding]:
        """Check the whole graph."""
        from graphvine.doctor import examine

        return examine(self, progress)

    def _reap_dead(self) -> None:
        if self.engine.capabilities.single_owner:
            from graphvine.reaper import reap_dead

            for pipeline in self.library.machines:
                reap_dead(self.store, pipeline)

    def __repr__(self) -> str:
        return f"<graphvine.Graph {self.engine.name} {self.where}>"


def _pair(progress: Progress | None) -> Callable[[tuple[int, int]], None] | None:
    return None if progress is None else lambda done: progress(*done)


__all__ = ["Graph", "GraphvineError", "open"]


def _telemetry(graph: Graph) -> Telemetry | None:
    """Traces and metrics, where somebody asked for them."""
    if not (graph.settings.otel or any(name.startswith("OTEL_") for name in os.environ)):
        return None
    from graphvine.telemetry import Telemetry, asked_for

    return Telemetry(graph) if asked_for(graph.settings) else None
