"""A console session: splits lines into statements, runs them against the graph, prints the results."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from graphvine.errors import QueryError, QueryFileError, WriteRefused
from graphvine.queries.tokens import tokenise
from graphvine.workers.cli.console.formats import FORMATS
from graphvine.workers.cli.output import plural

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.records import QueryResult, TableInfo


@dataclass
class Session:
    graph: Graph
    format: str = "table"
    write: bool = False
    parameters: dict[str, Any] = field(default_factory=dict)
    max_rows: int | None = None
    timeout_seconds: float | None = None
    _tables: list[TableInfo] | None = None

    def run(self, statement: str) -> None:
        """Run one statement and print its rows; how many, and how long it took, goes to standard error."""
        started = time.perf_counter()
        result = self._ask(statement)
        seconds = time.perf_counter() - started
        FORMATS[self.format](result)
        sys.stdout.flush()
        took = f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
        print(f"{plural(len(result.rows), 'row')}, {took}", file=sys.stderr)
        if result.truncated:
            print("there are more: add LIMIT and SKIP, or allow more with --max-rows", file=sys.stderr)

    def tables(self) -> list[TableInfo]:
        """The tables of the graph, asked for again after a write."""
        if self._tables is None:
            self._tables = self.graph.tables()
        return self._tables

    def _ask(self, statement: str) -> QueryResult:
        try:
            return self._interruptible(statement)
        except WriteRefused:
            if not self.write:
                raise
        self._tables = None
        return self.graph.execute(statement, self.parameters)

    def _interruptible(self, statement: str) -> QueryResult:
        """In a thread of its own: the engine runs without Python, and would not hear a Ctrl-C here."""
        with ThreadPoolExecutor(max_workers=1) as pool:
            asked = pool.submit(
                lambda: self.graph.query(
                    statement, self.parameters, max_rows=self.max_rows, timeout_seconds=self.timeout_seconds
                )
            )
            try:
                while True:
                    try:
                        return asked.result(timeout=0.1)
                    except TimeoutError:
                        if asked.done():
                            raise
            except KeyboardInterrupt:
                self.graph.interrupt()
                raise


LONGEST = 100_000


def split(text: str) -> tuple[list[str], str]:
    """The statements that are complete, and the rest, which is not ended by a `;` yet."""
    try:
        tokens = tokenise(text)
    except QueryFileError:  # a string or a comment is still open
        return [], text
    ends = [token.end for token in tokens if token.text == ";"]
    edges = [0, *ends]
    found = [text[start:end].strip().rstrip(";").rstrip() for start, end in pairwise(edges)]
    rest = text[edges[-1] :] if any(t.start >= edges[-1] and t.kind != "comment" for t in tokens) else ""
    return [statement for statement in found if _says_something(statement)], rest.strip()


def is_meta(text: str) -> bool:
    """Whether this is a word for the console itself rather than Cypher."""
    return text.lstrip().startswith(":")


def is_complete(text: str) -> bool:
    """Whether a person who presses Enter here is done."""
    if not text.strip() or is_meta(text) or text.strip().lower() in {"exit", "quit"}:
        return True
    if ";" not in text:
        return False
    statements, rest = split(text)
    return bool(statements) and not rest


def from_lines(lines: Iterable[str]) -> Iterator[str]:
    """Statements and meta commands from lines; the last statement may go without its `;`."""
    pending = ""
    for line in lines:
        if not pending and is_meta(line):
            yield line.strip()
            continue
        pending += line
        if len(pending) > LONGEST:
            raise QueryError(f"a statement has more than {LONGEST} characters: is a ';' or a quote missing?")
        if ";" in line:
            statements, pending = split(pending)
            yield from statements
        elif not pending.strip():
            pending = ""
    # Whatever is left is a statement; one that holds nothing but comments is none.
    if pending.strip() and _says_something(pending):
        yield pending.strip()


def _says_something(statement: str) -> bool:
    try:
        return any(token.kind != "comment" for token in tokenise(statement))
    except QueryFileError:  # the engine's reader will say what is wrong with it
        return True
