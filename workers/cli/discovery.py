"""Where commands come from: a module each in commands/, and the commands.py of every package of workers/ that has one.

A core command is found by the name of its module, so that running one loads no other. What the packages bring is known
once their commands.py is loaded, which is light by contract: heavy imports stand inside functions.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.util import find_spec
from typing import Any

import graphvine.workers
from graphvine.queries.errors import GraphvineError
from graphvine.workers.cli import commands
from graphvine.workers.cli.apps import commands_of


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
    found: dict[str, Any] = {}
    homes = dict.fromkeys(_core(), commands.__name__)
    for package in pkgutil.iter_modules(graphvine.workers.__path__, "graphvine.workers."):
        module = f"{package.name}.commands"
        if not package.ispkg or module == commands.__name__ or find_spec(module) is None:
            continue
        for name, command in _load(module).items():
            if name in homes:
                raise CommandTwice(f"{homes[name]} and {module} both bring the command {name!r}: rename one")
            homes[name] = module
            found[name] = command
    return found


@cache
def _load(module: str) -> dict[str, Any]:
    from graphvine.workers.cli.options import add_common_options

    found = commands_of(importlib.import_module(module).app)
    for command in found.values():
        add_common_options(command)
    return found
