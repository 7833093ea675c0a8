"""The prompt: editing over several lines, history, completion, colours."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphvine.errors import GraphvineError
from graphvine.workers.cli.console.meta import Leave, run
from graphvine.workers.cli.console.statements import is_complete, is_meta, split
from graphvine.workers.cli.telling import tell

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import History

    from graphvine.workers.cli.console.session import Session


def converse(session: Session) -> None:
    """Ask for statements and run them until :quit or Ctrl-D."""
    graph = session.graph
    mode = "reading and writing" if session.write else "reading only"
    print(f"{graph.where} ({graph.engine.name}), {mode}. :help tells what can be typed.", file=sys.stderr)
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
    """Run what was typed; an error is told and stops only what was typed with it. False to leave."""
    if typed.strip().lower() in {"exit", "quit"}:
        return False
    statements = [typed.strip()] if is_meta(typed) else split(typed)[0]
    try:
        for statement in statements:
            run(statement, session)
    except Leave:
        return False
    except GraphvineError as error:
        tell(error, verbose=False)
    return True


def _prompt(session: Session) -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import get_app
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.lexers import PygmentsLexer

    from graphvine.workers.cli.console.completion import CypherCompleter

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
