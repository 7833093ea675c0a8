"""What happens by the clock: the updater each hour, the processor each minute."""

from __future__ import annotations

from collections.abc import Callable

from graphvine.errors import StoreClosed
from graphvine.graph import Graph
from graphvine.workers.news import PIPELINE
from graphvine.workers.news.processor import Processor
from graphvine.workers.news.providers import configured
from graphvine.workers.news.runs import ProcessorRun, UpdaterRun
from graphvine.workers.news.settings import NewsSettings, load
from graphvine.workers.news.updater import Updater
from graphvine.workers.scheduler import Job


def jobs(graph: Graph, settings: NewsSettings | None = None) -> list[Job]:
    """The jobs of this pipeline; the updater only where the settings say where news come from."""
    settings = settings or load()
    found = []
    if settings.update_seconds and configured(settings):
        found.append(Job("news-update", settings.update_seconds, _unless_paused(graph, _updating(graph, settings))))
    if settings.process_seconds:
        processor = Processor(graph, settings)
        found.append(Job("news-process", settings.process_seconds, _unless_paused(graph, processor.run_once)))
    return found


def _updating(graph: Graph, settings: NewsSettings) -> Callable[[], UpdaterRun]:
    return lambda: Updater(graph, settings).run_once()


def _unless_paused(graph: Graph, run: Callable[[], UpdaterRun | ProcessorRun]) -> Callable[[], object]:
    def job() -> UpdaterRun | ProcessorRun | None:
        try:
            return run() if graph.door.paused(PIPELINE) is None else None
        except StoreClosed:
            return None  # the daemon is ending

    return job
