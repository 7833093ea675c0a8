"""Prints a result as a table, vertically, as CSV, as JSON or as JSON Lines."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from graphvine.workers.cli.output import as_json, one_line, plain, printable, screen

if TYPE_CHECKING:
    from graphvine.records import QueryResult


# Keys with which the engines mark nodes, relationships and paths.
_INTERNAL = {"_id", "_label", "_src", "_dst", "_from", "_to"}


def cell(value: Any) -> str:
    """The value as people read it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, dict):
        return _drawn(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_inner(item) for item in value)}]"
    return str(plain(value)) if isinstance(value, bytes) else str(value)


def field(value: Any) -> Any:
    """The value as a field of a CSV file: nothing for NULL, JSON for what has parts."""
    if value is None:
        return ""
    if isinstance(value, dict | list | tuple):
        return json.dumps(plain(value), ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str | int | float) else plain(value)


def _drawn(value: dict[str, Any]) -> str:
    if "_nodes" in value and "_rels" in value:
        return _path(value["_nodes"], value["_rels"])
    if "_label" in value:
        inside = f":{value['_label']}{_properties(value)}"
        if "_src" not in value:
            return f"({inside})"
        return f"({value['_from']})-[{inside}]->({value['_to']})" if "_from" in value else f"[{inside}]"
    return "{" + _pairs(value) + "}"


def _path(nodes: list[dict[str, Any]], steps: list[dict[str, Any]]) -> str:
    text = _drawn(nodes[0]) if nodes else "()"
    for before, step, after in zip(nodes, steps, nodes[1:], strict=False):
        forward = step.get("_src") == before.get("_id")
        text += f"-{_drawn(step)}->{_drawn(after)}" if forward else f"<-{_drawn(step)}-{_drawn(after)}"
    return text


def _properties(value: dict[str, Any]) -> str:
    known = {name: inner for name, inner in value.items() if name not in _INTERNAL and inner is not None}
    return " {" + _pairs(known) + "}" if known else ""


def _pairs(value: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {_inner(inner)}" for name, inner in value.items())


def _inner(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else cell(value)


_LONGEST_CELL = 400


def print_table(result: QueryResult) -> None:
    """A table that fits the terminal: wide values are shortened, and no column pays for another's."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    if not result.columns:
        return
    console = screen()
    heads = [one_line(name, _LONGEST_CELL) for name in result.columns]
    texts = [[one_line(cell(value), _LONGEST_CELL) for value in row] for row in result.rows]
    longest = [max(map(cell_len, column)) for column in zip(heads, *texts, strict=True)]
    widths = shares(longest, console.width - 3 * len(heads) - 1) if console.is_terminal else longest
    table = Table(box=box.ROUNDED if console.is_terminal else box.ASCII2, header_style="bold")
    for index, (head, width) in enumerate(zip(heads, widths, strict=True)):
        right = bool(result.rows) and all(_is_number(row[index]) for row in result.rows)
        justify: Any = "right" if right else "left"
        table.add_column(Text(head), justify=justify, overflow="ellipsis", no_wrap=True, width=width)
    for row, shown in zip(result.rows, texts, strict=True):
        table.add_row(*(Text(s, style="dim" if v is None else "") for v, s in zip(row, shown, strict=True)))
    console.print(table)


def print_vertical(result: QueryResult) -> None:
    """Each row as lines of its own, one a column, with nothing shortened."""
    widest = max(map(len, result.columns), default=0)
    for number, row in enumerate(result.rows, 1):
        print(f"-- row {number}")
        for name, value in zip(result.columns, row, strict=True):
            lines = printable(cell(value)).splitlines() or [""]
            print(f"{printable(name):>{widest}}: {lines[0]}")
            for line in lines[1:]:
                print(f"{'':>{widest}}  {line}")


def shares(wanted: Sequence[int], available: int) -> list[int]:
    """Divide the width: who wants less than an equal share gets it, the others share what is left."""
    given = [0] * len(wanted)
    left = max(available, len(wanted))
    for done, index in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        given[index] = min(wanted[index], left // (len(wanted) - done))
        left -= given[index]
    return given


def print_csv(result: QueryResult) -> None:
    """A head line, then a line a row. A terminal gets no character that could steer it."""
    steered = sys.stdout.isatty()

    def written(value: Any) -> Any:
        shown = field(value)
        return printable(shown) if steered and isinstance(shown, str) else shown

    if result.columns:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow([written(name) for name in result.columns])
        writer.writerows([written(value) for value in row] for row in result.rows)


def print_json(result: QueryResult) -> None:
    """One list a statement, one line a row."""
    rows = result.as_dicts()
    if not rows:
        print("[]")
    for index, row in enumerate(rows):
        print(f"{'[' if index == 0 else ' '}{as_json(row)}{']' if index == len(rows) - 1 else ','}")


def print_json_lines(result: QueryResult) -> None:
    for row in result:
        print(as_json(row))


FORMATS: dict[str, Callable[[QueryResult], None]] = {
    "table": print_table, "vertical": print_vertical, "csv": print_csv, "json": print_json, "jsonl": print_json_lines,
}  # fmt: skip


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
