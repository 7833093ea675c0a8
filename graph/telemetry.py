"""Traces and metrics by OpenTelemetry (extra `otel`): a row's life as a trace, its attempts linked.

Off unless the OTEL_* variables or the setting `otel` ask for it; nothing of OpenTelemetry is loaded before.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from graphvine.claims import Claims
from graphvine.errors import ClaimLost, GraphvineError
from graphvine.outcomes import Done, GiveUp, Outcome, Postpone, Retry, Save, Skip
from graphvine.records import Claim, PipelineStatus, Row
from graphvine.redact import redact
from graphvine.settings import Settings

if TYPE_CHECKING:
    from graphvine.graph import Graph

_ASKING = (
    "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
)  # fmt: skip
# Attempts that are open, and ended ones that a next attempt is linked to; the oldest are forgotten.
_MOST_OPEN, _MOST_ENDED = 100_000, 50_000
_LONGEST = 300


class TelemetryMissing(GraphvineError):
    """The setting asks for OpenTelemetry, and it is not installed."""


def asked_for(settings: Settings, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether traces and metrics are wanted, and can be had."""
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    said = [environment.get(name, "").strip() for name in _ASKING]
    if not (settings.otel or any(value and value.lower() != "none" for value in said)):
        return False
    if find_spec("opentelemetry") is not None and find_spec("opentelemetry.sdk") is not None:
        return True
    if settings.otel:
        from graphvine.installation import extra_command

        raise TelemetryMissing(f"the setting 'otel' needs OpenTelemetry: run `{extra_command('otel')}`")
    return False  # the variables may be meant for other programs


@dataclass(slots=True)
class _Attempt:
    span: Any
    token: int
    began: float


