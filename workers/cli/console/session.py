"""One session of the console: it runs statements against the graph and prints what comes back."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphvine.errors import WriteRefused
from graphvine.workers.cli.console.formats import FORMATS
from graphvine.workers.cli.text import plural

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
