"""What the console itself understands: words that begin with a colon."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphvine.errors import GraphvineError, did_you_mean
from graphvine.workers.cli.console.formats import FORMATS
from graphvine.workers.cli.console.session import is_meta
from graphvine.workers.cli.output import show, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphvine.workers.cli.console.session import Session


class BadMeta(GraphvineError):
    """A meta command that makes no sense."""


class Leave(Exception):
    """The session is over."""


def run_meta(text: str, session: Session) -> None:
    """Carry out a meta command; raises Leave when it says so."""
    word, _, rest = text.strip().rstrip(";").strip().partition(" ")
    name = word.removeprefix(":").lower()
    if name in {"quit", "q", "exit"}:
        raise Leave
    if name not in COMMANDS:
        raise BadMeta(f"there is no {word!r}{did_you_mean(word, [f':{known}' for known in COMMANDS])}")
    COMMANDS[name][2](session, rest.strip())


def run(text: str, session: Session) -> None:
    """Carry out whatever was typed: a meta command, or one statement."""
    if is_meta(text):
        run_meta(text, session)
    else:
        session.run(text)


def parameter(text: str) -> tuple[str, Any]:
    """name=value, where the value is JSON."""
    name, equals, value = text.partition("=")
    name = name.strip().removeprefix("$")
    if not equals or not name.isidentifier():
        raise BadMeta(f"a parameter is written name=value, not {text!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        hint = json.dumps(value.strip(), ensure_ascii=False)
        raise BadMeta(f"the value of {name!r} must be JSON, for a text with its quotes: {name}={hint}") from None


def _help(session: Session, rest: str) -> None:
    rows = [(f":{name} {taken}".strip(), meaning) for name, (taken, meaning, _) in COMMANDS.items()]
    show(table(("type", "to"), [*rows, (":quit", "leave, as Ctrl-D does")]))
    ends = (
        "A statement ends with ';' and may take several lines. Tab completes, Up brings back what was typed, Ctrl-R\n"
        "searches it, Ctrl-X Ctrl-E opens the line in $EDITOR, Ctrl-C clears the line or ends a query."
    )
    mode = "It may write." if session.write else "Reads only: start with --write to change something."
    print(f"{ends}\n{mode}")


def _tables(session: Session, rest: str) -> None:
    rows = [(one.name, one.kind.lower(), len(one.properties)) for one in session.tables()]
    show(table(("table", "kind", "properties"), rows, right=["properties"]))


def _schema(session: Session, rest: str) -> None:
    known = {one.name: one for one in session.tables()}
    if rest not in known:
        raise BadMeta(f"there is no table {rest!r}{did_you_mean(rest, known)}" if rest else "say which: :schema TABLE")
    show(table(("property", "type"), known[rest].properties))


def _machine(session: Session, rest: str) -> None:
    from graphvine.errors import UnknownPipeline
    from graphvine.workers.cli.machine_tables import moves, overview, states

    machines = session.graph.library.machines
    if not rest:
        show(overview(machines))
    elif rest not in machines:
        raise UnknownPipeline(rest, list(machines))
    else:
        show(states(machines[rest]))
        show(moves(machines[rest]))


def _format(session: Session, rest: str) -> None:
    if not rest:
        print(session.format)
    elif rest not in FORMATS:
        raise BadMeta(f"there is no format {rest!r}{did_you_mean(rest, FORMATS)}")
    else:
        session.format = rest


def _output(session: Session, rest: str) -> None:
    session.output = Path(rest).expanduser() if rest else None
    if session.output is not None:
        session.output.open("a").close()  # an error now, not after the next statement
    print(f"results go to {session.output}" if rest else "results go to the screen", file=sys.stderr)


def _param(session: Session, rest: str) -> None:
    if rest:
        name, value = parameter(rest)
        session.parameters[name] = value
    else:
        show(table(("parameter", "value"), [(f"${name}", json.dumps(v)) for name, v in session.parameters.items()]))


COMMANDS: dict[str, tuple[str, str, Callable[[Session, str], None]]] = {
    "help": ("", "see this list", _help),
    "tables": ("", "list the tables", _tables),
    "schema": ("TABLE", "see the properties of a table", _schema),
    "machine": ("[NAME]", "see the states and moves of a pipeline", _machine),
    "format": ("table|vertical|csv|json|jsonl", "choose how results are printed; alone, see which", _format),
    "output": ("[FILE]", "append the results to a file; alone, print them again", _output),
    "param": ("NAME=JSON", "set a parameter for the statements to come; alone, list them", _param),
}
