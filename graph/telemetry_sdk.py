"""What collects and sends: OpenTelemetry's SDK, set up once a process by the standard OTEL_* variables."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

import graphvine
from graphvine.errors import SettingsError

_SENDERS = ("otlp", "console", "none")
_row_trace: ContextVar[int] = ContextVar("graphvine_row_trace", default=0)
_lock = threading.Lock()
_made: tuple[Any, Any] | None = None


class RowIds(RandomIdGenerator):
    """A new trace gets the id of the row that it tells of: all attempts, of any process, are one trace."""

    def generate_trace_id(self) -> int:
        return _row_trace.get() or super().generate_trace_id()


@contextmanager
def trace_of(*names: object) -> Iterator[None]:
    """Within the block, a new trace is that of the row with these names."""
    digest = hashlib.sha256("\0".join(map(str, names)).encode("utf-8", "replace")).digest()
    reset = _row_trace.set(int.from_bytes(digest[:16], "big") or 1)
    try:
        yield
    finally:
        _row_trace.reset(reset)


def providers() -> tuple[Any, Any]:
    """The application's own providers of traces and metrics where it has set them, otherwise ours."""
    global _made
    tracers, meters = trace.get_tracer_provider(), metrics.get_meter_provider()
    with _lock:
        if _made is None and not (isinstance(tracers, TracerProvider) and isinstance(meters, MeterProvider)):
            _made = make_providers(os.environ)
    own = _made or (tracers, meters)
    return (
        tracers if isinstance(tracers, TracerProvider) else own[0],
        meters if isinstance(meters, MeterProvider) else own[1],
    )


def make_providers(environment: Mapping[str, str]) -> tuple[TracerProvider, MeterProvider]:
    """Providers that send by OTLP over HTTP, or to the console; what is left is sent when the process ends."""
    resource = Resource.create({"service.name": environment.get("OTEL_SERVICE_NAME") or "graphvine",
                                "service.version": graphvine.__version__})  # fmt: skip
    tracers = TracerProvider(resource=resource, id_generator=RowIds())
    sender = _sender(environment, "OTEL_TRACES_EXPORTER")
    if sender == "otlp":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    elif sender == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        tracers.add_span_processor(BatchSpanProcessor(ConsoleSpanExporter()))
    readers: list[MetricReader] = []
    sender = _sender(environment, "OTEL_METRICS_EXPORTER")
    if sender == "otlp":
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

        readers.append(PeriodicExportingMetricReader(OTLPMetricExporter()))
    elif sender == "console":
        from opentelemetry.sdk.metrics.export import ConsoleMetricExporter

        readers.append(PeriodicExportingMetricReader(ConsoleMetricExporter()))
    return tracers, MeterProvider(resource=resource, metric_readers=readers)


def _sender(environment: Mapping[str, str], variable: str) -> str:
    said = environment.get(variable, "").strip().lower() or "otlp"
    if said not in _SENDERS:
        raise SettingsError(f"{variable} is {said!r}: Graphvine sends by {', '.join(_SENDERS[:-1])}, or none")
    return said
