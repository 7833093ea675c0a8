"""Neo4j: one server, workers on many machines. The same blocks, in managed transactions."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from graphvine.engines.neo4j.address import Neo4jSettings, parse_address
from graphvine.engines.neo4j.row_numbers import Numbers
from graphvine.engines.neo4j.server import Server
from graphvine.engines.neo4j.steps import joined, parted, ported
from graphvine.engines.neo4j.values import plain, rows_of
from graphvine.engines.protocol import Capabilities
from graphvine.errors import QueryError, StoreMissing, UnitFailed
from graphvine.queries import Block
from graphvine.queries.compile import Statement
from graphvine.records import QueryResult, Row, TableInfo, Unit, UnitResult
from graphvine.settings import Settings, section
from graphvine.table import as_dicts
from graphvine.units import carry_out, check

if TYPE_CHECKING:
    from neo4j import ManagedTransaction, Result

T = TypeVar("T")
_OWN_TRANSACTION = re.compile(r"\s*(BEGIN|COMMIT|ROLLBACK)\b", re.IGNORECASE)
_BRINGS_TRANSACTIONS = re.compile(r"\bIN\s+(\S+\s+CONCURRENT\s+)?TRANSACTIONS\b", re.IGNORECASE)
_CREATES = re.compile(r"(?<!ON )\bCREATE\b", re.IGNORECASE)
_INDEX_SECONDS = 300
_COLLISIONS = 3
# How often a change of the schema is tried that other processes make at the same moment.
_SCHEMA_ATTEMPTS = 10


def open_server(where: str, settings: Settings, *, create: bool) -> Neo4jEngine:
    """The engine of a server; where nothing may be made, the server has to hold a graph already."""
    engine = Neo4jEngine(where, settings)
    if not create and not engine.read(engine.library.block("graph.schema_versions"), {}):
        engine.close()
        raise StoreMissing(f"there is no graph at {engine.where} yet: 'graphvine seed' or 'graphvine load' make one")
    return engine


class _Here(threading.local):
    """What a thread is at: the block that it runs, and the transaction of its turn, where it has one."""

    block = ""
    turn: ManagedTransaction | None = None


class Neo4jEngine:
    name = dialect = "neo4j"
    capabilities = Capabilities(single_owner=False, bulk_load=True, file_backup=False, typed=False)

    def __init__(self, where: str, settings: Settings, options: Neo4jSettings | None = None) -> None:
        address = parse_address(where)
        self.where = address.shown
        self.library = ported(settings.pipelines_folder)
        self._most_rows = settings.query_max_rows
        self._statements: dict[str, Statement] = dict(self.library.statements)
        self._server = Server(address, options or section(Neo4jSettings, "neo4j"))
        self._numbers = Numbers(self.clock_offset_ms)
        self._here = _Here()

    @property
    def clock_offset_ms(self) -> int:
        """How far the server's clock is ahead of this machine's."""
        return self._server.clock_offset_ms

    def read(self, block: Block, parameters: Mapping[str, Any]) -> list[Row]:
        block.check(parameters)
        statement = self._statements[block.full_name]
        if self._here.turn is not None:
            return _rows(statement, self._here.turn.run(statement.text, dict(parameters)))
        at = f"{block.full_name} ({block.file}:{block.line})"
        return self._server.read(statement.text, parameters, partial(_rows, statement), at)

    def write(self, unit: Unit) -> UnitResult:
        check(unit, self.library)
        shorter, places = joined(unit, self.library)
        if self._here.turn is not None:
            return parted(unit, self.library, places, self._carry_out(shorter, self._here.turn))
        return parted(unit, self.library, places, self._with_fresh_numbers(lambda: self._write(shorter)))

    def in_turn(self, name: str, work: Callable[[], T]) -> T:
        """Run `work` in one transaction that has waited for this turn; a kill ends the turn with its connection."""

        def run(transaction: ManagedTransaction) -> T:
            self._here.block = "graph.turn"
            transaction.run(self._statements["graph.turn"].text, {"name": name}).consume()
            self._here.turn = transaction
            try:
                return work()
            finally:
                self._here.turn = None

        if self._here.turn is not None:
            return work()
        return self._with_fresh_numbers(lambda: self._naming_block(lambda: self._all(run, again=False)))

    def query(
        self, text: str, parameters: Mapping[str, Any], *, max_rows: int | None, timeout_seconds: float | None
    ) -> QueryResult:
        return self._server.look(text, parameters, lambda result: _table(result, max_rows), timeout_seconds)

    def interrupt(self) -> None:
        """End the typed queries that are running; each raises QueryTimeout where it was called."""
        self._server.interrupt()

    def execute(
        self, statements: Iterable[str], then: Unit | None = None, parameters: Mapping[str, Any] | None = None
    ) -> QueryResult:
        """Statements that are not blocks: a migration, or what somebody typed at the console.

        A change of the schema and a write can't share a transaction here. A migration is made of statements that may
        be run again, so a kill before its record only means that it is.
        """
        result = QueryResult([], [])
        for text in statements:
            if _OWN_TRANSACTION.match(text):
                raise QueryError(
                    "each statement is a transaction of its own here: leave BEGIN, COMMIT and ROLLBACK out"
                )
            result = self._execute(text, parameters or {}) if then is None else self._migrate(text)
        if then is not None:
            self._server.read(f"CALL db.awaitIndexes({_INDEX_SECONDS})", {}, lambda result: result.consume())
            self.write(then)
        return result

    def bulk_load(self, table: str, columns: Any, progress: Callable[[int], None] | None = None) -> int:
        """Create rows from columns, some thousand in a transaction. What stops it leaves what is there by then."""
        from graphvine.engines.neo4j.load import Load

        load, loaded = Load(table, self.library), 0
        for batch in load.batches(columns):
            loaded += self._server.write_all(partial(load.run, batch), lambda: f"the load of {table}", again=False)
            if progress is not None:
                progress(loaded)
        return loaded

    @contextmanager
    def snapshot(self) -> Iterator[Callable[[str], Iterator[list[Any]]]]:
        """All of the graph, to be read row by row. Should anybody write meanwhile, the end raises GraphChanged."""
        with self._server.unchanged() as transaction:
            yield lambda text: ([plain(value) for value in record.values()] for record in transaction.run(text))

    def tables(self) -> list[TableInfo]:
        from graphvine.engines.neo4j.values import tables

        return tables(self)

    def close(self) -> None:
        self._server.close()

    def _write(self, unit: Unit) -> UnitResult:
        again = self._repeatable(unit)

        def alone(block: Block, parameters: Mapping[str, Any]) -> list[Row]:
            self._here.block = block.full_name
            statement = self._statements[block.full_name]
            given = as_dicts(parameters)
            return self._server.write(statement.text, given, partial(_rows, statement), block.full_name, again=again)

        if len(unit.steps) == 1:
            return self._naming_block(lambda: carry_out(unit, self.library, alone, self._number))
        return self._naming_block(lambda: self._all(partial(self._carry_out, unit), again=again))

    def _all(self, work: Callable[[ManagedTransaction], T], *, again: bool) -> T:
        return self._server.write_all(work, lambda: self._here.block, again=again)

    def _carry_out(self, unit: Unit, transaction: ManagedTransaction) -> UnitResult:
        def run(block: Block, parameters: Mapping[str, Any]) -> list[Row]:
            self._here.block = block.full_name
            statement = self._statements[block.full_name]
            return _rows(statement, transaction.run(statement.text, dict(as_dicts(parameters))))

        return carry_out(unit, self.library, run, self._number)

    def _naming_block(self, write: Callable[[], T]) -> T:
        """An error of the server as one that names the block."""
        try:
            return write()
        except QueryError as error:
            block = self._here.block
            raise UnitFailed(block, str(error).removeprefix(f"{block}: ")) from error

    def _with_fresh_numbers(self, write: Callable[[], T]) -> T:
        """Should another process have given out the same numbers, others are drawn and all is written again."""
        for left in reversed(range(_COLLISIONS)):
            try:
                return write()
            except UnitFailed as error:
                if "`seq`" not in error.reason or not left:
                    raise
                self._numbers.renew()
        raise AssertionError("the last attempt returns or raises")

    def _number(self, block: Block, count: int) -> range:
        return self._numbers.take(count)

    def _execute(self, text: str, parameters: Mapping[str, Any]) -> QueryResult:
        def rows(result: Result) -> QueryResult:
            return _table(result, self._most_rows)

        if _BRINGS_TRANSACTIONS.search(text):
            return self._server.alone(text, parameters, rows)
        return self._server.write(text, parameters, rows, "the statement", again=False)

    def _migrate(self, text: str) -> QueryResult:
        """Run a statement of a migration; again, where another process makes the same change at the same moment.

        The server looks whether an index is there before it locks, so IF NOT EXISTS and IF EXISTS can be overtaken.
        """
        for left in reversed(range(_SCHEMA_ATTEMPTS)):
            try:
                return self._execute(text, {})
            except QueryError as error:
                if ".Schema." not in str(getattr(error.__cause__, "code", "")) or not left:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _repeatable(self, unit: Unit) -> bool:
        """Whether running the unit a second time adds nothing: it is guarded, or finds what it made."""
        blocks = [self.library.block(step.block) for step in unit.steps]
        return all(block.held or not _CREATES.search(block.text) for block in blocks)


def _rows(statement: Statement, result: Result) -> list[Row]:
    if not statement.columns:
        result.consume()
        return []
    return rows_of(statement.columns, result.value()[0])


def _table(result: Result, max_rows: int | None) -> QueryResult:
    columns = list(result.keys())
    rows: list[list[Any]] = []
    for record in result:
        if max_rows is not None and len(rows) == max_rows:
            return QueryResult(columns, rows, truncated=True)
        rows.append([plain(value) for value in record.values()])
    return QueryResult(columns, rows)
