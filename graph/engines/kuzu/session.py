"""One connection to an embedded engine: statements prepared once, results in the same shapes on every engine."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

from graphvine.engines.kuzu.binding import bind, bind_shared
from graphvine.errors import QueryError
from graphvine.queries import QueryFileError
from graphvine.queries.compile import Statement
from graphvine.queries.tokens import tokenise
from graphvine.records import QueryResult, Row
from graphvine.table import as_dicts
from graphvine.vectors import packed, unpack

# A text that is executed and not prepared leaks its plan for the connection's life, about 1.5 KB.
_ADHOC_BEFORE_RECYCLING = 200
# The plan also keeps the table that it was given: so much of it weighs like one more text.
_TABLE_BYTES_LIKE_A_TEXT = 128 << 10
_PLANS_KEPT = 1_000
# So many rows of plain values are quicker fetched as columns: a third of the time.
_MANY, _ROWS_OF_A_CHUNK = 256, 10_000
_OWN_TRANSACTION = re.compile(r"\s*(BEGIN|COMMIT|ROLLBACK)\b", re.IGNORECASE)
_MORE_MEMORY = " (give it more with the setting buffer_pool_mb)"
_SIMPLE = frozenset({"INT64", "STRING", "BOOL", "DOUBLE"})


class Session:
    def __init__(self, driver: Any, database: Any, threads: int) -> None:
        self._connection = driver.Connection(database, num_threads=threads)
        self._prepared: dict[str, Any] = {}
        self._adhoc = 0

    @property
    def worn(self) -> bool:
        return self._adhoc >= _ADHOC_BEFORE_RECYCLING

    def rows(self, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        """Run a compiled statement."""
        if statement.packs:
            parameters = packed(parameters, statement.rows, statement.packs)
        text, given, once = bind(statement, parameters)
        if once:
            self._adhoc += 1 + _table_bytes(given) // _TABLE_BYTES_LIKE_A_TEXT
            rows = self._all(self._connection.execute(text, dict(given) or None))
        else:
            rows = self.prepared(text, given)
        for name in statement.unpacks:
            for row in rows:
                row[name] = unpack(row[name])
        return rows

    def shared(self, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        """Run a compiled statement for rows of several units."""
        text, given, _ = bind_shared(statement, parameters)
        return self.prepared(text, given)

    def prepared(self, text: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Run a text as it is; it will come again, so its plan is kept."""
        statement = self._prepared.get(text)
        if statement is None:
            self._adhoc += len(self._prepared) >= _PLANS_KEPT  # each new text costs a plan that is never freed
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # deprecated upstream, but the only way not to leak
                statement = self._prepared[text] = self._connection.prepare(text)
            if not statement.is_success():
                del self._prepared[text]
                raise RuntimeError(statement.get_error_message())
        return self._all(self._connection.execute(statement, dict(as_dicts(parameters))))

    def _all(self, result: Any) -> list[Row]:
        try:
            return _dicts(result)
        finally:
            result.close()

    def table(
        self, text: str, parameters: Mapping[str, Any], max_rows: int | None = None, timeout_ms: int = 0,
        max_bytes: int | None = None,
    ) -> QueryResult:  # fmt: skip
        """Run a statement that somebody typed; the last one's rows where it is several."""
        self._adhoc += 1
        self._connection.set_query_timeout(timeout_ms)
        results = self._connection.execute(text, dict(parameters) or None)
        if not isinstance(results, list):
            results = [results]
        try:
            last = results[-1]
            rows: list[list[Any]] = []
            left = max_bytes or 0
            while last.has_next() and (max_rows is None or len(rows) < max_rows):
                row = [plain(value) for value in last.get_next()]
                if max_bytes is not None:
                    left -= weight(row)
                    if left < 0 and not rows:
                        raise QueryError(f"a single row has more than {max_bytes >> 20} MB: return less of it")
                    if left < 0:
                        return QueryResult(last.get_column_names(), rows, truncated=True)
                rows.append(row)
            return QueryResult(last.get_column_names(), rows, truncated=last.has_next())
        finally:
            for result in results:
                result.close()
            self._connection.set_query_timeout(0)

    def stream(self, text: str) -> Iterator[list[Any]]:
        """Run a read and hand out its rows one by one."""
        self._adhoc += 1
        result = self._connection.execute(text)
        try:
            while result.has_next():
                yield [plain(value) for value in result.get_next()]
        finally:
            result.close()

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Inside it, the engine itself refuses to write."""
        self.run("BEGIN TRANSACTION READ ONLY")
        try:
            yield
        except BaseException:
            self._adhoc = _ADHOC_BEFORE_RECYCLING  # what a failed statement leaves open goes with the connection
            raise
        self.run("COMMIT")

    def run(self, text: str, parameters: Mapping[str, Any] | None = None) -> None:
        self._connection.execute(text, dict(parameters) if parameters else None).close()

    def interrupt(self) -> None:
        """End what this connection is running; from another thread."""
        self._connection.interrupt()

    def begin(self) -> None:
        self.prepared("BEGIN TRANSACTION", {})

    def commit(self) -> None:
        self.prepared("COMMIT", {})

    def close(self) -> None:
        self._prepared.clear()
        self._connection.close()


def _table_bytes(parameters: Mapping[str, Any]) -> int:
    return sum(getattr(value, "nbytes", 0) for value in parameters.values())


def _dicts(result: Any) -> list[Row]:
    names, kinds = result.get_column_names(), result.get_column_data_types()
    if _SIMPLE.issuperset(kinds) and result.get_num_tuples() >= _MANY:
        columns = [column.to_pylist() for column in result.get_as_arrow(_ROWS_OF_A_CHUNK).columns]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    odd = [
        index for index, kind in enumerate(kinds)
        if kind.startswith(("TIMESTAMP", "DECIMAL", "INT128", "NODE", "REL", "STRUCT", "RECURSIVE")) or "[" in kind
    ]  # fmt: skip
    rows: list[Row] = []
    while result.has_next():  # one by one: a window's worth of rows is not held twice
        row = result.get_next()
        for index in odd:
            row[index] = plain(row[index])
        rows.append(dict(zip(names, row, strict=True)))
    return rows


def plain(value: Any) -> Any:
    """The same value on every engine: times aware and in UTC, whole numbers as int."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


