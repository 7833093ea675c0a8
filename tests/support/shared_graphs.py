"""Graphs that are served, for the suites that run on the HTTP engine: a real server on loopback, and a line to it.

A place is served by this process from its first opening until its last graph is closed, so that a test which closes
and opens again finds a store that was closed and opened too.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import graphvine
from graphvine.clock import Clock
from graphvine.graph import Graph
from graphvine.settings import Settings
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.http_server import HttpServer
from graphvine.workers.serve.settings import ServeSettings

TOKEN = "the token of the tests"
_open: dict[Path, Served] = {}
_lock = threading.Lock()


class Served:
    """One store with a server in front of it."""

    def __init__(
        self, path: Path, settings: Settings, clock: Clock | None = None, *, create: bool = True,
        serve: ServeSettings | None = None,
    ) -> None:  # fmt: skip
        self.graph = graphvine.open(path, settings=settings, clock=clock, create=create)
        self.http_server = HttpServer(AppState(serve or ServeSettings(port=0), TOKEN, "a test"))
        self.http_server.app_state.enter(self.graph)
        self.http_server.open()
        self.clients = 0

    @property
    def address(self) -> str:
        return self.http_server.address

    @property
    def with_token(self) -> str:
        host = self.address.removeprefix("http://")
        return f"http://:{TOKEN.replace(' ', '%20')}@{host}"

    def close(self) -> None:
        self.http_server.close(wait=False)
        self.graph.close()


def open_through_a_server(path: Path, settings: Settings, clock: Clock, *, create: bool) -> Graph:
    """A graph on the HTTP engine; what it asks is answered by a server of this process."""
    with _lock:
        served = _open.get(path)
        if served is None:
            served = _open[path] = Served(path, settings, clock, create=create)
        served.clients += 1
    try:
        graph = graphvine.open(served.with_token, settings=settings, clock=clock)
    except BaseException:
        _let_go(path)
        raise
    return _closing_with(graph, path)


def _closing_with(graph: Graph, path: Path) -> Graph:
    closes: Any = graph.engine.close
    once = threading.Lock()

    def close() -> None:
        closes()
        if once.acquire(blocking=False):
            _let_go(path)

    graph.engine.close = close  # type: ignore[method-assign]
    return graph


def _let_go(path: Path) -> None:
    with _lock:
        served = _open[path]
        served.clients -= 1
        if served.clients == 0:
            del _open[path]
            served.close()
