"""How a call's parameters go into a statement: bounds and keys written out, long lists of rows as columns.

Bounds are literals, since Kuzu skips stretches of rows by a literal, never by a parameter. Measured at a million rows:
100 rows claimed between literal bounds take half the time that parameters take. The bounds only narrow what is looked
at (the exact numbers stand in the list, or in the rows), so they are widened to multiples of a stretch: neighbouring
batches then share one text, and with it one prepared plan. Numbers without a gap are compared with their ends and not
with a list: each row of the stretch would be looked up in it one by one, a third of the time that a claim of a thousand
rows takes.

Keys that are numbers are literals, since a number that comes as a parameter has the smallest type that holds it and is
cast to the key's; behind a cast the index is not seen, and the whole table is read (30 ms instead of 0.5 at half a
million rows). The same with a range of keys (3 ms instead of 30 at a million rows).

A list of structs is converted value by value (100 us for a row of twenty fields) and joined by nested loops where the
key is a number; a scan of columns costs a tenth of that, and its joins are hash joins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphvine.queries.compile import Scan, Statement, shared_template
from graphvine.queries.model import By
from graphvine.table import Table, column

_STRETCH = 8_192
# A plan made for one use costs about a millisecond, so a few rows are better off with the prepared statement.
FEWEST_ROWS = 32

Bound = tuple[str, Mapping[str, Any], bool]


def bind(statement: Statement, given: Mapping[str, Any]) -> Bound:
    """The text to run, its parameters, and whether it is run once: then it is not worth a prepared plan."""
    values: dict[str, str] = {}
    template, left = statement.template, given
    batch = statement.batch
    if batch is not None:
        values, left = _bounds(batch, given)
        if statement.dense is not None and _without_a_gap(batch, given):
            template = statement.dense
            left = {name: value for name, value in left.items() if name != batch.parameter}
            left[f"{batch.parameter}_first"], left[f"{batch.parameter}_last"] = given[batch.lo], given[batch.hi]
    if statement.scan is not None:
        scanned = _scanned(statement.scan, values, left)
        if scanned is not None:
            return scanned
    if template is None:
        return statement.text, left, False
    written = {name: str(left[name]) for name in statement.literals if type(left[name]) is int}
    if written:
        left = {name: value for name, value in left.items() if name not in written}
    return template.filled(values | written), left, bool(written)


def bind_shared(statement: Statement, given: Mapping[str, Any]) -> Bound:
    """The same for rows of several units: with `sums` in the place of a guard's token, `workers` of a worker's name."""
    assert statement.batch is not None, "not a statement that can be shared"
    values, left = _bounds(statement.batch, given)
    if workers := left.get("workers"):
        left["workers"] = [workers[0], *workers]
    batch, dense = statement.batch, _without_a_gap(statement.batch, given)
    template = shared_template(statement.text, batch, guard="sums" in left, workers=bool(workers), dense=dense)
    left |= {f"{batch.parameter}_first": given[batch.lo], f"{batch.parameter}_last": given[batch.hi]}
    if dense and not workers:
        del left[batch.parameter]
    return template.filled(values), left, False


def _bounds(batch: By, given: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """The bounds, widened, as texts; and the parameters without them."""
    values = {
        batch.lo: str(given[batch.lo] // _STRETCH * _STRETCH),
        batch.hi: str((given[batch.hi] // _STRETCH + 1) * _STRETCH),
    }
    return values, {name: value for name, value in given.items() if name not in values}


def _without_a_gap(batch: By, given: Mapping[str, Any]) -> bool:
    numbers, lo, hi = given[batch.parameter], given[batch.lo], given[batch.hi]
    if not numbers or len(numbers) != hi - lo + 1:
        return False
    return min(numbers) == lo and max(numbers) == hi and len(set(numbers)) == len(numbers)


def _scanned(scan: Scan, values: Mapping[str, str], left: Mapping[str, Any]) -> Bound | None:
    """The statement with its list as a table; None where that is not possible or not worth it."""
    rows = left[scan.parameter]
    if not isinstance(rows, list | Table) or not _worth_it(rows):
        return None
    columns = _columns(rows, [field for field, _ in scan.fields])
    if not columns:
        return None
    import pyarrow

    table = pyarrow.table({f"column_{field}": values_ for field, values_ in columns.items()})
    return scan.text(columns, values), {**left, scan.parameter: table}, True


def _worth_it(rows: Sequence[Any]) -> bool:
    """Many rows; or a field without a value, which the engine would take for a text in a list of structs."""
    return len(rows) >= FEWEST_ROWS or any(None in row.values() for row in rows if isinstance(row, dict))


def _columns(rows: Sequence[Any], fields: list[str]) -> dict[str, Any] | None:
    import importlib.util  # noqa: F401  Kuzu's scan of an Arrow table needs it loaded under Python 3.11

    import pyarrow

    columns = {}
    for field in fields:
        try:
            values = pyarrow.array(column(rows, field))
        except pyarrow.ArrowException:
            return None  # mixed types
        if pyarrow.types.is_null(values.type):
            continue
        if not _plain(values.type):
            return None
        columns[field] = values
    return columns


def _plain(kind: Any) -> bool:
    import pyarrow.types as types

    inner = kind.value_type if types.is_list(kind) else None
    simple = types.is_int64(kind) or types.is_string(kind) or types.is_boolean(kind) or types.is_timestamp(kind)
    return bool(simple or (inner is not None and types.is_int64(inner)))
