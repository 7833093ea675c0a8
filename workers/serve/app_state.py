"""What the routes share: the graph once it is open, the token, listeners, jobs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from graphvine.dispatch import Run
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.requests import Request
from graphvine.workers.serve.events import Hub
from graphvine.workers.serve.idempotency import Idempotency
from graphvine.workers.serve.settings import ServeSettings

if TYPE_CHECKING:
    from graphvine.workers.serve.jobs import JobList
    from graphvine.workers.serve.metrics import Metrics
    from graphvine.workers.serve.supervisor import Supervisor

R = TypeVar("R")


class NotReady(GraphvineError):
    """The graph is not open yet, or no longer."""


@dataclass
class AppState:
    settings: ServeSettings
    token: str = field(repr=False)
    what: str = "serve"
    hub: Hub = field(default_factory=Hub)
    started: float = field(default_factory=time.monotonic)
    supervisor: Supervisor | None = None
    metrics: Metrics | None = None
    stopping: threading.Event = field(default_factory=threading.Event)
    _graph: Graph | None = None
    _idempotency: Idempotency | None = None
    _jobs: JobList | None = None
    _kept: dict[str, Any] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def ready(self) -> bool:
        return self._graph is not None and not self.stopping.is_set()

    @property
    def graph(self) -> Graph:
        if self._graph is None:
            raise NotReady("the graph is being opened: try again in a moment")
        if self.stopping.is_set():
            raise NotReady("the service is about to end: try again when it is back")
        return self._graph

    @property
    def idempotency(self) -> Idempotency:
        if self._idempotency is None:
            raise NotReady("the graph is being opened: try again in a moment")
        return self._idempotency

    @property
    def jobs(self) -> JobList:
        if self._jobs is None:
            raise NotReady("the graph is being opened: try again in a moment")
        return self._jobs

    def enter(self, graph: Graph) -> None:
        """The graph is open: from now on everything is answered."""
        from graphvine.workers.serve.jobs import JobList
        from graphvine.workers.serve.metrics import Metrics

        self._idempotency, self._jobs, self.metrics = (
            Idempotency(graph),
            JobList(graph, self.hub, self.kept),
            Metrics(self),
        )
        graph.store.subscribe(self.hub.publish_event)
        graph.store.subscribe(self.metrics.on_event)
        self._graph = graph

    def run(self, request: Request[R]) -> R:
        """Run a request in this process; what it opens stays open for the next."""
        with Run[Any](in_daemon=True, keep_open=self.kept) as run:
            return request.run(self.graph, run)

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """Something that is made once and kept open: a search index, say. Closed with the app_state."""
        with self._lock:
            if name not in self._kept:
                self._kept[name] = make()
            return self._kept[name]

    def leave(self, name: str) -> None:
        """Close what was kept under this name; the next caller creates it again."""
        with self._lock:
            made = self._kept.pop(name, None)
            if made is not None:
                made.close()

    def close(self) -> None:
        """Nothing more is answered; what was kept open is closed."""
        self.stopping.set()
        if self._jobs is not None:
            self._jobs.stop()
        with self._lock:
            for name in list(self._kept):
                self.leave(name)
        self.hub.close()
