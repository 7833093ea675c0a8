"""What commands write to standard output: tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from graphvine.workers.cli.text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

# Without a terminal nothing has to fit: a table is as wide as its cells.
_WIDE = 10_000


def screen(*, stderr: bool = False) -> Console:
    """A rich console that prints what it is given: no markup, no emoji codes, no highlighting of numbers."""
    from rich.console import Console

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _WIDE
    return PlainConsole(file=stream, width=width, markup=False, emoji=False, highlight=False)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], *, right: Sequence[str] = (), title: str = ""
) -> Table:
    """A table of plain cells; numbers stand to the right in the columns named."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(
        box=box.SIMPLE_HEAD, show_edge=False, title=title or None, title_justify="left", pad_edge=False, padding=(0, 1)
    )
    for column in columns:
        made.add_column(Text(column), justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(printable(str(cell))) for cell in row))
    return made


def show(renderable: Any) -> None:
    """Print to standard output."""
    screen().print(renderable)


def show_json(value: Any, *, indent: int | None = 2) -> None:
    """Print one JSON document to standard output."""
    print(as_json(value, indent=indent))


def as_json(value: Any, *, indent: int | None = None) -> str:
    utf8 = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    return json.dumps(plain(value), indent=indent, ensure_ascii=not utf8, allow_nan=False)


def plain(value: Any) -> Any:
    """The value in JSON's types: times as ISO 8601, what has no place in JSON (NaN, infinity) as null."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        # A lone surrogate can't be written out as UTF-8.
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes | bytearray):
        return value.hex()
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, dict):
        # A node found without its label carries the properties of every table: those that it has not are left out.
        kept = {name: inner for name, inner in value.items() if inner is not None} if "_label" in value else value
        return {str(name): plain(inner) for name, inner in kept.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    return str(value)
