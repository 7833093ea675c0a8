"""Long lists of rows go to Kuzu as columns: `UNWIND $rows AS r WITH r.a AS a` is run as a scan of an Arrow table.

A list of structs is converted value by value (100 us for a row of twenty fields) and joined by nested loops where the
key is a number; a scan of columns costs a tenth of that, and its joins are hash joins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from graphvine.table import Table, column

# A plan made for one use costs about a millisecond, so a few rows are better off with the prepared statement.
FEWEST_ROWS = 32
_HEAD = re.compile(
    r"\s*UNWIND\s+\$(?P<list>\w+)\s+AS\s+(?P<row>\w+)\s+WITH\s+(?P<items>[^()]*?)\s*(?=\b(?:MATCH|MERGE|CREATE|WHERE|WITH)\b)"
)
# A name may stand in backticks, where an engine has the word for something else.
_ITEM = re.compile(r"(?P<row>\w+)\.`?(?P<field>\w+)`?\s+AS\s+(?P<name>\w+|`\w+`)")


@lru_cache(maxsize=1000)
def _shape(text: str) -> tuple[str, tuple[tuple[str, str], ...], str] | None:
    """The list's name, (field, name) of each projected value, and the rest; None for any other statement."""
    head = _HEAD.match(text)
    if head is None:
        return None
    items = [_ITEM.fullmatch(item.strip()) for item in head["items"].split(",")]
    rest = text[head.end() :]
    if re.search(rf"\b{head['row']}\.|\${head['list']}\b", rest):
        return None
    fields = tuple((item["field"], item["name"]) for item in items if item is not None and item["row"] == head["row"])
    return (head["list"], fields, rest) if len(fields) == len(items) else None


def as_columns(text: str, parameters: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The statement and its parameters with the list as a table; None where that is not possible or not worth it."""
    shape = _shape(text) if any(isinstance(value, list | Table) for value in parameters.values()) else None
    if shape is None or not _worth_it(parameters[shape[0]]):
        return None
    name, fields, rest = shape
    columns = _columns(parameters[name], [field for field, _ in fields])
    if not columns:
        return None
    import pyarrow

    # The engine can't tell the type of a column that holds nothing.
    projected = [f"{field} AS {alias}" if field in columns else f"NULL AS {alias}" for field, alias in _aliased(fields)]
    loaded = f"LOAD FROM ${name} WITH {', '.join(projected)}\n{rest}"
    return loaded, {**parameters, name: pyarrow.table(columns)}


def _worth_it(rows: Sequence[Any]) -> bool:
    """Many rows; or a field without a value, which the engine would take for a text in a list of structs."""
    return len(rows) >= FEWEST_ROWS or any(None in row.values() for row in rows if isinstance(row, dict))


def _aliased(fields: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    return [(f"column_{field}", name) for field, name in fields]


def _columns(rows: Sequence[Any], fields: list[str]) -> dict[str, Any] | None:
    import importlib.util  # noqa: F401  Kuzu's scan of an Arrow table needs it loaded under Python 3.11

    import pyarrow

    columns = {}
    for field in fields:
        try:
            values = _array(column(rows, field))
        except pyarrow.ArrowException:
            return None  # mixed types
        if pyarrow.types.is_null(values.type):
            continue
        if not _plain(values.type):
            return None
        columns[f"column_{field}"] = values
    return columns


def _array(values: Sequence[Any]) -> Any:
    import pyarrow

    sample = next((value for value in values if value), None)
    # Vectors are kept with 32 bits a number; Kuzu converts longer ones value by value, forty times as slowly.
    is_vector = isinstance(sample, list) and isinstance(sample[0], float)
    return pyarrow.array(values, type=pyarrow.list_(pyarrow.float32()) if is_vector else None)


def _plain(kind: Any) -> bool:
    import pyarrow.types as types

    inner = kind.value_type if types.is_list(kind) else None
    of_numbers = inner is not None and (types.is_int64(inner) or types.is_float32(inner))
    simple = types.is_int64(kind) or types.is_string(kind) or types.is_boolean(kind) or types.is_timestamp(kind)
    return bool(simple or of_numbers)
