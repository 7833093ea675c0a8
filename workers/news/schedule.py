"""Scheduled jobs: the updater each hour, the processor each minute."""

from __future__ import annotations

import threading
from collections.abc import Callable
from weakref import WeakKeyDictionary

from graphvine.errors import StoreClosed
from graphvine.graph import Graph
from graphvine.workers.news import NAME
from graphvine.workers.news.processor import Processor
from graphvine.workers.news.providers import configured
from graphvine.workers.news.runs import ProcessorRun, UpdaterRun
from graphvine.workers.news.settings import NewsSettings, load
from graphvine.workers.news.updater import Updater
from graphvine.workers.scheduler import Job


class _RunState:
    """Of the processor's runs on one graph: set `stop` to end them; `running` is held while one runs."""

    def __init__(self) -> None:
        self.stop, self.running = threading.Event(), threading.Lock()


_run_states: WeakKeyDictionary[Graph, _RunState] = WeakKeyDictionary()
_lock = threading.Lock()


def _run_state(graph: Graph) -> _RunState:
    with _lock:
        return _run_states.setdefault(graph, _RunState())


def jobs(graph: Graph, settings: NewsSettings | None = None) -> list[Job]:
    """The jobs of this pipeline; the updater only if a provider is configured."""
    settings = settings or load()
    found = []
    if settings.update_seconds and configured(settings):
        found.append(Job("news-update", settings.update_seconds, _unless_paused(graph, _updating(graph, settings))))
    if settings.process_seconds:
        found.append(Job("news-process", settings.process_seconds, _unless_paused(graph, _processing(graph, settings))))
    return found


def serve(graph: Graph, stop: threading.Event) -> None:
    """Wait until the daemon stops; then the current run is ended and waited for."""
    state = _run_state(graph)
    state.stop.clear()
    stop.wait()
    state.stop.set()
    with state.running:
        return


def _updating(graph: Graph, settings: NewsSettings) -> Callable[[], UpdaterRun]:
    return lambda: Updater(graph, settings).run_once()


def _processing(graph: Graph, settings: NewsSettings) -> Callable[[], ProcessorRun]:
    state = _run_state(graph)
    processor = Processor(graph, settings, stop=state.stop)

    def run() -> ProcessorRun:
        with state.running:
            return processor.run_once()

    return run


def _unless_paused(graph: Graph, run: Callable[[], UpdaterRun | ProcessorRun]) -> Callable[[], object]:
    def job() -> UpdaterRun | ProcessorRun | None:
        try:
            return run() if graph.store.paused(NAME) is None else None
        except StoreClosed:
            return None  # the daemon is ending

    return job
