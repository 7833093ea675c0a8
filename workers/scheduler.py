"""What happens by the clock: the reaper, and whatever jobs the pipelines bring, by APScheduler."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from graphvine.errors import StoreClosed
from graphvine.graph import Graph
from graphvine.reaper import Reaped
from graphvine.workers import registry
from graphvine.workers.search.settings import load

_log = logging.getLogger(__name__)


class Reaper:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def run_once(self) -> dict[str, Reaped]:
        """One pass over all pipelines."""
        if self._graph.engine.capabilities.single_owner:
            self._graph.align()
        return {pipeline: self._graph.reap(pipeline) for pipeline in self._graph.library.machines}


@dataclass(frozen=True, slots=True)
class Job:
    """Something to run every so often. `run` is one pass and returns what it did."""

    name: str
    every_seconds: float
    run: Callable[[], Any]


def reaper(graph: Graph) -> Job:
    return Job("reaper", graph.settings.reclaim_seconds, Reaper(graph).run_once)


def jobs(graph: Graph) -> list[Job]:
    """The reaper, and what the pipelines have scheduled."""
    found = [reaper(graph)]
    for pipeline in registry.of(graph).values():
        if pipeline.scheduled is not None:
            found += pipeline.scheduled(graph)
    every = load().edges_seconds
    if every and "edges" in graph.library.entities and graph.engine.capabilities.maintains:
        found.append(Job("edges", every, lambda: _make_edges(graph)))
    return found


def _make_edges(graph: Graph) -> Any:
    from graphvine.workers.search.edges import EdgeJobs

    return EdgeJobs(graph).run()


def start(graph: Graph, chosen: Sequence[Job] | None = None) -> Any:
    """Run all jobs, or the chosen ones, in the background from now on; a late pass is run once."""
    from apscheduler.schedulers.background import BackgroundScheduler

    scheduler = BackgroundScheduler(job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None})
    for job in jobs(graph) if chosen is None else chosen:
        scheduler.add_job(_until_closed, "interval", [job.run], seconds=job.every_seconds, id=job.name, name=job.name)
    scheduler.start()
    return scheduler


def _until_closed(run: Callable[[], Any]) -> Any:
    """One pass. A daemon that ends does not wait for it: the graph is closed under it, which is no failure."""
    try:
        return run()
    except StoreClosed:
        _log.info("a pass was cut short: the graph is closed")


@contextmanager
def running(graph: Graph, chosen: Sequence[Job] | None = None) -> Iterator[Any]:
    """Run all jobs, or the chosen ones, in the background while the block lasts."""
    scheduler = start(graph, chosen)
    try:
        yield scheduler
    finally:
        scheduler.shutdown(wait=True)
