"""The page for Prometheus: statements, batches, requests as they pass; queues and workers when it is asked for."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric

import graphvine

if TYPE_CHECKING:
    from graphvine.workers.serve.app_state import AppState

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_CLAIM_SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
_SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


class Metrics:
    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._registry = CollectorRegistry()
        made: Any = {"registry": self._registry}
        self._statements = Histogram(
            "graphvine_statement_seconds", "Time of statements.", ["kind"], buckets=_SECONDS, **made
        )
        self._rows = Counter(
            "graphvine_rows", "Rows that workers of this process worked on.", ["pipeline", "end"], **made
        )
        self._lost = Counter("graphvine_claims_lost", "Claims that were lost.", ["pipeline"], **made)
        self._back = Counter("graphvine_claims_reclaimed", "Claims that the reaper took back.", ["pipeline"], **made)
        self._restarts = Counter(
            "graphvine_worker_restarts", "Workers that crashed and were restarted.", ["pipeline"], **made
        )
        self._requests = Histogram(
            "graphvine_http_seconds", "Time of requests.", ["method", "route", "status"], buckets=_SECONDS, **made
        )
        self._claims = Histogram(
            "graphvine_claim_seconds", "From a claim to its end.", ["pipeline"], buckets=_CLAIM_SECONDS, **made
        )
        self._registry.register(self)

    def on_event(self, event: str, facts: Mapping[str, Any]) -> None:
        """Receives the events of the graph's store."""
        if event in ("read", "write"):
            self._statements.labels(event).observe(facts["seconds"])
        elif event == "batch":
            counts = facts["counts"]
            for end in ("done", "retried", "failed", "lost", "released", "skipped"):
                self._rows.labels(facts["pipeline"], end).inc(getattr(counts, end))
        elif event == "claims_lost":
            self._lost.labels(facts["pipeline"]).inc(facts["count"])
        elif event == "reclaimed":
            self._back.labels(facts["pipeline"]).inc(facts["reclaimed"] + facts["given_up"])
        elif event == "worker_restarted":
            self._restarts.labels(facts["pipeline"]).inc()

    def claim_ended(self, pipeline: str, seconds: float) -> None:
        self._claims.labels(pipeline).observe(seconds)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).observe(seconds)

    def collect(self) -> Iterable[Metric]:
        """Asked for with each look at the page."""
        from graphvine.workers.serve.status_cache import status_of

        build = GaugeMetricFamily(
            "graphvine_build_info", "The version that runs.", labels=["version", "engine", "python"]
        )
        engine = self._app_state.graph.engine.name if self._app_state.ready else ""
        build.add_metric([graphvine.__version__, engine, platform.python_version()], 1)
        yield build
        up = GaugeMetricFamily("graphvine_up_seconds", "How long the service has run.")
        up.add_metric([], time.monotonic() - self._app_state.started)
        yield up
        workers = GaugeMetricFamily("graphvine_workers", "Workers that run.", labels=["pipeline"])
        if self._app_state.supervisor is not None:
            for pipeline, alive in self._app_state.supervisor.alive().items():
                workers.add_metric([pipeline], alive)
        yield workers
        rows = GaugeMetricFamily("graphvine_queue_rows", "Rows in each state.", labels=["pipeline", "state"])
        ready = GaugeMetricFamily("graphvine_queue_ready", "Rows that could be claimed now.", labels=["pipeline"])
        paused = GaugeMetricFamily("graphvine_queue_paused", "Whether the pipeline rests.", labels=["pipeline"])
        oldest = GaugeMetricFamily(
            "graphvine_queue_oldest_ready_seconds", "How long the oldest ready row has waited.", labels=["pipeline"]
        )
        if self._app_state.ready:
            now = self._app_state.graph.clock.now_ms()
            for one in status_of(self._app_state):
                for state, count in one.states.items():
                    rows.add_metric([one.pipeline, state], count)
                ready.add_metric([one.pipeline], one.ready)
                paused.add_metric([one.pipeline], int(one.paused))
                waiting = 0.0 if one.oldest_ready is None else now / 1000 - one.oldest_ready.timestamp()
                oldest.add_metric([one.pipeline], max(0.0, waiting))
        yield from (rows, ready, paused, oldest)

    def page(self) -> bytes:
        return generate_latest(self._registry)
