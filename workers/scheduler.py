"""What happens by the clock: the reaper, and whatever jobs the pipelines bring, by APScheduler."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from graphvine.graph import Graph
from graphvine.workers.reaper import Reaper
from graphvine.workers.registry import job_modules


@dataclass(frozen=True, slots=True)
class Job:
    """Something to run every so often. `run` is one pass and returns what it did."""

    name: str
    every_seconds: float
    run: Callable[[], Any]


def reaper(graph: Graph) -> Job:
    return Job("reaper", graph.settings.reclaim_seconds, Reaper(graph).run_once)


def jobs(graph: Graph) -> list[Job]:
    """The reaper, and the jobs of every pipeline that has a `jobs` module."""
    found = [reaper(graph)]
    for module in job_modules(graph):
        found += module.jobs(graph)
    return found


def start(graph: Graph, chosen: Sequence[Job] | None = None) -> Any:
    """Run all jobs, or the chosen ones, in the background from now on; a late pass is run once."""
    from apscheduler.schedulers.background import BackgroundScheduler

    scheduler = BackgroundScheduler(job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None})
    for job in jobs(graph) if chosen is None else chosen:
        scheduler.add_job(job.run, "interval", seconds=job.every_seconds, id=job.name, name=job.name)
    scheduler.start()
    return scheduler


@contextmanager
def running(graph: Graph, chosen: Sequence[Job] | None = None) -> Iterator[Any]:
    """Run all jobs, or the chosen ones, in the background while the block lasts."""
    scheduler = start(graph, chosen)
    try:
        yield scheduler
    finally:
        scheduler.shutdown(wait=True)
