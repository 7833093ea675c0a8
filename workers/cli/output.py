"""What commands print: tables for people, JSON for programs, errors as one sentence and an exit status."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


# Control characters, line ends and tabs aside, and those that turn the direction of writing.
_STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The same text with every character that could steer a terminal written out."""
    return _STEERS.sub(_written_out, text)


def is_text(text: str) -> bool:
    """Whether it can be stored and sent: bytes that were no text have become lone surrogates."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def one_line(text: str, longest: int | None = None) -> str:
    """The text on one line, shortened where it is long."""
    looked_at = text if longest is None else text[: 4 * longest]
    flat = printable(" ".join(looked_at.split()))
    if longest is not None and (len(flat) > longest or len(looked_at) < len(text)):
        return flat[: longest - 1] + "…"
    return flat


def plural(count: int, noun: str, several: str | None = None) -> str:
    """As people count: 1 row, 2 rows."""
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def _written_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


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


FAILED, INTERRUPTED, PIPE_CLOSED = 1, 130, 141


def tell(error: BaseException, *, verbose: bool) -> int:
    """Say what went wrong, and return the exit status for it."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        _write_nowhere()
        return PIPE_CLOSED
    if verbose:
        import traceback

        traceback.print_exception(error)
    print(f"error: {printable(_sentence(error))}", file=sys.stderr)
    return FAILED


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _write_nowhere() -> None:
    """Whoever read our output is gone; without this Python would complain once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
