"""The options that every command takes, before and after its name: --graph and --verbose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

import typer


@dataclass
class Common:
    """What the common options said."""

    graph: str | None = None
    verbose: bool = False


def common(context: typer.Context) -> Common:
    """The common options of this run."""
    return context.ensure_object(Common)


def add_common_options(command: Any) -> None:
    """Let a command, or a group and all of its commands, take the common options."""
    command.params = [*command.params, *_parameters()]
    for inner in getattr(command, "commands", {}).values():
        add_common_options(inner)


@cache
def _parameters() -> list[Any]:
    """Made once and shared: making them for each command took a fifth of the time of --help."""
    app = typer.Typer(add_completion=False)
    app.command()(_declared)
    built: Any = typer.main.get_command(app)
    return list(built.params)


def _take_graph(context: typer.Context, value: str | None) -> None:
    if value == "":
        raise typer.BadParameter("say which graph: a path, or an address")
    if value is not None:
        common(context).graph = value


def _take_verbose(context: typer.Context, value: bool) -> None:
    if value:
        common(context).verbose = True
        _write_log_lines()


def _declared(
    graph: Annotated[str | None, typer.Option(
        "--graph", metavar="WHERE", callback=_take_graph, expose_value=False,
        help="The graph to work on: a path, ladybug:PATH, or an address. Otherwise the setting 'graph' says.",
    )] = None,
    verbose: Annotated[bool, typer.Option(
        "--verbose", "-v", callback=_take_verbose, expose_value=False,
        help="Write log lines to standard error, and a traceback with an error.",
    )] = False,
) -> None:  # fmt: skip
    """Carries the declarations, and is never called."""


def _write_log_lines() -> None:
    import logging

    logger = logging.getLogger("graphvine")
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
