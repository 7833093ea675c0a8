"""Traces and metrics by OpenTelemetry: what is told of a row's life, to whom, and that nothing is without asking."""

from __future__ import annotations

import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from graphvine.clock import ManualClock
from graphvine.errors import ClaimLost, SettingsError
from graphvine.graph import Graph
from graphvine.outcomes import Done, GiveUp, Postpone, Retry, Skip
from graphvine.settings import Settings
from graphvine.telemetry import Telemetry, TelemetryMissing, asked_for
from graphvine.telemetry_sdk import RowIds, make_providers
from tests.support.daemons import COMMAND
from tests.support.waiting import WAIT_LIMIT


class Heard:
    """What was exported, in memory."""

    def __init__(self, graph: Graph) -> None:
        self.spans, self._reader = InMemorySpanExporter(), InMemoryMetricReader()
        tracers = TracerProvider(id_generator=RowIds())
        tracers.add_span_processor(SimpleSpanProcessor(self.spans))
        graph.telemetry = Telemetry(graph, (tracers, MeterProvider(metric_readers=[self._reader])))

    def attempts(self) -> list[ReadableSpan]:
        return [span for span in self.spans.get_finished_spans() if span.name == "article attempt"]

    def parts(self, attempt: ReadableSpan) -> list[str]:
        mine = attempt.context.span_id
        return [s.name for s in self.spans.get_finished_spans() if s.parent is not None and s.parent.span_id == mine]

    def counted(self, name: str) -> dict[tuple[Any, ...], Any]:
        found = self._reader.get_metrics_data()
        assert found is not None
        points = [
            (tuple(point.attributes.values()), getattr(point, "value", None) or getattr(point, "count", 0))
            for resource in found.resource_metrics for scope in resource.scope_metrics for metric in scope.metrics
            if metric.name == name for point in metric.data.data_points
        ]  # fmt: skip
        return dict(points)


@pytest.fixture
def heard(graph: Graph) -> Heard:
    return Heard(graph)


def test_the_attempts_of_a_row_are_one_trace_and_linked(graph: Graph, clock: ManualClock, heard: Heard) -> None:
    graph.seed("article", ["Vine"])
    claims = graph.claims("article", "a gardener")
    claims.settle([Retry(claims.claim(1)[0], "busy: https://me:secret@example.org/x")])
    clock.forward(60)
    claims.settle([Done(claims.claim(1)[0])])
    first, second = heard.attempts()
    assert first.context.trace_id == second.context.trace_id and first.context.span_id != second.context.span_id
    assert first.parent is None and heard.parts(first) == heard.parts(second) == ["claim", "settle"]
    assert [link.context.span_id for link in second.links] == [first.context.span_id] and not first.links
    told = dict(first.attributes or {})
    assert told["graphvine.row.key"] == "Vine" and told["graphvine.pipeline"] == "article"
    assert told["graphvine.worker"] == "a gardener" and told["graphvine.attempt"] == 1
    assert told["graphvine.outcome"] == "retried" and first.status.status_code is StatusCode.ERROR
    assert "secret" not in str(told) and "busy" in str(told["graphvine.reason"])
    assert dict(second.attributes or {})["graphvine.attempt"] == 2 and second.status.status_code is StatusCode.UNSET
    assert first.start_time < first.end_time <= second.start_time < second.end_time


def test_every_end_is_named_and_counted(graph: Graph, clock: ManualClock, heard: Heard) -> None:
    graph.seed("article", ["a", "b", "c", "d", "e"])
    claims = graph.claims("article", "w")
    held = {claim.key: claim for claim in claims.claim(5)}
    claims.settle([
        Done(held["a"]), Retry(held["b"], "busy"), GiveUp(held["c"], "broken"), Skip(held["d"], "no page"),
        Postpone(held["e"], "away"),
    ])  # fmt: skip
    ends = {
        str((s.attributes or {})["graphvine.row.key"]): (s.attributes or {})["graphvine.outcome"]
        for s in heard.attempts()
    }
    assert ends == {"a": "done", "b": "retried", "c": "failed", "d": "skipped", "e": "postponed"}
    assert len({span.context.trace_id for span in heard.attempts()}) == 5
    rows = heard.counted("graphvine.rows")
    assert rows == {("article", end): 1 for end in ends.values()}
    assert sum(heard.counted("graphvine.attempt.duration").values()) == 5
    assert set(heard.counted("graphvine.statement.duration")) == {("read",), ("write",)}


def test_the_last_retry_is_a_failure(graph: Graph, clock: ManualClock, heard: Heard) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    for _ in range(graph.settings.max_retries):
        claims.settle([Retry(claims.claim(1)[0], "busy")])
        clock.forward(10_000)
    ends = [(span.attributes or {})["graphvine.outcome"] for span in heard.attempts()]
    assert ends == ["retried"] * (graph.settings.max_retries - 1) + ["failed"]


