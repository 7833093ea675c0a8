"""Where commands come from: a module each in commands/, the daemon and the assistants' server, and the pipelines.

A core command is found by the name of its module, so that running one loads no other. What the others bring is known
once their commands are loaded, which are light by contract: heavy imports stand inside functions.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from graphvine.queries.errors import GraphvineError
from graphvine.workers.cli import commands
from graphvine.workers.cli.apps import commands_of

if TYPE_CHECKING:
    import typer


class CommandTwice(GraphvineError):
    """Two modules bring a command of the same name."""


def names() -> list[str]:
    """Every command there is."""
    return sorted({*_core(), *_from_packages()})


def find(name: str) -> Any | None:
    """A command by its name, or None."""
    if name in _core():
        return _load(f"{commands.__name__}.{name}")[name]
    return _from_packages().get(name)


@cache
def _core() -> frozenset[str]:
    return frozenset(module.name for module in pkgutil.iter_modules(commands.__path__))


def _from_packages() -> dict[str, Any]:
    from graphvine.workers.registry import pipelines

    brought = {f"graphvine.workers.{name}": _load(f"graphvine.workers.{name}.commands") for name in ("mcp", "serve")}
    for name, pipeline in pipelines().items():
        if pipeline.commands is not None:
            brought[f"the pipeline {name!r}"] = _ready(pipeline.commands)
    found: dict[str, Any] = {}
    homes = dict.fromkeys(_core(), "graphvine itself")
    for home, theirs in brought.items():
        for name, command in theirs.items():
            if name in homes:
                raise CommandTwice(f"{homes[name]} and {home} both bring the command {name!r}: rename one")
            homes[name] = home
            found[name] = command
    return found


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
