"""What commands print: tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import typer
    from rich.console import Console, ConsoleOptions
    from rich.table import Table
    from rich.text import Text


# Control characters, line ends and tabs aside, and those that turn the direction of writing.
_STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The same text with every character that could steer a terminal written out."""
    return _STEERS.sub(_written_out, text)


def highlighted(text: str, marks: Sequence[tuple[int, int]]) -> str:
    """A piece of text on one line, with what is marked in bold where a terminal shows it."""
    if not sys.stdout.isatty():
        return one_line(text, len(text))
    parts, end = list[str](), 0
    for start, stop in marks:
        parts += [printable(text[end:start]), "\033[1m", printable(text[start:stop]), "\033[0m"]
        end = stop
    return " ".join("".join([*parts, printable(text[end:])]).split())


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
    width = None if stream.isatty() or os.environ.get("COLUMNS", "").isdigit() else _WIDE
    return PlainConsole(file=stream, width=width, markup=False, emoji=False, highlight=False)


def paragraph(text: str, indent: int = 0, bold: Collection[str] = ()) -> None:
    """Print a text that wraps between words on a terminal, indented, these words in bold; elsewhere it is one line."""
    import re
    import textwrap

    margin = " " * indent
    width = max(screen().width, indent + 20)
    words = "|".join(sorted(map(re.escape, bold), key=len, reverse=True)) if sys.stdout.isatty() else ""
    for line in textwrap.wrap(text, width - indent, break_long_words=False, break_on_hyphens=False) or [""]:
        shown = re.sub(rf"\b(?:{words})\b", "\033[1m\\g<0>\033[0m", line) if words else line
        print(f"{margin}{shown}")


@dataclass(frozen=True)
class Listing:
    """A table of plain cells where that fits the terminal; otherwise each row as lines of its own."""

    columns: Sequence[str]
    rows: list[list[Text]]
    right: Sequence[str]
    title: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        from rich.text import Text

        # A column may wrap between words, and must be as wide as its longest one, or as half of a very long one.
        least = [
            max([len(name), *(_widest_word(row[index].plain) for row in self.rows)], default=0)
            for index, name in enumerate(self.columns)
        ]
        if sum(least) + 3 * len(least) <= options.max_width:
            yield self._table(least)
            return
        if self.title:
            yield Text(self.title, style="italic")
        widest = max(map(len, self.columns), default=0)
        for row in self.rows:
            shown = [(name, cell) for name, cell in zip(self.columns, row, strict=True) if cell.plain.strip()]
            for number, (name, cell) in enumerate(shown):
                indent = " " * (widest + 2)
                wide = max(options.max_width - len(indent), 20)
                lines = cell.wrap(console, wide) or [Text()]
                for index, line in enumerate(lines):
                    head = name.ljust(widest) + "  " if index == 0 else indent
                    yield Text(head, style="bold" if number == 0 else "dim") + line
            yield Text()

    def _table(self, least: Sequence[int]) -> Table:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        made = Table(
            box=box.SIMPLE_HEAD, show_edge=False, title=self.title or None, title_justify="left", pad_edge=False,
            padding=(0, 1),
        )  # fmt: skip
        for column, width in zip(self.columns, least, strict=True):
            justify: Any = "right" if column in self.right else "left"
            made.add_column(Text(column), justify=justify, overflow="fold", min_width=width)
        for row in self.rows:
            made.add_row(*row)
        return made


_LONGEST_WORD = 24


def _widest_word(text: str) -> int:
    return min(max(map(len, text.split()), default=0), _LONGEST_WORD)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], *, right: Sequence[str] = (), title: str = ""
) -> Listing:
    """A table of plain cells; numbers stand to the right in the columns named."""
    from rich.text import Text

    cells = [[cell if isinstance(cell, Text) else Text(printable(str(cell))) for cell in row] for row in rows]
    return Listing(columns, cells, right, title)


def show(renderable: Any) -> None:
    """Print to standard output."""
    screen().print(renderable)


def report(context: typer.Context, sentence: str, **fields: Any) -> None:
    """Say what a command did: a sentence, or with --json one object."""
    from graphvine.workers.cli.options import common

    if common(context).json:
        respond(context, **fields)
    else:
        print(printable(sentence))


def respond(context: typer.Context, **fields: Any) -> None:
    """Print one JSON object, the graph first: the shape of every command's --json."""
    from graphvine.workers.cli.open_graph import place

    show_json({"graph": place(context), **fields})


def listed(context: typer.Context, name: str, rows: Iterable[Any], **more: Any) -> bool:
    """Print rows for other programs where an option asks for it; otherwise they are still to be shown to people."""
    from graphvine.workers.cli.options import common

    form = common(context).form
    if form == "json":
        respond(context, **{name: list(rows)}, **more)
    elif form:
        show_rows([plain(row) for row in rows], as_csv=form == "csv")
    return bool(form)


def size(count: int) -> str:
    """As people read bytes: 1.5 MB."""
    for unit, power in (("GB", 3), ("MB", 2), ("KB", 1)):
        if count >= 1000**power:
            return f"{count / 1000**power:.1f} {unit}"
    return plural(count, "byte")


def local_time(moment: datetime | None) -> str:
    """A moment in the zone of the reader, as ISO 8601 writes it; nothing for none."""
    if moment is None:
        return ""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return aware.astimezone().isoformat(" ", "seconds")


def show_rows(rows: Sequence[Mapping[str, Any]], *, as_csv: bool) -> None:
    """Rows for other programs: as CSV with a head line, or as JSON Lines."""
    if not as_csv:
        for row in rows:
            print(as_json(row))
    elif rows:
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(rows[0])
        for row in rows:
            cells = (plain(value) for value in row.values())
            writer.writerow("" if c is None else json.dumps(c) if isinstance(c, dict | list) else c for c in cells)


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