def test_a_lost_claim_ends_its_span(graph: Graph, clock: ManualClock, heard: Heard) -> None:
    graph.seed("article", ["a", "b"])
    claims = graph.claims("article", "w")
    one, two = claims.claim(2)
    clock.forward(1_000)
    assert graph.reap("article").reclaimed == 2
    with pytest.raises(ClaimLost):
        claims.settle([Done(one)])
    with pytest.raises(ClaimLost):
        claims.heartbeat([two])
    assert [(span.attributes or {})["graphvine.outcome"] for span in heard.attempts()] == ["lost", "lost"]
    assert heard.counted("graphvine.claims.reclaimed") == {("article",): 2}


def test_queues_are_told_when_they_are_asked_for(graph: Graph, heard: Heard) -> None:
    assert graph.telemetry is not None
    graph.telemetry.watch_queues(graph.status)
    graph.seed("article", ["a", "b"])
    assert heard.counted("graphvine.queue.rows")["article", "discovered"] == 2


@pytest.mark.parametrize(
    ("variables", "setting", "wanted"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, False, True),
        ({"OTEL_TRACES_EXPORTER": "console"}, False, True),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"}, False, False),
        ({"OTEL_SERVICE_NAME": "garden"}, False, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"}, True, False),
    ],
)
def test_it_is_on_when_somebody_asks(variables: dict[str, str], setting: bool, wanted: bool) -> None:
    assert asked_for(Settings(otel=setting), variables) == wanted


def test_without_the_packages_the_setting_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphvine.telemetry.find_spec", lambda name: None)
    with pytest.raises(TelemetryMissing, match=r"pip install 'graphvine\[otel\]'"):
        asked_for(Settings(otel=True), {})
    assert not asked_for(Settings(), {"OTEL_TRACES_EXPORTER": "otlp"}), "the variables may be for other programs"


def test_an_unknown_sender_is_refused() -> None:
    with pytest.raises(SettingsError, match="OTEL_TRACES_EXPORTER is 'zipkin'"):
        make_providers({"OTEL_TRACES_EXPORTER": "zipkin"})


def test_nothing_of_it_is_loaded_unasked(tmp_path: Path) -> None:
    code = (
        "import sys, graphvine\n"
        "with graphvine.open('x.kuzu') as graph:\n"
        "    graph.seed('article', ['a']); graph.claims('article').claim(1)\n"
        "print([name for name in sys.modules if 'opentelemetry' in name or 'telemetry' in name])"
    )
    clean = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env=clean,
                          timeout=WAIT_LIMIT)  # fmt: skip
    assert done.stdout.strip() == "[]", done.stderr


@pytest.fixture
def collector() -> Iterator[tuple[str, dict[str, list[bytes]]]]:
    """What a collector hears by OTLP over HTTP, by path."""
    bodies: dict[str, list[bytes]] = {"/v1/traces": [], "/v1/metrics": []}

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                import gzip

                body = gzip.decompress(body)
            bodies[self.path].append(body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *given: Any) -> None:
            """Quiet."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", bodies
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_command_sends_to_a_collector(tmp_path: Path, collector: tuple[str, dict[str, list[bytes]]]) -> None:
    address, bodies = collector
    asked = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_SERVICE_NAME": "garden", "GRAPHVINE_WIKIPEDIA_EMBEDDER": "none",
        "NO_PROXY": "127.0.0.1",
    }  # fmt: skip
    command = [str(COMMAND), "--graph", "x.kuzu", "grow", "Vine", "--source", "sample", "--depth", "0"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, **asked},
                          timeout=WAIT_LIMIT)  # fmt: skip
    assert done.returncode == 0, done.stderr
    spans: list[Any] = []
    for body in bodies["/v1/traces"]:
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            names = {one.key: one.value.string_value for one in resource.resource.attributes}
            assert names["service.name"] == "garden" and names["service.version"]
            spans += [span for scope in resource.scope_spans for span in scope.spans]
    attempt = next(span for span in spans if span.name == "article attempt")
    told = {one.key: one.value.string_value for one in attempt.attributes}
    assert told["graphvine.row.key"] == "Vine" and told["graphvine.outcome"] == "done"
    assert sorted(span.name for span in spans if span.parent_span_id == attempt.span_id) == ["claim", "settle"]
    sent = {
        metric.name
        for body in bodies["/v1/metrics"]
        for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert {"graphvine.rows", "graphvine.attempt.duration", "graphvine.statement.duration"} <= sent
