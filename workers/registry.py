"""The pipelines that there are: those of this package, of installed distributions, of the user's own folder.

What a pipeline may bring is listed in hooks.py.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import graphvine.workers
from graphvine.errors import PipelineBroken, UnknownPipeline
from graphvine.pipelines import Found, folder_setting, found
from graphvine.workers.hooks import Pipeline

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.workers.pipeline import Handler


def pipelines(folder: str | None = None) -> dict[str, Pipeline]:
    """Every pipeline by its name; `folder` is the setting `pipelines_folder`, read where it is not given."""
    return {declared.name: declared for _, declared in declarations(folder)}


def declarations(folder: str | None = None) -> list[tuple[Found, Pipeline]]:
    """Every pipeline, with the place that it was found in."""
    every: dict[str, tuple[Found, Pipeline]] = {}
    for one in _own() + found(folder_setting() if folder is None else folder):
        for declared in _load(one):
            if declared.name in every:
                raise PipelineBroken(one.module, one.by, f"there is a pipeline {declared.name!r} already")
            every[declared.name] = one, declared
    return list(every.values())


def of(graph: Graph) -> dict[str, Pipeline]:
    """The pipelines that this graph has; not every engine has all of them."""
    machines = graph.library.machines
    return {name: one for name, one in pipelines(graph.settings.pipelines_folder).items() if name in machines}


def get(graph: Graph, name: str) -> Pipeline:
    """One pipeline of this graph."""
    if name not in graph.library.machines:
        raise UnknownPipeline(name, list(graph.library.machines))
    declared = of(graph).get(name)
    if declared is None:
        file = graph.library.entities[name].file
        raise PipelineBroken(name, file, f"no package declares PIPELINE = Pipeline(name={name!r}, ...)")
    return declared


def handler(graph: Graph, name: str) -> Handler:
    """The handler of a pipeline, for a worker of this process."""
    declared = get(graph, name)
    if declared.build is not None and declared.owner_only and not graph.engine.capabilities.maintains:
        from graphvine.workers.pipeline import CannotWork

        raise CannotWork(
            f"{name} is worked on by the process that serves the graph: 'graphvine work {name}' has it do so,"
            f" and 'graphvine serve --worker {name}=2' gives it more workers"
        )
    return declared.build(graph) if declared.build is not None else declared.handlers(graph, 1)[0]


def services(graph: Graph) -> dict[str, Callable[[Graph, threading.Event], None]]:
    """What the daemon runs for pipelines whose work is not a loop."""
    return {name: one.service for name, one in of(graph).items() if one.service is not None}


@cache
def _own() -> tuple[Found, ...]:
    from pathlib import Path

    modules = pkgutil.iter_modules(graphvine.workers.__path__, "graphvine.workers.")
    packages = [module.name for module in modules if module.ispkg]
    return tuple(
        Found(name, Path(), "this package") for name in packages if hasattr(importlib.import_module(name), "PIPELINE")
    )


def _load(one: Found) -> tuple[Pipeline, ...]:
    try:
        module = importlib.import_module(one.module)
    except Exception as error:
        raise PipelineBroken(one.module, one.by, f"it can't be imported: {type(error).__name__}: {error}") from error
    declared = getattr(module, "PIPELINE", None)
    several = declared if isinstance(declared, tuple) else (declared,)
    if not several or not all(isinstance(pipeline, Pipeline) for pipeline in several):
        said = "says nothing of PIPELINE" if declared is None else f"says PIPELINE = {declared!r}"
        advice = "write PIPELINE = Pipeline(name=..., title=..., build=...), from graphvine.workers.hooks"
        raise PipelineBroken(one.module, one.by, f"its __init__.py {said}: {advice}")
    return several
