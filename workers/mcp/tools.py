"""What an assistant can ask. Each call opens the graph and closes it, one at a time: no file is held between calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, fields
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.search.kinds import Mode


_LONGEST_TEXT = 2_000
# Longer lists of numbers are vectors, which tell a reader nothing.
_LONGEST_NUMBERS = 16
# Of one answer, in characters, roughly.
MOST_CHARACTERS = 100_000


def shaped(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}… ({len(value)} characters)"
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(name): shaped(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        if len(value) > _LONGEST_NUMBERS and all(isinstance(one, int | float) for one in value):
            return f"({len(value)} numbers)"
        return [shaped(inner) for inner in value]
    return str(value)


def fitting(rows: Iterable[Any]) -> tuple[list[Any], bool]:
    """As many rows as fit into one answer, shaped, and whether some did not."""
    kept: list[Any] = []
    left = MOST_CHARACTERS
    for row in rows:
        made = shaped(row)
        left -= len(repr(made))
        if left < 0 and kept:
            return kept, True
        kept.append(made)
    return kept, False


_MOST_FOUND, _MOST_NEIGHBOURS = 50, 200
_HIDDEN = frozenset({"children", "story"})


class Tools:
    def __init__(
        self, opened: Callable[[], AbstractContextManager[Graph]], *, max_rows: int = 200, seconds: float = 10
    ) -> None:
        self._opened, self._max_rows, self._seconds = opened, max_rows, seconds
        self._one_at_a_time = threading.Lock()

    def search(self, words: str, kind: Sequence[str] = (), mode: Mode = "walk", limit: int = 10) -> dict[str, Any]:
        """Find sections of articles, items of Hacker News, news and pages, with citations."""
        with self._graph() as graph:
            hits = graph.search(words, kind=kind, mode=mode, limit=max(1, min(limit, _MOST_FOUND)))
        found, cut = fitting(asdict(hit) for hit in hits)
        return {"found": found, "cut": cut}

    def cypher(
        self, statement: str, parameters: dict[str, Any] | None = None, max_rows: int | None = None
    ) -> dict[str, Any]:
        """Rows of a query that reads."""
        most = max(1, min(max_rows or self._max_rows, self._max_rows))
        with self._graph() as graph:
            result = graph.query(statement, parameters, max_rows=most, timeout_seconds=self._seconds, isolated=True)
        rows, cut = fitting(result.rows)
        return {"columns": result.columns, "rows": rows, "cut": cut or result.truncated}

    def tables(self) -> dict[str, Any]:
        """Every kind of node and relationship with its properties, and where the pipelines stand."""
        with self._graph() as graph:
            found = [{"name": one.name, "kind": one.kind, "properties": dict(one.properties)} for one in graph.tables()]
            states = {one.pipeline: one.states for one in graph.status()}
        return {"tables": found, "pipelines": states}

    def neighbourhood(self, label: str, key: str, limit: int = 50) -> dict[str, Any]:
        """A node and what is joined to it."""
        with self._graph() as graph:
            found: dict[str, Any] = shaped(graph.neighbourhood(label, key, max(1, min(limit, _MOST_NEIGHBOURS))))
        return found

    def thread(self, id: int, depth: int | None = None) -> dict[str, Any]:
        """An item of Hacker News and what was said below it, from top to bottom."""
        with self._graph() as graph:
            walked = list(graph.hn.thread(id, depth).walk())
        total = len(walked)
        items, cut = fitting({"depth": level, **_item(item)} for level, item in walked[: self._max_rows])
        return {"items": items, "total": total, "cut": cut or total > len(items)}

    @contextmanager
    def _graph(self) -> Iterator[Graph]:
        with self._one_at_a_time, self._opened() as graph:
            yield graph


def _item(item: Any) -> dict[str, Any]:
    """What is said of an item, without what stands below it; what is not known or not so is left out."""
    told = {field.name: getattr(item, field.name) for field in fields(item) if field.name not in _HIDDEN}
    return {name: value for name, value in told.items() if value not in (None, False)}
