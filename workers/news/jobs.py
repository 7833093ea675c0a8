"""What happens by the clock: the updater each hour, the processor each minute."""

from __future__ import annotations

import threading
from collections.abc import Callable
from weakref import WeakKeyDictionary

from graphvine.errors import StoreClosed
from graphvine.graph import Graph
from graphvine.workers.news import PIPELINE
from graphvine.workers.news.processor import Processor
from graphvine.workers.news.providers import configured
from graphvine.workers.news.runs import ProcessorRun, UpdaterRun
from graphvine.workers.news.settings import NewsSettings, load
from graphvine.workers.news.updater import Updater
from graphvine.workers.scheduler import Job


class Shift:
    """The processor's runs on one graph: whether they are to end, and whether one is at work."""

    def __init__(self) -> None:
        self.stop, self.at_work = threading.Event(), threading.Lock()


_shifts: WeakKeyDictionary[Graph, Shift] = WeakKeyDictionary()
_opening = threading.Lock()


def shift(graph: Graph) -> Shift:
    with _opening:
        return _shifts.setdefault(graph, Shift())


def jobs(graph: Graph, settings: NewsSettings | None = None) -> list[Job]:
    """The jobs of this pipeline; the updater only where the settings say where news come from."""
    settings = settings or load()
    found = []
    if settings.update_seconds and configured(settings):
        found.append(Job("news-update", settings.update_seconds, _unless_paused(graph, _updating(graph, settings))))
    if settings.process_seconds:
        found.append(Job("news-process", settings.process_seconds, _unless_paused(graph, _processing(graph, settings))))
    return found


def _updating(graph: Graph, settings: NewsSettings) -> Callable[[], UpdaterRun]:
    return lambda: Updater(graph, settings).run_once()


def _processing(graph: Graph, settings: NewsSettings) -> Callable[[], ProcessorRun]:
    processor, ours = Processor(graph, settings, stop=shift(graph).stop), shift(graph)

    def run() -> ProcessorRun:
        with ours.at_work:
            return processor.run_once()

    return run


def _unless_paused(graph: Graph, run: Callable[[], UpdaterRun | ProcessorRun]) -> Callable[[], object]:
    def job() -> UpdaterRun | ProcessorRun | None:
        try:
            return run() if graph.door.paused(PIPELINE) is None else None
        except StoreClosed:
            return None  # the daemon is ending

    return job
