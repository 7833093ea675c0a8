"""The daemon: one process that owns the graph, runs workers and jobs, and answers whoever asks."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import graphvine
from graphvine.engines import refuse_other_files
from graphvine.errors import GraphvineError, StoreBusy, UnknownPipeline
from graphvine.graph import Graph
from graphvine.service_file import announce, find, token_of, withdraw
from graphvine.settings import Settings
from graphvine.workers import registry, scheduler
from graphvine.workers.pipeline import Handler
from graphvine.workers.serve import webhooks
from graphvine.workers.serve.api.login import login_path
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.connections import raise_file_limit
from graphvine.workers.serve.health_monitor import HealthMonitor
from graphvine.workers.serve.http_server import HttpServer
from graphvine.workers.serve.logs import attach, write_logs
from graphvine.workers.serve.settings import ServeSettings
from graphvine.workers.serve.supervisor import Service, Supervisor

_log = logging.getLogger("graphvine.serve")
# Another command may hold the file for a moment, or the daemon before us may be about to end.
_PATIENCE_SECONDS = 15.0


class Running(GraphvineError):
    """A daemon serves this graph already."""


class Daemon:
    def __init__(
        self,
        where: str,
        core: Settings,
        settings: ServeSettings,
        *,
        verbose: bool = False,
        json_logs: bool | None = None,
    ) -> None:
        self._where, self._core, self._settings = where, core, settings
        self.stop = threading.Event()
        self._is_file = "://" not in where
        other = find(where) if self._is_file else None
        if other is not None:
            raise Running(f"{where} is served already, by process {other.pid} ({other.what}) at {other.address}")
        if self._is_file and not where.startswith("ladybug:"):
            refuse_other_files(Path(where).expanduser())
        webhooks.check(settings)
        token = token_of(where) if self._is_file else _token_of_server()
        write_logs(token, verbose=verbose, as_json=json_logs)
        raise_file_limit()
        self.http_server = HttpServer(AppState(settings, token, where=where if self._is_file else None))

    def run(self) -> int:
        """Serve until a signal says stop. Returns the exit status."""
        before = {number: signal.signal(number, self._on_signal) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            self.http_server.open()  # so that /healthz answers while the graph is opened
            if not self._settings.is_loopback() and not self._settings.certificate:
                _log.warning(
                    "plain HTTP beyond loopback: the token can be read on the way. Set serve.certificate and"
                    " serve.private_key, or put a proxy with TLS in front of it (docs/security.md)"
                )
            _log.info("listening", extra={"facts": {"address": self.http_server.address, "pid": os.getpid()}})
            graph = self._open()
            if graph is None:
                return 0
            try:
                self._serve(graph)
            finally:
                self.http_server.app_state.close()
                graph.close()
            _log.info("ended")
            return 0
        finally:
            self.http_server.close()
            for number, action in before.items():
                signal.signal(number, action)

    def _open(self) -> Graph | None:
        end = time.monotonic() + _PATIENCE_SECONDS
        while not self.stop.is_set():
            try:
                graph = Graph(self._where, self._core)
                if not graph.engine.capabilities.maintains:
                    graph.close()
                    raise Running(f"{self._where} is served already: another process was quicker")
                return graph
            except StoreBusy:
                if time.monotonic() > end:
                    raise
                self.stop.wait(0.1)
        return None

    def _serve(self, graph: Graph) -> None:
        attach(graph)
        app_state = self.http_server.app_state
        app_state.enter(graph)
        hooks = webhooks.start(self._settings, app_state.hub)
        supervisor = Supervisor(
            graph, self._settings, workers_of(graph, self._settings), build, services_of(graph, self._settings)
        )
        app_state.supervisor = supervisor
        health = app_state.health = HealthMonitor(graph, self._settings.ready_seconds, self._settings.stuck_seconds)
        if graph.engine.capabilities.single_owner:
            app_state.idempotency.drop_old()
        if self._is_file:
            announce(
                self._where, self.http_server.address, what="graphvine serve", version=graphvine.__version__,
                certificate=self._settings.certificate and os.path.abspath(self._settings.certificate),
            )  # fmt: skip
        _log.info("ready", extra={"facts": {"graph": graph.where, "workers": workers_of(graph, self._settings)}})
        if sys.stderr.isatty():
            _greet(graph, self.http_server.address, login_path(app_state))
        clockwork = scheduler.start(graph, None if self._settings.jobs else [scheduler.reaper(graph)])
        supervisor.start()
        health.start()
        app_state.jobs.resume()
        try:
            while not self.stop.wait(1.0):
                if health.stuck():
                    _log.critical("the store can't be used and does not recover: ending, to be restarted")
                    os._exit(1)
                app_state.hub.tick(app_state)
                if app_state.samples is not None:
                    app_state.samples.tick()
        finally:
            health.stop()
            self._end(supervisor, clockwork)
            if hooks is not None:
                app_state.hub.publish("closing")
                hooks.close()

    def _end(self, supervisor: Supervisor, clockwork: Any) -> None:
        """Whatever hangs, the process is gone in time; what it then still held goes back when the next one opens."""
        began = time.monotonic()
        last = threading.Timer(self._settings.stop_seconds + 1.0, _exit)
        last.daemon = True
        last.start()
        if self._is_file:
            withdraw(self._where)
        clockwork.shutdown(wait=False)
        app_state = self.http_server.app_state
        app_state.stopping.set()
        app_state.jobs.tell_to_stop()
        ended = supervisor.stop(self._settings.stop_seconds - 1.0)
        app_state.jobs.stop(max(0.0, self._settings.stop_seconds - (time.monotonic() - began)))
        if not ended:
            _log.warning("some workers did not end in time: what they hold goes back with the next start")
        _log.info("workers ended", extra={"facts": {"seconds": round(time.monotonic() - began, 3)}})

    def _on_signal(self, number: int, frame: Any) -> None:
        self.stop.set()


def workers_of(graph: Graph, settings: ServeSettings) -> dict[str, int]:
    """How many workers each pipeline gets: as the settings say, and one where they say nothing."""
    for name in settings.workers:
        if name not in graph.library.machines:
            raise UnknownPipeline(name, list(graph.library.machines))
    able = [name for name, one in registry.of(graph).items() if one.works]
    return {name: settings.workers.get(name, 1) for name in able}


def services_of(graph: Graph, settings: ServeSettings) -> dict[str, Service]:
    return {name: run for name, run in registry.services(graph).items() if settings.workers.get(name, 1) > 0}


def build(graph: Graph, pipeline: str, count: int) -> Sequence[Handler]:
    return registry.get(graph, pipeline).handlers(graph, count)


def _greet(graph: Graph, address: str, path: str) -> None:
    """In a terminal: what is served, and a link that logs a browser in."""
    print(
        f"Graphvine serves {graph.where} ({graph.engine.name}) at {address}\n"
        f"Dashboard: {address}{path}\n"
        "  This link logs you in once, within five minutes; `graphvine open` makes another. Ctrl-C ends the service.",
        file=sys.stderr, flush=True,
    )  # fmt: skip


def _token_of_server() -> str:
    """For a graph that is no file the token comes from outside, or lasts as long as the process."""
    import secrets

    return os.environ.get("GRAPHVINE_TOKEN") or secrets.token_urlsafe(32)


def _exit() -> None:
    os._exit(0)
