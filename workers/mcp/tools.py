"""What an assistant can ask, as plain functions that answer with JSON; all of it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, fields
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.search.hits import SearchHit
    from graphvine.search.kinds import Mode
    from graphvine.workers.search.requests import SearchRequest


_LONGEST_TEXT = 2_000
# Longer lists of numbers are vectors, which say nothing to a reader.
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


_MOST_FOUND, _MOST_NEIGHBOURS, _MOST_SECTIONS = 50, 200, 500
_HIDDEN = frozenset({"children", "story"})


class Tools:
    def __init__(
        self, opened: Callable[[], AbstractContextManager[Graph]], *, max_rows: int = 200, seconds: float = 10,
        run_search: Callable[[SearchRequest], list[SearchHit]] | None = None,
    ) -> None:  # fmt: skip
        """`opened` gives the graph for one call; `run_search` searches where an index is kept open for it."""
        self._graph, self._max_rows, self._seconds = opened, max_rows, seconds
        self._run_search = run_search

    def search(self, words: str, kind: Sequence[str] = (), mode: Mode = "walk", limit: int = 10) -> dict[str, Any]:
        """Find sections of articles, items of Hacker News, news and pages, with citations."""
        from graphvine.dispatch import dispatch
        from graphvine.workers.search.requests import SearchRequest

        request = SearchRequest(text=words, kind=kind, mode=mode, limit=max(1, min(limit, _MOST_FOUND)))
        if self._run_search is not None:
            hits = self._run_search(request)
        else:
            with self._graph() as graph:
                hits = dispatch(graph, request)
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

    def status(self) -> dict[str, Any]:
        """Where every pipeline stands: rows by state, ready, claimed, failed, paused."""
        with self._graph() as graph:
            return {"graph": graph.where, "pipelines": [shaped(asdict(one)) for one in graph.status()]}

    def names(self) -> dict[str, list[str]]:
        """The pipelines and the kinds of nodes."""
        with self._graph() as graph:
            labels = [one.name for one in graph.tables() if one.kind == "NODE"]
            return {"pipeline": list(graph.library.machines), "label": labels}

    def machine(self, pipeline: str) -> dict[str, Any]:
        """The states and moves of a pipeline."""
        from graphvine.queries.render import as_json

        with self._graph() as graph:
            return as_json(graph.store.machine(pipeline), fingerprint=False)

    def article(self, title: str) -> str:
        """An article as Markdown: its sections from top to bottom, as far as they fit into one answer."""
        from graphvine.neighbourhood import NoSuchNode

        with self._graph() as graph:
            if not graph.read("article.shown", key=title):
                raise NoSuchNode(f"there is no Article {title!r}")
            sections = graph.read("article.sections_shown", key=title, limit=_MOST_SECTIONS)
        text = "\n\n".join([f"# {title}", *_as_markdown(sections)])
        return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"

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


def _as_markdown(sections: Sequence[dict[str, Any]]) -> Iterable[str]:
    """The texts, each heading once before the parts of its section."""
    last = ""
    for row in sections:
        path = row["path"] or ""
        if path and path != last:
            yield f"{'#' * min(max(row['level'] or 2, 2), 6)} {path.rpartition(' / ')[2]}"
        last = path
        yield row["text"] or ""


def _item(item: Any) -> dict[str, Any]:
    """What is said of an item, without what stands below it; what is not known or not so is left out."""
    facts = {field.name: getattr(item, field.name) for field in fields(item) if field.name not in _HIDDEN}
    return {name: value for name, value in facts.items() if value not in (None, False)}
