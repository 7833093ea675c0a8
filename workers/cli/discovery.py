"""Where commands come from: the modules in commands/, the daemon, the assistants' server, and the pipelines.

A command of this package is loaded with its own module alone (packaged.py). What pipelines outside of it bring is known
once their commands are loaded, which are light by contract: heavy imports stand inside functions.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

from graphvine.pipelines import folder_setting, found
from graphvine.queries.errors import GraphvineError
from graphvine.workers.cli.apps import commands_of
from graphvine.workers.cli.packaged import PACKAGED

if TYPE_CHECKING:
    import typer


_PACKAGED = {name: help for members in PACKAGED.values() for name, help in members.items()}


class CommandTwice(GraphvineError):
    """Two modules bring a command of the same name."""


def names() -> list[str]:
    """Every command there is."""
    return sorted({*_PACKAGED, *_from_outside()})


def grouped() -> dict[str, list[str]]:
    """Every command under the title of its group."""
    listed = {title: list(members) for title, members in PACKAGED.items()}
    others = sorted(_from_outside().keys() - _PACKAGED.keys())
    return {**listed, "Other pipelines": others} if others else listed


def find(name: str) -> Any | None:
    """A command by its name, or None."""
    if name in _PACKAGED:
        return _load(f"graphvine.workers.{_PACKAGED[name][0]}")[name]
    return _from_packages().get(name)


def described(name: str) -> Any:
    """A command with its first sentence, to be listed: those of this package are not loaded for it."""
    return TyperCommand(name, help=_PACKAGED[name][1]) if name in _PACKAGED else find(name)


def _from_outside() -> dict[str, Any]:
    """The commands of pipelines outside this package, and with them all others that are not listed."""
    return _from_packages() if found(folder_setting()) else {}


def _from_packages() -> dict[str, Any]:
    from graphvine.workers.registry import pipelines

    brought = {
        f"graphvine.workers.{name}": _load(f"graphvine.workers.{name}.commands") for name in ("mcp", "search", "serve")
    }
    for name, pipeline in pipelines().items():
        if pipeline.commands is not None:
            brought[f"the pipeline {name!r}"] = _ready(pipeline.commands)
    commands: dict[str, Any] = {}
    core = (name for name, (module, _) in _PACKAGED.items() if module.startswith("cli."))
    homes = dict.fromkeys(core, "graphvine itself")
    for home, theirs in brought.items():
        for name, command in theirs.items():
            if name in homes:
                raise CommandTwice(f"{homes[name]} and {home} both bring the command {name!r}: rename one")
            homes[name] = home
            commands[name] = command
    return commands


@cache
def _load(module: str) -> dict[str, Any]:
    return _ready(lambda: importlib.import_module(module).app)


@cache
def _ready(app: Callable[[], typer.Typer]) -> dict[str, Any]:
    from graphvine.workers.cli.options import add_common_options

    found = commands_of(app())
    for command in found.values():
        add_common_options(command)
    return found
