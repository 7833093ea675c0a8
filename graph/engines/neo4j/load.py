"""Rows from columns into Neo4j: batches for the blocks that create nodes and relationships."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from graphvine.engines.neo4j.values import quoted
from graphvine.errors import QueryError, StoreError
from graphvine.pipelines import tables
from graphvine.queries import Library
from graphvine.records import Row

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

# Whole rows, vectors and texts included, have to fit into the server's memory as often as workers load.
_ROWS_AT_ONCE = 2_000


class Load:
    """The load of one table."""

    def __init__(self, table: str, library: Library) -> None:
        declared = tables(library)
        if table not in declared or declared[table].entity not in library.entities:
            raise QueryError(f"there is no table {table!r} to load into here")
        self._table = declared[table]
        if self._table.kind == "NODE":
            names = {"Node": table}
            self._text = library.block("graph.load_nodes").text
        else:
            source, target = declared[self._table.source], declared[self._table.target]
            names = {
                "RELATIONSHIP": table, "Source": source.name, "source_key": source.key, "Target": target.name,
                "target_key": target.key,
            }  # fmt: skip
            self._text = library.block("graph.load_relationships").text
        for placeholder, name in names.items():
            self._text = self._text.replace(f"`{placeholder}`", quoted(name))

    def batches(self, columns: Any) -> Iterator[list[Row]]:
        """The rows of columns (a mapping, an Arrow table, or several of them), some thousand at a time."""
        rows = (self._checked(row) for part in _parts(columns) for row in _rows(part))
        while batch := list(islice(rows, _ROWS_AT_ONCE)):
            yield batch

    def _checked(self, row: Row) -> Row:
        """As a typed engine would take it: declared columns and types alone, and what is left out by its default."""
        for name, value in row.items():
            kind = self._table.values.get(name, "" if name not in _ENDS or self._table.kind == "NODE" else "ANY")
            if not kind:
                raise QueryError(f"{self._table.name} has no column {name!r}")
            if value is not None and not isinstance(value, _python_types(kind)):
                raise QueryError(f"{self._table.name}.{name} is {kind}, so it can't be {value!r}")
        return {**self._table.defaults, **row}

    def run(self, batch: list[Row], transaction: ManagedTransaction) -> int:
        """Create these rows."""
        if self._table.kind == "NODE":
            transaction.run(self._text, rows=batch).consume()
            return len(batch)
        ends = [
            {"source": row["from"], "target": row["to"], "columns": {n: v for n, v in row.items() if n not in _ENDS}}
            for row in batch
        ]
        loaded: int = transaction.run(self._text, rows=ends).value()[0]
        if loaded != len(batch):
            missing = len(batch) - loaded
            raise StoreError(f"{missing} relationships {self._table.name} lead to nodes that are not there")
        return loaded


_ENDS = ("from", "to")


def _python_types(kind: str) -> type | tuple[type, ...]:
    if kind.endswith("]"):
        return (list, tuple)
    if kind.startswith(("INT", "UINT", "SERIAL")):
        return int
    if kind in ("FLOAT", "DOUBLE"):
        return (float, int)
    return {"STRING": str, "BOOL": bool, "TIMESTAMP": datetime}.get(kind, object)


def _parts(columns: Any) -> Iterator[Any]:
    yield from columns if isinstance(columns, list | Iterator) else [columns]


def _rows(part: Any) -> Iterator[Row]:
    if not isinstance(part, Mapping):  # an Arrow table
        for batch in part.to_batches(max_chunksize=_ROWS_AT_ONCE):
            yield from ({name: _aware(value) for name, value in row.items()} for row in batch.to_pylist())
        return
    names = list(part)
    for values in zip(*part.values(), strict=True):
        yield {name: _aware(value) for name, value in zip(names, values, strict=True)}


def _aware(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value
