"""Kuzu, and Ladybug, its maintained fork: the embedded engines. Their known faults are handled here.

One thread writes. A unit that fails midway is never rolled back (Kuzu would crash later): the store is closed and
reopened. CHECKPOINT and COPY of Kuzu run inside the bracket of kill_safe.py.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from graphvine.disk_space import DiskSpace
from graphvine.engines.kuzu.checkpoints import policy_of
from graphvine.engines.kuzu.concurrency import Writer
from graphvine.engines.kuzu.reader import EmbeddedReader
from graphvine.engines.kuzu.session import apart, copy_in, sentence
from graphvine.engines.kuzu.typed_writes import TypedWrites, writes_pages
from graphvine.engines.protocol import Capabilities, SaveResponse
from graphvine.errors import QueryError, StoreError, StoreFull, StoreReopened, StoreStuck
from graphvine.queries import Block
from graphvine.records import QueryResult, Row, Unit, UnitResult
from graphvine.settings import Settings
from graphvine.unit_groups import Sharing
from graphvine.units import carry_out, check, check_texts, log_bytes, rows_in

T = TypeVar("T")

_READER_PATIENCE_SECONDS = 0.25
_EXCLUSIVE_SECONDS = 600.0  # how long a bulk load, or an ordered checkpoint, waits for readers such as an export
# How long readers have to end before they are interrupted, and how often that is done, a second apart.
_INTERRUPT_SECONDS, _INTERRUPTS = 5.0, 30
# A power cut that takes back a claim, or a heartbeat, takes its worker too: their marks need not wait for the disk.
_CLAIMING = {"claim", "claim_one", "heartbeat"}
_log = logging.getLogger("graphvine.store")
_MOST_ROWS_TOGETHER = 256  # larger units have a transaction of their own: the others need not wait for them
Request = tuple[Unit, SaveResponse | None]


class EmbeddedEngine(EmbeddedReader):
    capabilities = Capabilities(single_owner=True, bulk_load=True, file_backup=True)

    def __init__(self, path: Path, settings: Settings, *, name: str = "kuzu") -> None:
        super().__init__(path, settings, name=name)
        self._policy = policy_of(settings)
        self._policy.opened(self._database.pool_use())
        self._numbers: dict[str, int] = {}
        self._sharing = Sharing(self.library)
        self._disk = DiskSpace(path.absolute().parent, settings.min_free_mb)
        self._typed_writes = TypedWrites(path, name, settings, self._disk)
        self._writer = Writer[Request, UnitResult](f"graphvine-writer-{path.name}", self._write)

    def shortage(self) -> str | None:
        """Why no new work is taken, as a sentence: the disk is nearly full. None while there is room."""
        return self._disk.shortage()

    def probe(self) -> None:
        """A read, and a turn of the writing thread; raises where the store can't do one of them."""
        with self._reader() as session:
            session.prepared("RETURN 1 AS one", {})

        def turn() -> None:
            self._database.writing.begin()
            self._database.writing.commit()

        self._in_writer(turn)

    def _in_writer(self, work: Callable[[], T]) -> T:
        def run() -> T:
            self._mend()
            return work()

        return self._writer.call(run)

    def write(self, unit: Unit, save_response: SaveResponse | None = None) -> UnitResult:
        check(unit, self.library)
        blocks = [self.library.block(step.block) for step in unit.steps]
        # What was claimed may be finished while there is room for it; new rows and claims wait for more.
        if not any((block.guard and block.role not in _CLAIMING) or block.entity == "graph" for block in blocks):
            self._disk.refuse_new()
        return self._writer.share((unit, save_response), alone=rows_in(unit) > _MOST_ROWS_TOGETHER)

    def execute(
        self, statements: Sequence[str], then: Unit | None = None, parameters: Mapping[str, Any] | None = None
    ) -> QueryResult:
        """Statements that are not blocks: a migration, or what somebody typed at the console."""
        given = parameters or {}
        check_texts([*statements, given], "the statement")
        # One by one: of several in one text, Kuzu leaves results behind when a later one fails, and dies on them.
        texts = [part for text in statements for part in apart(text)]
        self._disk.refuse_new()
        self.alignment.note()
        if any(map(writes_pages, texts)):
            if len(texts) > 1 or then is not None:
                raise QueryError("COPY, CHECKPOINT and the like survive a kill only by themselves: run each alone")
            return self._in_writer(lambda: self._execute_alone(texts[0], given))
        return self._in_writer(lambda: self._execute(texts, then, given))

    def bulk_load(self, table: str, columns: Any, progress: Callable[[int], None] | None = None) -> int:
        """Load rows from columns (a mapping or an Arrow table), or from several of them in one bracket."""
        parts = columns if isinstance(columns, list | Iterator) else [columns]
        self._disk.refuse_new()
        self.alignment.note()

        def load() -> int:
            return copy_in(self._database.writing, table, parts, self._disk.refuse_load, progress)

        return self._in_writer(lambda: self._past_the_log(f"the bulk load of {table}", load))

    def checkpoint(self, *, wait: bool = True) -> bool:
        """Fold the log into the database now. False when readers did not let it."""
        return self._in_writer(lambda: self._checkpoint(_EXCLUSIVE_SECONDS if wait else _READER_PATIENCE_SECONDS))

    def copy_to(self, folder: Path) -> list[Path]:
        """Copy the store's files, as they are between two transactions."""
        return self._in_writer(lambda: self._database.files.copy_to(folder))

    def close(self) -> None:
        self._closed = True
        self._processes.close()
        self._writer.close(self._close)

    # What follows runs in the writing thread alone.

    def _write(self, requests: list[Request]) -> list[UnitResult]:
        """Units in one transaction, each with its own guards: all of them are kept, or none (unit_groups.py)."""
        self._mend()
        self._disk.refuse_any(lambda: sum(log_bytes(unit) for unit, _ in requests))
        session = self._database.writing
        at, results = "", list[UnitResult]()

        def run(block: Block, parameters: Mapping[str, Any], *, shared: bool = False) -> list[Row]:
            nonlocal at
            at = block.full_name
            statement = self._statements[at]
            rows = session.shared(statement, parameters) if shared else session.rows(statement, parameters)
            self._policy.ran(statement, parameters, len(rows))
            return rows

        # A single statement is a transaction by itself.
        alone = len(requests) == 1 and requests[0][1] is None and len(requests[0][0].steps) == 1
        try:
            if not alone:
                session.begin()
            units = [unit for unit, _ in requests]
            for result in self._sharing.carry_out(units, run, partial(run, shared=True), self._number):
                save_response = requests[len(results)][1]
                results.append(result)
                if save_response is not None:
                    kept = save_response(result)
                    run(self.library.block(kept.block), kept.parameters)
            if not alone:
                session.commit()
        except BaseException as error:
            self._start_over(at, error)
        blocks = (self.library.block(step.block) for unit, _ in requests for step in unit.steps)
        self._committed(durable=not all(block.role in _CLAIMING for block in blocks))
        return results

    def _execute(self, statements: list[str], then: Unit | None, given: Mapping[str, Any]) -> QueryResult:
        session = self._database.writing

        def run(block: Block, parameters: Mapping[str, Any]) -> list[Row]:
            return session.rows(self._statements[block.full_name], parameters)

        result, at = QueryResult([], []), "the statement"
        try:
            session.begin()
            for text in statements:
                result = self._typed_writes.run_in_transaction(self._database, text, given)
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
        result = self._past_the_log("the statement", lambda: self._typed_writes.run_alone(self._database, text, given))
        self._database.forget_statements()
        return result

    def _past_the_log(self, at: str, work: Callable[[], T]) -> T:
        """What writes pages past the log (COPY, an index) needs the bracket, and no transaction: a kill undoes it."""
        with self._gate.alone(_EXCLUSIVE_SECONDS) as free:
            if not free:
                raise StoreError(f"{at} waited {_EXCLUSIVE_SECONDS:g} s for readers to end: try it again later")
            self._room_for_bracket()
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
        except StoreFull as error:
            done = False
            _log.warning("%s: no checkpoint: %s", self.where, error)
        except StoreReopened as error:
            # The unit before it is committed and in the log, and its caller gets the result: done, not failed.
            done = False
            _log.warning("%s: %s; it is tried again later", self.where, error.reason)
        if not done:
            self._policy.postponed(now)

    def _room_for_bracket(self) -> None:
        """A bracket copies the files; without room for that nothing is begun."""
        self._disk.refuse_any(self._database.files.bracket_bytes)

    def _checkpoint(self, patience: float) -> bool:
        with self._gate.alone(patience) as free:
            if not free:
                return False
            self._room_for_bracket()
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
        asks = f"{block.entity}.last_number"
        words = self.library.block(asks).text  # entities that ask for it in the same words share their numbers
        if (last := self._numbers.get(words)) is None:
            last = max(row["seq"] or 0 for row in self._database.writing.rows(self._statements[asks], {}))
        self._numbers[words] = last + count
        return range(last + 1, last + count + 1)

    def _start_over(self, at: str, error: BaseException) -> NoReturn:
        """A write failed: throw away what the engine holds in memory, open the files again, tell the caller."""
        # The frames of the failure hold results; one that outlives its database crashes the process when it goes.
        traceback.clear_frames(error.__traceback__)
        full = self._disk.caused(error)
        self._reopen(f"{self.where} can't be opened again after a failed write")
        if full is not None:
            raise full from error
        if not isinstance(error, Exception):
            raise error
        raise StoreReopened(at, sentence(error)) from error

    def _mend(self) -> None:
        if self._broken is not None:
            self._reopen(self._broken)

    def _reopen(self, problem: str) -> None:
        """Open the files again; raises StoreStuck where that can't be, and the next write tries once more."""
        self._broken = problem
        with self._exclusive() as free:
            if not free:
                raise StoreStuck(f"{problem}: a query does not end. Restart the process")
            try:
                self._database.reopen()
                pool_use = self._database.pool_use()
            except (StoreError, RuntimeError, OSError) as error:
                self._broken = f"{problem.partition(':')[0]}: {sentence(error)}"
                raise StoreStuck(self._broken) from error
        self._broken = None
        self._numbers.clear()
        self._policy.opened(pool_use)

    @contextmanager
    def _exclusive(self) -> Iterator[bool]:
        """Alone, with readers interrupted that do not end by themselves; False inside where they don't even then."""
        for seconds in (_INTERRUPT_SECONDS, *[1.0] * _INTERRUPTS, 0.0):
            with self._gate.alone(seconds) as free:
                if free or not seconds:
                    yield free
                    return
            self.interrupt()  # more than once: it is lost on a query that has not begun yet

    def _close(self) -> None:
        with self._exclusive() as free:
            if free:  # otherwise the end of the process closes it: under a running query the engine would crash
                self._database.close(self._room_for_bracket if self._broken is None else None)
