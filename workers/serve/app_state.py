"""What the routes share: the graph once it is open, the token, listeners, jobs."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from graphvine.dispatch import Run
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.read_only import refuse_files
from graphvine.requests import Request
from graphvine.workers.serve.events import Hub
from graphvine.workers.serve.idempotency import Idempotency
from graphvine.workers.serve.settings import ServeSettings

if TYPE_CHECKING:
    from graphvine.workers.serve.health_monitor import HealthMonitor
    from graphvine.workers.serve.jobs import JobList
    from graphvine.workers.serve.journal import Journal
    from graphvine.workers.serve.metrics import Metrics
    from graphvine.workers.serve.samples import Samples
    from graphvine.workers.serve.supervisor import Supervisor

R = TypeVar("R")
CODE_SECONDS, _CODES_KEPT = 300.0, 20


class NotReady(GraphvineError):
    """The graph is not open yet, or no longer."""


@dataclass
class AppState:
    settings: ServeSettings
    token: str = field(repr=False)
    what: str = "serve"
    where: str | None = None  # the graph's file, for the tokens beside it
    hub: Hub = field(default_factory=Hub)
    started: float = field(default_factory=time.monotonic)
    supervisor: Supervisor | None = None
    metrics: Metrics | None = None
    health: HealthMonitor | None = None
    journal: Journal | None = None
    samples: Samples | None = None
    stopping: threading.Event = field(default_factory=threading.Event)
    _graph: Graph | None = None
    _idempotency: Idempotency | None = None
    _jobs: JobList | None = None
    _codes: dict[str, float] = field(default_factory=dict, repr=False)
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
        from graphvine.workers.serve.journal import Journal
        from graphvine.workers.serve.metrics import Metrics
        from graphvine.workers.serve.samples import Samples

        self._idempotency, self._jobs, self.metrics = (
            Idempotency(graph),
            JobList(graph, self.hub, self.kept),
            Metrics(self),
        )
        graph.store.subscribe(self.hub.publish_event)
        graph.store.subscribe(self.metrics.on_event)
        self.journal, self.samples = Journal(graph, self.settings.history_rows, self.metrics.claim_ended), Samples(self)
        if graph.telemetry is not None:
            from graphvine.workers.serve.status_cache import status_of

            graph.telemetry.watch_queues(lambda: status_of(self) if self.ready else [])
        self._graph = graph

    def check_files(self, text: str) -> None:
        """Refuse Cypher that reaches files of this machine, outside the folder that a setting names."""
        refuse_files(text, self.settings.files_folder)

    def new_login_code(self) -> str:
        """A code that logs one browser in, once, within a few minutes."""
        code = secrets.token_urlsafe(18)
        with self._lock:
            self._codes = {one: until for one, until in self._codes.items() if until > time.monotonic()}
            if len(self._codes) >= _CODES_KEPT:
                self._codes.pop(next(iter(self._codes)))
            self._codes[code] = time.monotonic() + CODE_SECONDS
        return code

    def use_login_code(self, code: str) -> bool:
        """Whether this code is good; it is no longer, afterwards."""
        with self._lock:
            return self._codes.pop(code, 0.0) > time.monotonic()

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
        if self.journal is not None:
            self.journal.close()
        self.hub.close()
