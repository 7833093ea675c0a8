"""Rows that are kept by column: for bulk writes.

A dict of twenty fields takes a kilobyte, as many places in lists a sixth of that; and the embedded engines want columns
anyway. It reads like a list of dicts, which are made as they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from graphvine.records import Row


class Table(Sequence[Row]):
    __slots__ = ("columns",)

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        lengths = {len(values) for values in columns.values()}
        if len(lengths) != 1:
            raise ValueError(f"columns of one table have one length, not {sorted(lengths)}")
        self.columns = dict(columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Table: ...

    def __getitem__(self, index: int | slice) -> Row | Table:
        if isinstance(index, slice):
            return Table({name: values[index] for name, values in self.columns.items()})
        return {name: values[index] for name, values in self.columns.items()}

    def __iter__(self) -> Iterator[Row]:
        names = list(self.columns)
        return (dict(zip(names, row, strict=True)) for row in zip(*self.columns.values(), strict=True))

    def having(self, name: str, values: Sequence[Any]) -> Table:
        """The same rows with another column, or with other values in one."""
        return Table({**self.columns, name: values})


def column(rows: Sequence[Row], name: str) -> Sequence[Any]:
    """One field of all rows, whichever way they are kept."""
    return rows.columns[name] if isinstance(rows, Table) else [row[name] for row in rows]


def as_dicts(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Parameters for who knows only lists of dicts."""
    if not any(isinstance(value, Table) for value in parameters.values()):
        return parameters
    return {name: list(value) if isinstance(value, Table) else value for name, value in parameters.items()}
