"""How long questions take, by the clock and in CPU time of all threads.

A busy machine lengthens the one, threads that work side by side the other: of each question the lesser of the two is
what a machine with nothing else to do needs at most, and goals are judged by it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any


class Latencies:
    """Milliseconds of each kind of question."""

    def __init__(self, kinds: Iterable[str]) -> None:
        self._clock: dict[str, list[float]] = {kind: [] for kind in kinds}
        self._cpu: dict[str, list[float]] = {kind: [] for kind in self._clock}

    @contextmanager
    def timed(self, kind: str) -> Iterator[None]:
        started, worked = time.perf_counter(), time.process_time()
        yield
        self._clock[kind].append(1000 * (time.perf_counter() - started))
        self._cpu[kind].append(1000 * (time.process_time() - worked))

    def lesser(self, kind: str) -> list[float]:
        return list(map(min, self._clock[kind], self._cpu[kind]))

    def median(self, kind: str) -> float:
        return statistics.median(self.lesser(kind))

    def p95(self, kind: str) -> float:
        return _p95(self.lesser(kind))

    def table(self) -> list[dict[str, Any]]:
        return [
            {
                "question": kind, "p50": round(statistics.median(found), 1), "p95": round(_p95(found), 1),
                "CPU p50": round(statistics.median(self._cpu[kind]), 1), "CPU p95": round(_p95(self._cpu[kind]), 1),
                "lesser p95": round(self.p95(kind), 1),
            }
            for kind, found in self._clock.items()
        ]  # fmt: skip


def _p95(found: list[float]) -> float:
    return statistics.quantiles(found, n=20)[-1] if len(found) >= 20 else max(found)
