"""Kuzu, and Ladybug, its maintained fork: the embedded engines. Their known faults are handled here.

One thread writes. A unit that fails midway is never rolled back (Kuzu would crash later): the store is closed and
reopened. CHECKPOINT and COPY of Kuzu run inside the bracket of kill_safe.py.
"""

from __future__ import annotations

import logging
import re
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from graphvine.engines.kuzu.checkpoints import policy_of
from graphvine.engines.kuzu.concurrency import ReadGate, Writer
from graphvine.engines.kuzu.database import OpenDatabase
from graphvine.engines.kuzu.session import Session, apart, copy_in, sentence
from graphvine.engines.protocol import Capabilities, SaveResponse
from graphvine.errors import QueryError, QueryTimeout, StoreClosed, StoreReopened
from graphvine.pipelines import library
from graphvine.queries import Block
from graphvine.queries.compile import compile_text
from graphvine.records import QueryResult, Row, TableInfo, Unit, UnitResult
from graphvine.settings import Settings
from graphvine.units import carry_out, check, check_texts

T = TypeVar("T")

_READER_PATIENCE_SECONDS = 0.25
_WRITES_PAGES = re.compile(
    r"\b(COPY|CHECKPOINT|IMPORT|INSTALL|(CREATE|DROP)_\w+_INDEX|LOAD\s+EXTENSION)\b", re.IGNORECASE
)
# A power cut that takes back a claim, or a heartbeat, takes its worker too: their marks need not wait for the disk.
_CLAIMING = {"claim", "claim_one", "heartbeat"}
_log = logging.getLogger("graphvine.store")
_OWN_TRANSACTION = re.compile(r"\s*(BEGIN|COMMIT|ROLLBACK)\b", re.IGNORECASE)


