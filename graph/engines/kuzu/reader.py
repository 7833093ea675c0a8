"""What the embedded engines do for readers: named reads, typed queries in this process or in one of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphvine.engines.kuzu.alignment import Alignment
from graphvine.engines.kuzu.concurrency import ReadGate
from graphvine.engines.kuzu.database import OpenDatabase
from graphvine.engines.kuzu.query_process import QueryProcesses
from graphvine.engines.kuzu.session import Session, sentence
from graphvine.engines.protocol import Capabilities
from graphvine.errors import QueryError, QueryTimeout, StoreClosed, StoreStuck
from graphvine.pipelines import library
from graphvine.queries import Block
from graphvine.queries.compile import compile_text
from graphvine.records import EncodedResult, QueryResult, Row, TableInfo
from graphvine.settings import Settings
from graphvine.units import check_texts


class EmbeddedReader:
    dialect = "kuzu"
    capabilities: Capabilities

    def __init__(self, path: Path, settings: Settings, *, name: str) -> None:
        self.name, self.where = name, str(path)
        self.library = library(self.dialect, settings.pipelines_folder)
        self._statements = self.library.statements
        self._gate = ReadGate()
        self._database = OpenDatabase(path, name, settings, read_only=self.capabilities.read_only)
        self._closed = False
        self._broken: str | None = None  # the files could not be opened again after a failed write
        self._answer_bytes = settings.query_answer_mb << 20
        self._processes = QueryProcesses(self._database.files, name, settings)
        # Typed queries that are running, by the thread that waits for each.
        self._typed: dict[int, Session] = {}

    @property
    def recovered(self) -> str:
        """What opening had to repair, as a sentence."""
        return self._database.recovered

    @property
    def alignment(self) -> Alignment:
        """Whether guard columns have to be aligned with states that were set past the blocks."""
        return self._database.alignment

    @property
    def content(self) -> tuple[int, ...] | None:
        """While it is the same, nothing was written since it was asked for. None: not known."""
        return None if self.capabilities.read_only else self._database.content

    def read(self, block: Block, parameters: Mapping[str, Any]) -> list[Row]:
        block.check(parameters)
        check_texts(parameters, block.full_name)
        with self._reader() as session:
            try:
                return session.rows(self._statements[block.full_name], parameters)
            except RuntimeError as error:
                raise QueryError(f"{block.full_name} ({block.file}:{block.line}): {sentence(error)}") from error

    def query(
        self, text: str, parameters: Mapping[str, Any], *, max_rows: int | None, timeout_seconds: float | None
    ) -> QueryResult:
        check_texts(parameters, "the query's parameters")
        check_texts(text, "the query")
        most = None if max_rows is None else self._answer_bytes
        with self._reader() as session, self._known_as_typed(session):
            try:
                with session.read_only():
                    return session.table(text, parameters, max_rows, int((timeout_seconds or 0) * 1000), most)
            except RuntimeError as error:
                if "Interrupted" in str(error):
                    limit = f"took longer than {timeout_seconds:g} s" if timeout_seconds else "took too long"
                    raise QueryTimeout(f"the query {limit}, or was interrupted: narrow it, or allow more") from None
                raise QueryError(sentence(error)) from None

    def query_isolated(
        self, text: str, parameters: Mapping[str, Any], *, max_rows: int | None, timeout_seconds: float
    ) -> QueryResult:
        """The same in a process of its own with a limit on memory: whatever the query does, this process goes on."""
        found = self._in_child(text, parameters, max_rows, timeout_seconds, encode=False)
        return QueryResult(found["columns"], found["rows"], found["truncated"])

    def query_encoded(
        self, text: str, parameters: bytes, *, max_rows: int | None, timeout_seconds: float
    ) -> EncodedResult:
        """The same with parameters and answer as JSON, which that process reads and writes: here they are passed on."""
        return EncodedResult(**self._in_child(text, parameters, max_rows, timeout_seconds, encode=True))

    def _in_child(
        self, text: str, parameters: Mapping[str, Any] | bytes, max_rows: int | None, seconds: float, *, encode: bool
    ) -> dict[str, Any]:
        check_texts(parameters, "the query's parameters")
        check_texts(text, "the query")
        asked_at = self._database.version
        with self._processes.slot(seconds), self._gate.reading():
            self._check_open()
            now = self._database.version
            return self._processes.query(asked_at, now, text, parameters, max_rows, seconds, encode=encode)

    def interrupt(self, thread: int | None = None) -> None:
        """End the queries that are running, or the one of this thread; each raises QueryTimeout where it was called."""
        self._processes.interrupt(thread)
        if thread is None:
            self._database.interrupt_readers()
        elif (session := self._typed.get(thread)) is not None:
            session.interrupt()

    @contextmanager
    def _known_as_typed(self, session: Session) -> Iterator[None]:
        self._typed[threading.get_ident()] = session
        try:
            yield
        finally:
            self._typed.pop(threading.get_ident(), None)

    def look_up(self, text: str, key: Any) -> list[list[Any]]:
        """One row by its key, again and again, for the doctor."""
        with self._reader() as session:
            return [list(row.values()) for row in session.rows(compile_text(text, "key"), {"key": key})]

    @contextmanager
    def snapshot(self) -> Iterator[Callable[[str], Iterator[list[Any]]]]:
        """All of the graph as it is now, to be read row by row; checkpoints wait until it is let go."""
        with self._reader() as session, session.read_only():
            yield session.stream

    @contextmanager
    def _reader(self) -> Iterator[Session]:
        with self._gate.reading():
            self._check_open()
            with self._database.reader() as session:
                yield session

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed
        if self._broken is not None:
            raise StoreStuck(self._broken)

    def tables(self) -> list[TableInfo]:
        shown = self.query("CALL show_tables() RETURN name, type", {}, max_rows=None, timeout_seconds=None)
        found = []
        for name, kind in sorted(map(tuple, shown.rows)):
            info = self.query(f"CALL table_info('{name}') RETURN name, type", {}, max_rows=None, timeout_seconds=None)
            found.append(TableInfo(name, kind, [(row[0], row[1]) for row in info.rows]))
        return found
