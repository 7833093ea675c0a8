"""Samples for the charts: every pipeline each ten seconds for an hour, each five minutes for a day.

The daemon keeps them in memory, so that a page that is opened later sees them.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphvine.records import PipelineStatus

if TYPE_CHECKING:
    from graphvine.workers.serve.app_state import AppState

_FIGURES = ("ready", "backing_off", "claimed", "failed")


@dataclass
class Series:
    """Samples of one length, for one pipeline; None where nothing was known."""

    finished: deque[float | None]
    seconds: deque[float | None]
    figures: dict[str, deque[int]]

    @classmethod
    def empty(cls, count: int) -> Series:
        return cls(deque(maxlen=count), deque(maxlen=count), {name: deque(maxlen=count) for name in _FIGURES})


@dataclass
class Span:
    """One chart's worth of samples."""

    every_seconds: float
    count: int
    at: deque[float] = field(default_factory=deque)
    series: dict[str, Series] = field(default_factory=dict)
    taken_at: float = float("-inf")
    done: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.at = deque(maxlen=self.count)


class Samples:
    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._lock = threading.Lock()
        self.spans = {"hour": Span(10.0, 360), "day": Span(300.0, 288)}

    def tick(self, now: float | None = None) -> None:
        """Take the samples that are due. Called once a second."""
        from graphvine.workers.serve.status_cache import status_of

        now = time.monotonic() if now is None else now
        due = [span for span in self.spans.values() if now - span.taken_at >= span.every_seconds]
        if due and self._app_state.ready:
            statuses = status_of(self._app_state)
            with self._lock:
                for span in due:
                    self._take(span, statuses, now)

    def shown(self) -> dict[str, Any]:
        with self._lock:
            return {name: _shown(span) for name, span in self.spans.items()}

    def rate(self, pipeline: str) -> float | None:
        """What was finished per second in the last minute."""
        with self._lock:
            series = self.spans["hour"].series.get(pipeline)
            last = [one for one in (list(series.finished)[-6:] if series else []) if one is not None]
        return sum(last) / len(last) if last else None

    def _take(self, span: Span, statuses: list[PipelineStatus], now: float) -> None:
        passed = now - span.taken_at
        span.at.append(time.time())
        machines = self._app_state.graph.library.machines
        for one in statuses:
            series = span.series.setdefault(one.pipeline, Series.empty(span.count))
            done = sum(one.states.get(state, 0) for state in machines[one.pipeline].done)
            before = span.done.get(one.pipeline)
            span.done[one.pipeline] = done
            # Requeued rows make it fewer: nothing was finished then.
            series.finished.append(None if before is None else max(0, done - before) / passed)
            journal = self._app_state.journal
            taken = (
                [] if journal is None or before is None else sorted(journal.take_seconds(one.pipeline, span.taken_at))
            )
            series.seconds.append(taken[len(taken) // 2] if taken else None)
            for name in _FIGURES:
                series.figures[name].append(getattr(one, name))
        span.taken_at = now


def _shown(span: Span) -> dict[str, Any]:
    pipelines = {
        name: {
            "finished_per_second": list(series.finished), "claim_seconds": list(series.seconds),
            **{figure: list(values) for figure, values in series.figures.items()},
        }
        for name, series in span.series.items()
    }  # fmt: skip
    return {"every_seconds": span.every_seconds, "at": list(span.at), "pipelines": pipelines}