class EmbeddedEngine:
    dialect = "kuzu"
    capabilities = Capabilities(single_owner=True, bulk_load=True, file_backup=True)

    def __init__(self, path: Path, settings: Settings, *, name: str = "kuzu") -> None:
        self.name = name
        self.where = str(path)
        self.library = library(self.dialect, settings.pipelines_folder)
        self._gate = ReadGate()
        self._policy = policy_of(settings)
        self._statements = self.library.statements
        self._numbers: dict[str, int] = {}
        self._database = OpenDatabase(path, name, settings)
        self._policy.opened(self._database.pool_use())
        self._closed = False
        # Typed queries that are running, by the thread that waits for each.
        self._typed: dict[int, Session] = {}
        self._writer = Writer(f"graphvine-writer-{path.name}")

    @property
    def recovered(self) -> str:
        """What opening had to repair, as a sentence."""
        return self._database.recovered

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
        with self._reader() as session, self._known_as_typed(session):
            try:
                with session.read_only():
                    return session.table(text, parameters, max_rows, int((timeout_seconds or 0) * 1000))
            except RuntimeError as error:
                if "Interrupted" in str(error):
                    limit = f"took longer than {timeout_seconds:g} s" if timeout_seconds else "took too long"
                    raise QueryTimeout(f"the query {limit}, or was interrupted: narrow it, or allow more") from None
                raise QueryError(sentence(error)) from None

    def interrupt(self, thread: int | None = None) -> None:
        """End the queries that are running, or the one of this thread; each raises QueryTimeout where it was called."""
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
            if self._closed:
                raise StoreClosed
            with self._database.reader() as session:
                yield session

    def write(self, unit: Unit, save_response: SaveResponse | None = None) -> UnitResult:
        check(unit, self.library)
        return self._writer.call(lambda: self._write(unit, save_response))

    def execute(
        self, statements: Sequence[str], then: Unit | None = None, parameters: Mapping[str, Any] | None = None
    ) -> QueryResult:
        """Statements that are not blocks: a migration, or what somebody typed at the console."""
        given = parameters or {}
        check_texts([*statements, given], "the statement")
        # One by one: of several in one text, Kuzu leaves results behind when a later one fails, and dies on them.
        texts = [part for text in statements for part in apart(text)]
        if any(_OWN_TRANSACTION.match(text) for text in texts):
            raise QueryError("each statement is a transaction of its own here: leave BEGIN, COMMIT and ROLLBACK out")
        if any(_WRITES_PAGES.search(text) for text in texts):
            if len(texts) > 1 or then is not None:
                raise QueryError("COPY, CHECKPOINT and the like survive a kill only by themselves: run each alone")
            return self._writer.call(lambda: self._execute_alone(texts[0], given))
        return self._writer.call(lambda: self._execute(texts, then, given))

    def bulk_load(self, table: str, columns: Any, progress: Callable[[int], None] | None = None) -> int:
        """Load rows from columns (a mapping or an Arrow table), or from several of them in one bracket."""
        parts = columns if isinstance(columns, list | Iterator) else [columns]
        return self._writer.call(
            lambda: self._past_the_log(
                f"the bulk load of {table}", lambda: copy_in(self._database.writing, table, parts, progress)
            )
        )

    def checkpoint(self, *, wait: bool = True) -> bool:
        """Fold the log into the database now. False when readers did not let it."""
        return self._writer.call(lambda: self._checkpoint(None if wait else _READER_PATIENCE_SECONDS))

    def copy_to(self, folder: Path) -> list[Path]:
        """Copy the store's files, as they are between two transactions."""
        return self._writer.call(lambda: self._database.files.copy_to(folder))

    def tables(self) -> list[TableInfo]:
        shown = self.query("CALL show_tables() RETURN name, type", {}, max_rows=None, timeout_seconds=None)
        found = []
        for name, kind in sorted(map(tuple, shown.rows)):
            info = self.query(f"CALL table_info('{name}') RETURN name, type", {}, max_rows=None, timeout_seconds=None)
            found.append(TableInfo(name, kind, [(row[0], row[1]) for row in info.rows]))
        return found

    def close(self) -> None:
        self._closed = True
        self._writer.close(self._close)

    # What follows runs in the writing thread alone.

    def _write(self, unit: Unit, save_response: SaveResponse | None) -> UnitResult:
        session = self._database.writing
        at = unit.steps[0].block if unit.steps else ""

        def run(block: Block, parameters: Mapping[str, Any]) -> list[Row]:
            nonlocal at
            at = block.full_name
            statement = self._statements[at]
            rows = session.rows(statement, parameters)
            self._policy.ran(statement, parameters, len(rows))
            return rows

        alone = len(unit.steps) == 1 and save_response is None  # a single statement is a transaction by itself
        try:
            if not alone:
                session.begin()
            result = carry_out(unit, self.library, run, self._number)
            if save_response is not None:
                kept = save_response(result)
                run(self.library.block(kept.block), kept.parameters)
            if not alone:
                session.commit()
        except BaseException as error:
            self._start_over(at, error)
        self._committed(durable=not all(self.library.block(step.block).role in _CLAIMING for step in unit.steps))
        return result

    def _execute(self, statements: list[str], then: Unit | None, given: Mapping[str, Any]) -> QueryResult:
        session = self._database.writing

        def run(block: Block, parameters: Mapping[str, Any]) -> list[Row]:
            return session.rows(self._statements[block.full_name], parameters)

        result, at = QueryResult([], []), "the statement"
        try:
            session.begin()
            for text in statements:
                result = session.table(text, given)
            if then is not None:
                at = then.steps[0].block
                carry_out(then, self.library, run, self._number)
            session.commit()
        except BaseException as error:
            self._start_over(at, error)
        self._database.forget_statements()  # a changed table makes prepared plans stale
        self._numbers.clear()
        self._committed()
        return result

    def _execute_alone(self, text: str, given: Mapping[str, Any]) -> QueryResult:
        result = self._past_the_log("the statement", lambda: self._database.writing.table(text, given))
        self._database.forget_statements()
        return result

    def _past_the_log(self, at: str, work: Callable[[], T]) -> T:
        """What writes pages past the log (COPY, the build of an index) needs the bracket, and no transaction around it.

        A kill leaves the store as it was before: no half of a load, no remains of an index that was never finished.
        """
        with self._gate.alone(None):
            try:
                with self._database.files_bracket():
                    result = work()
                    self._database.writing.run("CHECKPOINT")
            except BaseException as error:
                self._start_over(at, error)
        self._numbers.clear()
        self._policy.forget()
        return result

    def _committed(self, durable: bool = True) -> None:
        if self._database.writing.worn:
            self._database.renew_writer()
        log_bytes = self._database.acknowledge(durable)
        now = time.monotonic()
        if not self._policy.wanted(log_bytes, now):
            return
        try:
            done = self._checkpoint(_READER_PATIENCE_SECONDS)
        except StoreReopened as error:
            # The unit before it is committed and in the log, and its caller is told so: done, not failed.
            done = False
            _log.warning("%s: %s; it is tried again later", self.where, error.reason)
        if not done:
            self._policy.postponed(now)

    def _checkpoint(self, patience: float | None) -> bool:
        with self._gate.alone(patience) as free:
            if not free:
                return False
            started = time.monotonic()
            try:
                self._database.checkpoint()
            except BaseException as error:
                self._start_over("CHECKPOINT", error)
            self._database.refresh()
            self._policy.done(started, time.monotonic())
            return True

    def _number(self, block: Block, count: int) -> range:
        """Fresh row numbers. They are given out in memory: a unit that fails leaves a gap, which is harmless."""
        last = self._numbers.get(block.entity)
        if last is None:
            rows = self._database.writing.rows(self._statements[f"{block.entity}.last_number"], {})
            last = max(row["seq"] or 0 for row in rows)
        self._numbers[block.entity] = last + count
        return range(last + 1, last + count + 1)

    def _start_over(self, at: str, error: BaseException) -> NoReturn:
        """A write failed: throw away what the engine holds in memory, open the files again, tell the caller."""
        # The frames of the failure hold results; one that outlives its database crashes the process when it goes.
        traceback.clear_frames(error.__traceback__)
        with self._gate.alone(None):
            self._database.reopen()
        self._numbers.clear()
        self._policy.opened(self._database.pool_use())
        if not isinstance(error, Exception):
            raise error
        raise StoreReopened(at, sentence(error)) from error

    def _close(self) -> None:
        with self._gate.alone(None):
            self._database.close()
