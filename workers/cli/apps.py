"""What the modules of commands are made of, and how their apps become commands."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from typing import Any

import typer

# Rich would make help prettier and three times slower; commands load it when they print a table.
_PLAIN: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}


def new_app(help: str | None = None) -> typer.Typer:
    """An app for commands: each that is registered on it stands at the top, a sub-app under its own name."""
    return typer.Typer(help=help, **_PLAIN)


def commands_of(app: typer.Typer) -> dict[str, Any]:
    """The commands of an app, by name."""
    built: Any = typer.main.get_command(app)
    found = dict(built.commands) if hasattr(built, "commands") else {built.name: built}
    for command in found.values():
        _dress(command)
    return found


def usage_of(argument: Any) -> str:
    """How an argument is written in a usage line: [KEY]... may be left out and may be several."""
    name = argument.metavar or argument.name.upper()
    return (name if argument.required else f"[{name}]") + ("..." if argument.nargs == -1 else "")


def _dress(command: Any) -> None:
    """Make its help look the same under every version of typer."""
    _keep_examples(command)
    for parameter in command.params:
        if parameter.metavar in _COMPLETED and getattr(parameter, "_custom_shell_complete", None) is None:
            parameter._custom_shell_complete = _COMPLETED[parameter.metavar]
        if parameter.param_type_name == "argument":
            parameter.get_usage_pieces = lambda ctx, shown=usage_of(parameter): [shown]
        elif parameter.metavar is None and not parameter.is_flag:
            parameter.metavar = parameter.name.upper()
    for inner in getattr(command, "commands", {}).values():
        _dress(inner)


def _pipelines(context: Any, parameter: Any, typed: str) -> list[str]:
    from graphvine.pipelines import folder_setting, library

    return [name for name in library("kuzu", folder_setting()).machines if name.startswith(typed)]


def _sources(context: Any, parameter: Any, typed: str) -> list[str]:
    from pathlib import Path

    dumps = [str(path) for ending in ("xml", "gz", "bz2") for path in Path().glob(f"{typed}*.{ending}")]
    return [name for name in ("sample", "wiki", *sorted(dumps)) if name.startswith(typed)]


def _titles(context: Any, parameter: Any, typed: str) -> list[str]:
    """Titles of the sample, where that is the source, otherwise of the graph; one that is in use is not waited for."""
    if "sample" in str(context.params.get("source")):
        from importlib.resources import files

        text = (files("graphvine.workers.wikipedia") / "sample" / "garden.xml").read_text("utf-8")
        titles = re.findall(r"<title>([^<]+)</title>", text)
        return [title for title in titles if title.lower().startswith(typed.lower())][:50]
    import graphvine

    try:
        with graphvine.open(_named_graph(), create=False) as graph:
            wanted = {"beginning": typed[:1].upper() + typed[1:]}
            return [title for (title,) in graph.query(_TITLES, wanted).rows]
    except graphvine.GraphvineError:
        return []


def _named_graph() -> str | None:
    """What --graph says in the line that is being typed: callbacks of options are not called for it."""
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    return next((after for word, after in pairwise(line.split()) if word == "--graph"), None)


def _settings(context: Any, parameter: Any, typed: str) -> list[str]:
    from graphvine.workers.cli.settings_listing import listing

    return [row["name"] for row in listing(None) if row["name"].startswith(typed)]


_TITLES = "MATCH (a:Article) WHERE a.title STARTS WITH $beginning RETURN a.title ORDER BY a.title LIMIT 50"

# What a shell completes, by what the parameter is called in help.
_COMPLETED = {"PIPELINE": _pipelines, "SOURCE": _sources, "TITLE": _titles, "SETTING": _settings}


def _keep_examples(command: Any) -> None:
    """Help texts are filled like prose; paragraphs that are indented are examples and stay as they are."""
    if command.help:
        paragraphs = command.help.split("\n\n")
        command.help = "\n\n".join(f"\b\n{text}" if text.startswith("  ") else text for text in paragraphs)
