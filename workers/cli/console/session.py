"""A console session: splits lines into statements, runs them against the graph, prints the results."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphvine.errors import QueryError, QueryFileError, WriteRefused, did_you_mean
from graphvine.pipelines import tables as schema_tables
from graphvine.queries.tokens import tokenise
from graphvine.workers.cli.console.formats import FORMATS
from graphvine.workers.cli.output import plural
from graphvine.workers.cli.pager import paged

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.records import QueryResult, TableInfo


# Ends of relationships that are looked up for one result, and for how long.
_MOST_ENDS, _ENDS_SECONDS = 100, 2.0


@dataclass
class Session:
    graph: Graph
    format: str = "table"
    write: bool = False
    parameters: dict[str, Any] = field(default_factory=dict)
    max_rows: int | None = None
    timeout_seconds: float | None = None
    output: Path | None = None
    _tables: list[TableInfo] | None = None

    def run(self, statement: str) -> None:
        """Run one statement and print its rows; how many, and how long it took, goes to standard error."""
        check_parameters(statement, self.parameters)
        started = time.perf_counter()
        try:
            result = self._ask(statement)
        except QueryError as error:
            raise explained(error, statement, self.tables()) from error
        seconds = time.perf_counter() - started
        if self.format in ("table", "vertical"):
            result = self._with_ends(result)
        if self.output is None:
            with paged():
                FORMATS[self.format](result)
            sys.stdout.flush()
        else:
            with self.output.open("a", encoding="utf-8") as file, redirect_stdout(file):
                FORMATS[self.format](result)
        took = f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
        more = "+" if result.truncated else ""
        into = f", written to {self.output}" if self.output is not None else ""
        print(
            f"{plural(len(result.rows), 'row') if not more else f'{len(result.rows):,}+ rows'}, {took}{into}",
            file=sys.stderr,
        )
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

    def _with_ends(self, result: QueryResult) -> QueryResult:
        """Relationships with the keys of both ends, those of nodes that were not returned included."""
        found = [value for row in result.rows for value in row if isinstance(value, dict) and "_src" in value]
        if not found:
            return result
        keys = {name: table.key for name, table in schema_tables(self.graph.library).items()}
        nodes = [value for row in result.rows for value in row if isinstance(value, dict) and "_src" not in value]
        wanted = {str(one[end]): one[end] for one in found for end in ("_src", "_dst")}
        for node in nodes:
            wanted.pop(str(node.get("_id")), None)
        nodes += self._nodes(list(wanted.values())[:_MOST_ENDS])
        names = {
            str(node["_id"]): str(node.get(keys.get(node["_label"], ""), node["_label"]))
            for node in nodes
            if node.get("_label")
        }
        for one in found:
            one["_from"], one["_to"] = (names.get(str(one[end]), "") for end in ("_src", "_dst"))
        return result

    def _nodes(self, ids: list[Any]) -> list[dict[str, Any]]:
        if not ids:
            return []
        if isinstance(ids[0], dict):
            listed = ", ".join(f"internal_id({one['table']}, {one['offset']})" for one in ids)
            text = f"MATCH (n) WHERE id(n) IN [{listed}] RETURN n"
        else:
            text = f"MATCH (n) WHERE elementId(n) IN {json.dumps(ids)} RETURN n"
        try:
            return [row[0] for row in self.graph.query(text, timeout_seconds=_ENDS_SECONDS).rows]
        except QueryError:  # they are a convenience: a large graph is not waited for
            return []

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
    return (text for _, text in numbered(lines))


def numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The same with the number of the line on which each begins."""
    pending, first = "", 1
    for number, line in enumerate(lines, 1):
        if not pending:
            first = number
            if is_meta(line):
                yield number, line.strip()
                continue
        pending += line
        if len(pending) > LONGEST:
            raise QueryError(f"a statement has more than {LONGEST} characters: is a ';' or a quote missing?")
        if ";" in line:
            whole = pending
            statements, pending = split(whole)
            at = 0
            for statement in statements:
                at = whole.index(statement, at)
                yield first + whole.count("\n", 0, at), statement
                at += len(statement)
            first = number
        elif not pending.strip():
            pending = ""
    # Whatever is left is a statement; one that holds nothing but comments is none.
    if pending.strip() and _says_something(pending):
        yield first + pending[: len(pending) - len(pending.lstrip())].count("\n"), pending.strip()


def _says_something(statement: str) -> bool:
    try:
        return any(token.kind != "comment" for token in tokenise(statement))
    except QueryFileError:  # the engine's reader will say what is wrong with it
        return True


def check_parameters(statement: str, given: Iterable[str]) -> None:
    """Raise where a parameter has no value: an engine may take it for NULL without a word."""
    try:
        named = {token.text[1:]: None for token in tokenise(statement) if token.kind == "parameter"}
    except QueryFileError:  # what is wrong with it is said when it is read
        return
    if missing := [name for name in named if name not in given]:
        listed = ", ".join(f"${name}" for name in missing)
        raise QueryError(f"{listed} has no value: give it by --param {missing[0]}=JSON, or :param {missing[0]}=JSON")


_PLACE = re.compile(r"\(line: (\d+), offset: (\d+)\)")
_TABLE = re.compile(r"Table (\w+) does not exist")
_PROPERTY = re.compile(r"Cannot find property (\w+) for")
_FUNCTION = re.compile(r"function (\w+) does not exist", re.IGNORECASE)
_VARIABLE = re.compile(r"Variable (\w+) is not in scope")


def explained(error: QueryError, statement: str, tables: Sequence[TableInfo]) -> QueryError:
    """The engine's error with what may have been meant, and a caret under the place."""
    message, place = str(error), None
    known: Iterable[str] = ()
    word = ""
    if found := _TABLE.search(message):
        word, known = found[1], [table.name for table in tables]
    elif found := _PROPERTY.search(message):
        word, known = found[1], {name for table in tables for name, _ in table.properties}
    elif found := _FUNCTION.search(message):
        word, known = found[1].lower(), FUNCTIONS
    elif found := _VARIABLE.search(message):
        word, known = found[1], set(re.findall(r"[(\[]\s*(\w+)\s*[:)]", statement)) - {found[1]}
    elif found := _PLACE.search(message):
        place = int(found[1]) - 1, int(found[2])
        message = message[: found.start()].rstrip()
        message = re.sub(
            r"Invalid input <.*>: expected rule oC_\w+",
            "the statement can't be read from here",
            message,
            flags=re.DOTALL,
        )
    if word:
        message += did_you_mean(word, list(known))
        spot = re.search(rf"\b{re.escape(word)}\b", statement, re.IGNORECASE)
        if spot is not None:
            before = statement[: spot.start()]
            place = before.count("\n"), len(before) - before.rfind("\n") - 1
    lines = statement.splitlines()
    if place is not None and place[0] < len(lines):
        line, column = lines[place[0]], min(place[1], len(lines[place[0]]))
        cut = max(0, column - 60)
        message += f"\n  {line[cut : cut + 100]}\n  {' ' * (column - cut)}^"
    return type(error)(message)


FUNCTIONS = (
    "count", "sum", "avg", "min", "max", "collect", "size", "lower", "upper", "substring", "coalesce", "id", "label",
    "labels", "type", "keys", "properties", "nodes", "rels", "length", "range", "show_tables", "table_info",
)  # fmt: skip