def weight(value: Any) -> int:
    """About how many bytes a value takes in an answer."""
    if isinstance(value, str | bytes):
        return len(value) + 4
    if isinstance(value, dict):
        return 4 + sum(weight(name) + weight(inner) for name, inner in value.items())
    if isinstance(value, list):
        return 4 + sum(map(weight, value))
    return 8


def sentence(error: BaseException) -> str:
    """What the engine says, without the lists of signatures that it likes to add."""
    said = " ".join(str(error).splitlines()[:2])[:500].rstrip(". ")
    return f"{said}{_MORE_MEMORY}" if is_out_of_memory(error) and not said.endswith(_MORE_MEMORY) else said


def is_out_of_memory(error: BaseException) -> bool:
    return "buffer pool is full" in str(error)


def arrow(columns: Any) -> Any:
    """Columns as an Arrow table, which is what COPY reads."""
    import importlib.util  # noqa: F401  Kuzu's scan of an Arrow table needs it loaded under Python 3.11

    import pyarrow

    return columns if isinstance(columns, pyarrow.Table) else pyarrow.table(dict(columns))


def copy_in(
    session: Session, table: str, parts: Iterable[Any], make_room: Callable[[int], None],
    progress: Callable[[int], None] | None,
) -> int:  # fmt: skip
    """Load a table from columns, part by part; how many rows there were. `make_room` raises where one is too much."""
    loaded = 0
    for part in parts:
        rows = arrow(part)
        make_room(rows.nbytes)
        names = "" if "from" in rows.column_names else f"({', '.join(rows.column_names)})"
        session.run(f"COPY {table}{names} FROM $rows", {"rows": rows})
        loaded += rows.num_rows
        if progress is not None:
            progress(loaded)
    return loaded


def apart(text: str) -> list[str]:
    """The statements of a text, which end in semicolons; none of them may begin or end a transaction."""
    try:
        ends = [token.start for token in tokenise(text) if token.text == ";"]
    except QueryFileError as error:
        raise QueryError(f"the statement can't be read: {error.message}") from None
    parts = [text[start:end].lstrip(";") for start, end in pairwise([0, *ends, len(text)])]
    if any(_OWN_TRANSACTION.match(part) for part in parts):
        raise QueryError("each statement is a transaction of its own here: leave BEGIN, COMMIT and ROLLBACK out")
    return [part for part in parts if part.strip()] or [text]
