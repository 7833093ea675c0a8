"""Completion at the prompt: what fits at the cursor, from the language and from the graph's own tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from prompt_toolkit.completion import Completer, Completion

from graphvine.workers.cli.console.formats import FORMATS
from graphvine.workers.cli.console.meta import COMMANDS

if TYPE_CHECKING:
    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    from graphvine.workers.cli.console.session import Session

KEYWORDS = (
    "MATCH", "OPTIONAL MATCH", "WHERE", "RETURN", "WITH", "UNWIND", "ORDER BY", "SKIP", "LIMIT", "UNION", "CALL",
    "DISTINCT", "AND", "OR", "NOT", "XOR", "IN", "IS NULL", "IS NOT NULL", "STARTS WITH", "ENDS WITH", "CONTAINS",
    "CASE", "WHEN", "THEN", "ELSE", "END", "AS", "ASC", "DESC", "EXISTS", "EXPLAIN", "PROFILE", "true", "false", "NULL",
)  # fmt: skip
WRITING = ("CREATE", "MERGE", "SET", "DELETE", "DETACH DELETE", "REMOVE", "ON CREATE SET", "ON MATCH SET")
FUNCTIONS = (
    "count", "sum", "avg", "min", "max", "collect", "size", "lower", "upper", "substring", "coalesce", "id", "label",
    "labels", "type", "keys", "properties", "nodes", "rels", "length", "range", "show_tables", "table_info",
)  # fmt: skip
_WORD = re.compile(r"\w*$")
_BOUND = re.compile(r"[(\[]\s*(\w+)\s*:\s*(\w+)")


class CypherCompleter(Completer):
    def __init__(self, session: Session) -> None:
        self._session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        before = document.text_before_cursor
        word = _WORD.search(before)
        typed = word.group() if word else ""
        for text, what in self._candidates(document.text, before[: len(before) - len(typed)]):
            if text.lower().startswith(typed.lower()):
                yield Completion(text, start_position=-len(typed), display_meta=what)

    def _candidates(self, text: str, before: str) -> Iterable[tuple[str, str]]:
        if before.lstrip().startswith(":"):
            return self._after_colon(before.lstrip())
        if before.endswith("."):
            return self._properties(text, before)
        if before.rstrip().endswith(":") or re.search(r":\s*\w+\s*\|\s*$", before):
            return self._labels(before)
        if before.endswith("$"):
            return [(name, "parameter") for name in self._session.parameters]
        return self._words(text)

    def _after_colon(self, before: str) -> Iterable[tuple[str, str]]:
        if before == ":":
            return [*((name, what) for name, (_, what, _) in COMMANDS.items()), ("quit", "leave")]
        word = before.split(maxsplit=1)[0]
        if word == ":schema":
            return [(table.name, table.kind.lower()) for table in self._session.tables()]
        if word == ":machine":
            return [(name, "pipeline") for name in self._session.graph.library.machines]
        return [(name, "") for name in FORMATS] if word == ":format" else []

    def _labels(self, before: str) -> Iterable[tuple[str, str]]:
        kind = "REL" if before.rfind("[") > before.rfind("(") else "NODE"
        return [(table.name, kind.lower()) for table in self._session.tables() if table.kind == kind]

    def _properties(self, text: str, before: str) -> Iterable[tuple[str, str]]:
        """Those of the variable's table, where the text binds it; otherwise all there are."""
        owner = _WORD.search(before[:-1])
        bound = dict(_BOUND.findall(text)).get(owner.group() if owner else "")
        tables = self._session.tables()
        named = [table for table in tables if table.name == bound] or tables
        return sorted({name: kind for table in named for name, kind in table.properties}.items())

    def _words(self, text: str) -> Iterable[tuple[str, str]]:
        yield from ((name, label) for name, label in dict(_BOUND.findall(text)).items())
        yield from ((word, "") for word in (*KEYWORDS, *(WRITING if self._session.write else ())))
        yield from ((name, "function") for name in FUNCTIONS)
