"""Where commands come from: the modules in commands/, the daemon, the assistants' server, and the pipelines.

A core command is loaded with its own module alone. What the others bring is known once their commands are loaded, which
are light by contract: heavy imports stand inside functions.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from graphvine.queries.errors import GraphvineError
from graphvine.workers.cli import commands
from graphvine.workers.cli.apps import commands_of

if TYPE_CHECKING:
    import typer


# The core's commands, by the module in commands/ that has them.
CORE = {
    name: module
    for module, names in {
        "demo": "demo", "status": "status failed stats", "console": "console", "config": "config", "doctor": "doctor",
        "queue": "seed work requeue exclude prioritise release pause resume", "copies": "backup restore export load",
        "model": "model", "pipelines": "machine pipelines new lint", "token": "token", "trust": "trust",
    }.items()
    for name in names.split()
}  # fmt: skip
# How --help groups them; what a pipeline of a user's own brings comes last.
GROUPS = {
    "Grow": "demo grow refresh titles hn upload uploads news scrape",
    "Look": "status stats failed search ask map console",
    "Queue": "seed work requeue exclude prioritise release pause resume",
    "Serve": "serve open mcp token trust",
    "Maintain": "backup restore export load doctor reindex edges config model",
    "Develop": "machine pipelines new lint",
}


class CommandTwice(GraphvineError):
    """Two modules bring a command of the same name."""


def names() -> list[str]:
    """Every command there is."""
    return sorted({*CORE, *_from_packages()})


def grouped() -> dict[str, list[str]]:
    """Every command under the title of its group."""
    left = set(names())
    found = {}
    for title, members in GROUPS.items():
        found[title] = [name for name in members.split() if name in left]
        left.difference_update(found[title])
    return {**found, "Other pipelines": sorted(left)} if left else found


def find(name: str) -> Any | None:
    """A command by its name, or None."""
    if name in CORE:
        return _load(f"{commands.__name__}.{CORE[name]}")[name]
    return _from_packages().get(name)


def _from_packages() -> dict[str, Any]:
    from graphvine.workers.registry import pipelines

    brought = {
        f"graphvine.workers.{name}": _load(f"graphvine.workers.{name}.commands") for name in ("mcp", "search", "serve")
    }
    for name, pipeline in pipelines().items():
        if pipeline.commands is not None:
            brought[f"the pipeline {name!r}"] = _ready(pipeline.commands)
    found: dict[str, Any] = {}
    homes = dict.fromkeys(CORE, "graphvine itself")
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
