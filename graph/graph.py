"""A graph that is open: the public Python face. Each command of the command line has its twin here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from graphvine.clock import Clock, SystemClock
from graphvine.door import Door
from graphvine.engines import connect, without_secrets
from graphvine.errors import GraphvineError
from graphvine.migrate import draw_machines, migrate
from graphvine.pipeline_verbs import PipelineVerbs
from graphvine.records import FailedRow, Finding, PipelineStatus, QueryResult, Row, TableInfo, Unit, UnitResult
from graphvine.settings import Settings, load

if TYPE_CHECKING:
    from graphvine.backup import BackupInfo
    from graphvine.claims import Claims
    from graphvine.moving_files import Moved
    from graphvine.reaper import Reaped


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
    def __init__(self, where: str, settings: Settings, clock: Clock | None = None, *, create: bool = True) -> None:
        self.where, self.settings = without_secrets(where), settings
        self.engine = connect(where, settings, create=create)
        # A clock that is given is taken at its word. Otherwise workers on many machines go by their server's.
        self.clock = clock or SystemClock(getattr(self.engine, "clock_offset_ms", 0))
        self.door = Door(self.engine, settings, self.clock)
        self.library = self.engine.library
        if self.door.served is not None:
            # Whoever owns the store has looked after it.
            self.door.served.clock = self.clock
            self.migrated = self.door.served.migrated
            return
        try:
            self.migrated = migrate(self.door)
            draw_machines(self.door)
            self._align()
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
        self.engine.close()

    # Reading and writing

    def read(self, name: str, **parameters: Any) -> list[Row]:
        """Run a named read, such as "article.state_distribution"."""
        return self.door.read(name, **parameters)

    def run(self, unit: Unit) -> UnitResult:
        """Run named writes in one transaction."""
        return self.door.run(unit)

    def query(
        self, text: str, parameters: Mapping[str, Any] | None = None, *, max_rows: int | None = None,
        timeout_seconds: float | None = None,
    ) -> QueryResult:  # fmt: skip
        """Run Cypher that reads; anything that could write is refused before it reaches the engine."""
        from graphvine.read_only import refuse_writes

        refuse_writes(text)
        most = max_rows or self.settings.query_max_rows
        seconds = timeout_seconds or self.settings.query_timeout_seconds
        return self.engine.query(text, parameters or {}, max_rows=most, timeout_seconds=seconds)

    def interrupt(self) -> None:
        """End the queries that are running, from another thread; each raises QueryTimeout where it was called."""
        self.engine.interrupt()

    def execute(self, text: str, parameters: Mapping[str, Any] | None = None) -> QueryResult:
        """Run Cypher that may write, as somebody typed it; numbers then follow the words that it set."""
        result = self.engine.execute([text], parameters=parameters)
        self.door.forget()
        self._align()
        return result

    def tables(self) -> list[TableInfo]:
        return self.engine.tables()

    def neighbourhood(self, label: str, key: str, limit: int = 50) -> dict[str, Any]:
        """A node of any kind, by its key, with its neighbours and what joins them."""
        from graphvine.neighbourhood import around

        return around(self, label, key, limit)

    # Queues

    def seed(self, pipeline: str, keys: Iterable[str]) -> int:
        """Put these in at the start of a pipeline, where they are not there yet. Returns how many are new."""
        from graphvine.hands import seed

        return seed(self.door, pipeline, keys)

    def claims(self, pipeline: str, worker: str | None = None) -> Claims:
        """The queue of a pipeline, in the eyes of one worker."""
        from graphvine.claims import Claims
        from graphvine.reaper import worker_name

        return Claims(self.door, pipeline, worker or worker_name())

    def reap(self, pipeline: str, timeout_seconds: float | None = None) -> Reaped:
        """Take back claims with no heartbeat, and bring numbers in line with words set by hand."""
        from graphvine.reaper import reap

        return reap(self.door, pipeline, timeout_seconds or self.settings.timeout_seconds)

    def status(self) -> list[PipelineStatus]:
        from graphvine.status import status

        return status(self.door)

    def failed(
        self, pipeline: str, *, keys: Iterable[str] | None = None, contains: str = "", limit: int = 100
    ) -> list[FailedRow]:
        """What failed, and why."""
        from graphvine.hands import failed

        return failed(self.door, pipeline, keys, contains, limit)

    def requeue(
        self, pipeline: str, *, keys: Iterable[str] | None = None, contains: str | None = None, everything: bool = False
    ) -> int:
        """Put failed rows back into the queue: these, those that match, or all."""
        from graphvine.hands import requeue

        return requeue(self.door, pipeline, keys, contains, everything)

    def exclude(self, pipeline: str, keys: Iterable[str]) -> int:
        """Take these out for good."""
        from graphvine.hands import exclude

        return exclude(self.door, pipeline, keys)

    def pause(self, pipeline: str, reason: str = "") -> None:
        """Let nothing more be claimed in this pipeline, until it is resumed."""
        self.door.pause(pipeline, reason)

    def resume(self, pipeline: str) -> None:
        self.door.resume(pipeline)

    # Care

    def backup(self, target: str | os.PathLike[str], progress: Callable[[int, int], None] | None = None) -> BackupInfo:
        """Copy the graph as it is now, while it goes on being used."""
        from graphvine.backup import BackupInfo, backup
        from graphvine.remote import have_done

        if self.door.served is not None:
            return have_done(self, "backup", target, BackupInfo)
        return backup(self, Path(target), progress)

    def export(self, target: str | os.PathLike[str], progress: Callable[[int, int], None] | None = None) -> Moved:
        """Write the whole graph into a new folder, from which any engine can load it."""
        from graphvine.moving import export
        from graphvine.moving_files import Moved
        from graphvine.remote import have_done

        if self.door.served is not None:
            return have_done(self, "export", target, Moved)
        return export(self, Path(target), progress)

    def load(self, source: str | os.PathLike[str], progress: Callable[[int, int], None] | None = None) -> Moved:
        """Bring what was exported into this graph, which has to be empty."""
        from graphvine.moving import load
        from graphvine.moving_files import Moved
        from graphvine.remote import have_done

        if self.door.served is not None:
            return have_done(self, "load", source, Moved)
        return load(self, Path(source), progress)

    def doctor(self, progress: Callable[[str], None] | None = None) -> list[Finding]:
        """Look the whole graph over."""
        from graphvine.doctor import examine

        return examine(self, progress)

    def _align(self) -> None:
        from graphvine.reaper import align

        for pipeline in self.library.machines:
            align(self.door, pipeline)

    def _reap_dead(self) -> None:
        if self.engine.capabilities.single_owner:
            from graphvine.reaper import reap_dead

            for pipeline in self.library.machines:
                reap_dead(self.door, pipeline)

    def __repr__(self) -> str:
        return f"<graphvine.Graph {self.engine.name} {self.where}>"


__all__ = ["Graph", "GraphvineError", "open"]
