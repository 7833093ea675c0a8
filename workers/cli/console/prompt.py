"""The prompt: editing over several lines, history, completion, colours."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prompt_toolkit.completion import Completer, Completion

from graphvine.errors import GraphvineError
from graphvine.workers.cli.console.formats import FORMATS
from graphvine.workers.cli.console.meta_commands import COMMANDS, Leave, run
from graphvine.workers.cli.console.session import FUNCTIONS, is_complete, is_meta, split
from graphvine.workers.cli.exit_status import print_error

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document
    from prompt_toolkit.history import History

    from graphvine.workers.cli.console.session import Session


def converse(session: Session) -> None:
    """Ask for statements and run them until :quit or Ctrl-D."""
    graph = session.graph
    mode = "reading and writing" if session.write else "reading only"
    print(f"{graph.where} ({graph.engine.name}), {mode}. :help lists what you can type.", file=sys.stderr)
    asked = _prompt(session)
    while True:
        try:
            typed = asked.prompt("graphvine! " if session.write else "graphvine> ")
            if not _carried_out(typed, session):
                return
        except KeyboardInterrupt:  # the line is dropped, as in a shell
            continue
        except EOFError:
            return


def _carried_out(typed: str, session: Session) -> bool:
    """Run what was typed; an error is printed and stops only what was typed with it. False to leave."""
    if typed.strip().lower() in {"exit", "quit"}:
        return False
    statements = [typed.strip()] if is_meta(typed) else split(typed)[0]
    try:
        for statement in statements:
            run(statement, session)
    except Leave:
        return False
    except GraphvineError as error:
        print_error(error, verbose=False)
    return True


def _prompt(session: Session) -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import get_app
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.lexers import PygmentsLexer

    colours = importlib.import_module("pygments.lexers.graph").CypherLexer
    unfinished = Condition(lambda: not is_complete(get_app().current_buffer.text))
    options: dict[str, Any] = {"complete_while_typing": False, "enable_open_in_editor": True}
    return PromptSession(
        history=_history(), multiline=unfinished, completer=CypherCompleter(session), prompt_continuation="        -> ",
        lexer=PygmentsLexer(colours), **options,
    )  # fmt: skip


def history_file() -> Path:
    """Where the history is kept, by the XDG rules."""
    state = os.environ.get("XDG_STATE_HOME", "")
    home = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    return home / "graphvine" / "history"


def _history() -> History:
    """In a file that only its owner can read; in memory where there can be none."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    path = history_file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=True)
    except OSError as error:
        print(f"the history is not kept: {error.filename}: {error.strerror}", file=sys.stderr)
        return InMemoryHistory()
    return FileHistory(str(path))


KEYWORDS = (
    "MATCH", "OPTIONAL MATCH", "WHERE", "RETURN", "WITH", "UNWIND", "ORDER BY", "SKIP", "LIMIT", "UNION", "CALL",
    "DISTINCT", "AND", "OR", "NOT", "XOR", "IN", "IS NULL", "IS NOT NULL", "STARTS WITH", "ENDS WITH", "CONTAINS",
    "CASE", "WHEN", "THEN", "ELSE", "END", "AS", "ASC", "DESC", "EXISTS", "EXPLAIN", "PROFILE", "true", "false", "NULL",
)  # fmt: skip
WRITING = ("CREATE", "MERGE", "SET", "DELETE", "DETACH DELETE", "REMOVE", "ON CREATE SET", "ON MATCH SET")
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
