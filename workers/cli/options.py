"""The options that every command takes, before and after its name: --graph, --verbose, and --json after it."""

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
    json: bool = False


def common(context: typer.Context) -> Common:
    """The common options of this run."""
    return context.ensure_object(Common)


def add_common_options(command: Any) -> None:
    """Let a command, or a group and all of its commands, take the common options."""
    inner = getattr(command, "commands", None)
    known = {option for parameter in command.params for option in parameter.opts}
    added = _parameters() if inner is None and _reports(command) else _parameters()[:2]
    command.params = [*command.params, *(one for one in added if not known.intersection(one.opts))]
    for one in (inner or {}).values():
        add_common_options(one)


def _reports(command: Any) -> bool:
    """Whether it ends with one sentence about what it did, which --json turns into an object."""
    return str(getattr(command.callback, "__module__", "")).startswith("graphvine.workers.cli.")


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


def _take_json(context: typer.Context, value: bool) -> None:
    if value:
        common(context).json = True


def _declared(
    graph: Annotated[str | None, typer.Option(
        "--graph", metavar="WHERE", callback=_take_graph, expose_value=False,
        help="The graph to work on: a path, ladybug:PATH, or an address. Otherwise the setting 'graph' says.",
    )] = None,
    verbose: Annotated[bool, typer.Option(
        "--verbose", "-v", callback=_take_verbose, expose_value=False,
        help="Write log lines to standard error, and a traceback with an error.",
    )] = False,
    json: Annotated[bool, typer.Option(
        "--json", callback=_take_json, expose_value=False, help="Print JSON.",
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
