"""The options that commands share: --graph and --verbose before or after the name, --json, --jsonl, --csv after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

import typer

from graphvine.workers.cli.pager import paged


@dataclass
class Common:
    """What the common options said."""

    graph: str | None = None
    verbose: bool = False
    form: str = ""  # json, jsonl or csv; otherwise for people

    @property
    def json(self) -> bool:
        return self.form == "json"


def common(context: typer.Context) -> Common:
    """The common options of this run."""
    return context.ensure_object(Common)


def add_common_options(command: Any) -> None:
    """Let a command, or a group and all of its commands, take the common options."""
    inner = getattr(command, "commands", None)
    known = {option for parameter in command.params for option in parameter.opts}
    shared = 2 if inner is not None else _shared(command)
    added = _parameters()[:shared]
    command.params = [*command.params, *(one for one in added if not known.intersection(one.opts))]
    for one in (inner or {}).values():
        add_common_options(one)


def reports(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command --json: it ends with `report`, or looks at `common(context).json` itself."""
    command.shared_options = 3  # type: ignore[attr-defined]
    return command


def lists(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command --json, --jsonl and --csv: it prints its rows by `listed`. Long lists go through the pager."""
    command.shared_options = 5  # type: ignore[attr-defined]
    return paged()(command)


def _shared(command: Any) -> int:
    """How many of the shared options a command takes. Those of this package's command line all report."""
    packaged = str(getattr(command.callback, "__module__", "")).startswith("graphvine.workers.cli.")
    return int(getattr(command.callback, "shared_options", 3 if packaged else 2))


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


def _take_form(context: typer.Context, param: typer.CallbackParam, value: bool) -> None:
    if not value:
        return
    options, name = common(context), str(param.name)
    if options.form not in ("", name):
        raise typer.BadParameter(f"choose one of --{options.form} and --{name}")
    options.form = name


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
        "--json", callback=_take_form, expose_value=False, help="Print JSON.",
    )] = False,
    jsonl: Annotated[bool, typer.Option(
        "--jsonl", callback=_take_form, expose_value=False, help="Print JSON Lines, a line a row.",
    )] = False,
    csv: Annotated[bool, typer.Option(
        "--csv", callback=_take_form, expose_value=False, help="Print CSV.",
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
