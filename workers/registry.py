"""The pipelines that are there: each is a folder of workers/. Adding one adds files and edits none.

A pipeline's `__init__.py` says `PIPELINE = "article"`; its `handler.py` has `build(graph) -> Handler`; where it has
them, `commands.py` brings commands, `jobs.py` jobs for the scheduler, `settings.py` its settings, `routes.py` what the
service answers (`router(room)`), `service.py` what the daemon runs beside loops (`serve(graph, stop)`). A handler.py
with `BY_OWNER = True` is for the process that owns the store alone: workers elsewhere have it work.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import graphvine.workers
from graphvine.errors import GraphvineError, UnknownPipeline
from graphvine.graph import Graph
from graphvine.workers.pipeline import CannotWork, Handler

Service = Callable[[Graph, threading.Event], None]


class NoHandler(GraphvineError):
    """The pipeline has a queue but nothing that works on it."""


def packages() -> dict[str, str]:
    """Pipeline name to package name."""
    found = {}
    for module in pkgutil.iter_modules(graphvine.workers.__path__):
        if module.ispkg:
            name = f"graphvine.workers.{module.name}"
            pipeline = getattr(importlib.import_module(name), "PIPELINE", None)
            if pipeline:
                found[str(pipeline)] = name
    return found


def handler(graph: Graph, pipeline: str) -> Handler:
    """The handler of a pipeline, ready to work."""
    if pipeline not in graph.library.machines:
        raise UnknownPipeline(pipeline, list(graph.library.machines))
    module = _part(packages().get(pipeline), "handler")
    if module is None:
        raise NoHandler(
            f"nothing works on {pipeline!r} here: write a handler (see CONTRIBUTING.md), or claim from Python"
        )
    if graph.door.served is not None and by_owner(pipeline):
        raise CannotWork(
            f"{pipeline} is worked on by the process that serves the graph: 'graphvine work {pipeline}' has it do so,"
            f" and 'graphvine serve --worker {pipeline}=2' gives it more workers"
        )
    built: Handler = module.build(graph)
    return built


def by_owner(pipeline: str) -> bool:
    """Whether none but the process that owns the store may work on this pipeline."""
    return bool(getattr(_part(packages().get(pipeline), "handler"), "BY_OWNER", False))


def handlers(graph: Graph, pipeline: str, count: int) -> list[Handler]:
    """So many handlers that work side by side; what they can share (a model, a source) is loaded once."""
    module = _part(packages().get(pipeline), "handler")
    if module is not None and hasattr(module, "build_several"):
        return list(module.build_several(graph, count))
    return [handler(graph, pipeline) for _ in range(count)]


def with_handlers(graph: Graph) -> list[str]:
    """The pipelines of this graph that the common loop works on."""
    found = []
    for pipeline, package in packages().items():
        module = _part(package, "handler") if pipeline in graph.library.machines else None
        if module is not None and getattr(module, "LOOPS", True):
            found.append(pipeline)
    return found


def job_modules(graph: Graph) -> list[ModuleType]:
    """The jobs of the pipelines that this graph has; not every engine has all of them."""
    there = [package for pipeline, package in packages().items() if pipeline in graph.library.machines]
    found = [module for package in there if (module := _part(package, "jobs")) is not None]
    return [module for module in found if hasattr(module, "jobs")]


def services(graph: Graph) -> dict[str, Service]:
    """What the daemon runs for pipelines whose work is not a loop: `serve(graph, stop)` of their service.py."""
    there = {name: package for name, package in packages().items() if name in graph.library.machines}
    found = {name: _part(package, "service") for name, package in there.items()}
    return {name: module.serve for name, module in found.items() if module is not None}


def route_modules() -> list[ModuleType]:
    """What the pipelines answer by HTTP."""
    return [module for package in packages().values() if (module := _part(package, "routes")) is not None]


def long_jobs() -> dict[str, Any]:
    """What the pipelines' routes do as jobs, by verb."""
    return {verb: work for module in route_modules() for verb, work in getattr(module, "JOBS", {}).items()}


def settings_modules() -> list[ModuleType]:
    found = [module for package in packages().values() if (module := _part(package, "settings")) is not None]
    service = _part("graphvine.workers.serve", "settings")
    return found if service is None else [*found, service]


def _part(package: str | None, name: str) -> ModuleType | None:
    if package is None or find_spec(f"{package}.{name}") is None:
        return None
    return importlib.import_module(f"{package}.{name}")