class Telemetry:
    """Spans of the attempts of this process, and its metrics. Called by any thread."""

    def __init__(self, graph: Graph, providers: tuple[Any, Any] | None = None) -> None:
        from graphvine.telemetry_sdk import providers as of_the_process

        tracers, meters = providers or of_the_process()
        # A part of every trace's id: the same for all processes that name the graph's file, or its server.
        self._where = graph.where if "://" in graph.where else os.path.abspath(graph.where)
        self._max_retries = graph.settings.max_retries
        self._tracer = tracers.get_tracer("graphvine")
        meter = meters.get_meter("graphvine")
        self._rows = meter.create_counter("graphvine.rows", "{row}", "Rows by what came of an attempt.")
        self._took = meter.create_histogram("graphvine.attempt.duration", "s", "From a claim to its end.")
        self._statements = meter.create_histogram("graphvine.statement.duration", "s", "Reads and writes of the store.")
        self._reclaimed = meter.create_counter(
            "graphvine.claims.reclaimed", "{row}", "Claims taken back by the reaper."
        )
        self._meter = meter
        self._open: OrderedDict[tuple[str, int], _Attempt] = OrderedDict()
        self._ended: OrderedDict[tuple[str, int], Any] = OrderedDict()
        self._lock = threading.Lock()
        graph.store.subscribe(self.on_event)

    def claims(self, graph: Graph, pipeline: str, worker: str) -> Claims:
        """One worker's view of a queue, watched."""
        return _WatchedClaims(graph.store, pipeline, worker, self)

    def on_event(self, event: str, facts: Mapping[str, Any]) -> None:
        """Receives the events of the graph's store."""
        if event in ("read", "write"):
            self._statements.record(facts["seconds"], {"graphvine.statement": event})
        elif event == "reclaimed":
            self._reclaimed.add(facts["reclaimed"] + facts["given_up"], {"graphvine.pipeline": facts["pipeline"]})

    def watch_queues(self, look: Callable[[], Iterable[PipelineStatus]]) -> None:
        """Rows in each state, looked at whenever metrics are sent."""
        from opentelemetry.metrics import CallbackOptions, Observation

        def observed(options: CallbackOptions) -> Iterable[Observation]:
            try:
                found = list(look())
            except GraphvineError:
                return  # the graph is being opened or closed
            for one in found:
                for state, count in one.states.items():
                    yield Observation(count, {"graphvine.pipeline": one.pipeline, "graphvine.state": state})

        self._meter.create_observable_gauge("graphvine.queue.rows", [observed], "{row}", "Rows in each state.")

    def began(self, claims: Sequence[Claim], worker: str, start: int, end: int) -> None:
        """These rows were claimed, by a statement between these moments (ns)."""
        from opentelemetry.context import Context
        from opentelemetry.trace import Link, set_span_in_context

        from graphvine.telemetry_sdk import trace_of

        for claim in claims:
            row = (claim.pipeline, claim.seq)
            with self._lock:
                known = self._open.get(row)
                if known is not None and known.token == claim.token:
                    continue
                before = self._ended.get(row)
            attributes = {
                "graphvine.pipeline": claim.pipeline, "graphvine.row.key": redact(claim.key)[:_LONGEST],
                "graphvine.row.seq": claim.seq, "graphvine.row.depth": claim.depth, "graphvine.worker": worker,
                "graphvine.attempt": claim.retry_count + 1,
            }  # fmt: skip
            links = [] if before is None else [Link(before, {"graphvine.link": "the attempt before"})]
            with trace_of(self._where, *row):
                span = self._tracer.start_span(
                    f"{claim.pipeline} attempt", Context(), attributes=attributes, links=links, start_time=start
                )
            self._tracer.start_span("claim", set_span_in_context(span), start_time=start).end(end)
            with self._lock:
                self._open[row] = _Attempt(span, claim.token, time.monotonic())
                dropped = self._open.popitem(last=False)[1] if len(self._open) > _MOST_OPEN else None
            if dropped is not None:
                dropped.span.end()

    def settled(self, outcomes: Sequence[Outcome], lost: Sequence[Claim], start: int, end: int) -> None:
        """These attempts are over, by a statement between these moments (ns)."""
        gone = {claim.seq for claim in lost}
        for outcome in outcomes:
            if not isinstance(outcome, Save):
                name = "lost" if outcome.claim.seq in gone else self._name(outcome)
                reason = "" if isinstance(outcome, Done) else outcome.reason
                self._over(outcome.claim, name, reason, start, end)

    def _name(self, outcome: Outcome) -> str:
        last = isinstance(outcome, Retry) and outcome.attempt is None
        if last and outcome.claim.retry_count + 1 >= self._max_retries:
            return "failed"
        return _NAMES[type(outcome)]

    def lost(self, claims: Sequence[Claim]) -> None:
        """These rows belong to others now."""
        now = time.time_ns()
        for claim in claims:
            self._over(claim, "lost", "the claim was lost", now, now)

    def _over(self, claim: Claim, name: str, reason: str, start: int, end: int) -> None:
        from opentelemetry.trace import Status, StatusCode, set_span_in_context

        row = (claim.pipeline, claim.seq)
        with self._lock:
            attempt = self._open.get(row)
            if attempt is None or attempt.token != claim.token:
                return
            del self._open[row]
            self._ended.pop(row, None)
            if name != "done":
                self._ended[row] = attempt.span.get_span_context()
                if len(self._ended) > _MOST_ENDED:
                    self._ended.popitem(last=False)
        span, said = attempt.span, redact(reason)[:_LONGEST]
        self._tracer.start_span("settle", set_span_in_context(span), start_time=start).end(end)
        span.set_attribute("graphvine.outcome", name)
        if said:
            span.set_attribute("graphvine.reason", said)
        if name in ("retried", "failed", "lost"):
            span.set_status(Status(StatusCode.ERROR, said))
        span.end(end)
        attributes = {"graphvine.pipeline": claim.pipeline, "graphvine.outcome": name}
        self._rows.add(1, attributes)
        self._took.record(time.monotonic() - attempt.began, attributes)


_NAMES: dict[type[Any], str] = {
    Done: "done", Retry: "retried", GiveUp: "failed", Skip: "skipped", Postpone: "postponed",
}  # fmt: skip


class _WatchedClaims(Claims):
    """Says of each exchange with the store when it began and ended."""

    def __init__(self, store: Any, pipeline: str, worker: str, telemetry: Telemetry) -> None:
        super().__init__(store, pipeline, worker)
        self._telemetry = telemetry

    def claim(self, *given: Any, **named: Any) -> list[Claim]:
        start = time.time_ns()
        claims = super().claim(*given, **named)
        # Those that a daemon claimed for us; ours are known already.
        self._telemetry.began(claims, self.worker, start, time.time_ns())
        return claims

    def heartbeat(self, claims: Iterable[Claim]) -> None:
        try:
            super().heartbeat(claims)
        except ClaimLost as error:
            self._telemetry.lost(error.claims)
            raise

    def _run(
        self, outcomes: Sequence[Outcome], rows: Sequence[Row] = (), *given: Any, **named: Any
    ) -> tuple[list[Claim], list[Claim]]:
        start = time.time_ns()
        claims, lost = super()._run(outcomes, rows, *given, **named)
        end = time.time_ns()
        self._telemetry.settled(outcomes, lost, start, end)
        self._telemetry.began(claims, self.worker, start, end)
        return claims, lost
