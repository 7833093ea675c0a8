"""The door above the engines: it times and reports what passes, and keeps what is known about the queues in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from graphvine.clock import NEVER, Clock, moment
from graphvine.engines.protocol import Engine
from graphvine.errors import UnknownPipeline
from graphvine.queries import Machine
from graphvine.records import Row, Step, Unit, UnitResult
from graphvine.settings import Settings
from graphvine.window import Scan, Windows

Listener = Callable[[str, dict[str, Any]], None]


class Door:
    def __init__(self, engine: Engine, settings: Settings, clock: Clock) -> None:
        self.engine, self.settings, self.clock = engine, settings, clock
        self.library = engine.library
        self._listeners: list[Listener] = []
        self._windows: dict[str, Windows] = {}
        self._pauses: dict[str, str] | None = None
        self._lock = threading.Lock()

    def listen(self, listener: Listener) -> None:
        """Be told of events: (name, facts)."""
        self._listeners.append(listener)

    def report(self, event: str, **facts: Any) -> None:
        for listener in self._listeners:
            listener(event, facts)

    def machine(self, pipeline: str) -> Machine:
        machines = self.library.machines
        if pipeline not in machines:
            raise UnknownPipeline(pipeline, list(machines))
        return machines[pipeline]

    def read(self, name: str, **parameters: Any) -> list[Row]:
        """Run a named read."""
        started = time.perf_counter()
        rows = self.engine.read(self.library.block(name), parameters)
        self.report("read", block=name, rows=len(rows), seconds=time.perf_counter() - started)
        return rows

    def run(self, unit: Unit) -> UnitResult:
        """Run a unit, and tell the windows which rows became ready by it."""
        started = time.perf_counter()
        result = self.engine.write(unit)
        now = self.clock.now_ms()
        for step, rows in zip(unit.steps, result.rows, strict=True):
            block = self.library.block(step.block)
            if block.ready and rows and block.entity in self._windows:
                # A row that was there already (created is false) has not changed by being found again.
                ready = [r for r in rows if r.get("created", True) and r["lease"] <= 0 and r["due"] < NEVER]
                self._windows[block.entity].offer(ready, now)
        self.report(
            "write", blocks=[s.block for s in unit.steps], held=len(result.held), seconds=time.perf_counter() - started
        )
        return result

    def window(self, pipeline: str) -> Windows:
        """What comes next in this pipeline."""
        with self._lock:
            if pipeline not in self._windows:
                initial = self.machine(pipeline).initial.name
                self._windows[pipeline] = Windows(self._scan(pipeline), self.settings.window_rows, initial)
            return self._windows[pipeline]

    def forget(self) -> None:
        """Something was written past the query files: what is in memory may be wrong."""
        with self._lock:
            self._pauses = None
            for window in self._windows.values():
                window.drop()

    def paused(self, pipeline: str) -> str | None:
        """Why this pipeline rests ('' for no reason given), None when it does not."""
        return self._paused().get(pipeline)

    def pause(self, pipeline: str, reason: str) -> None:
        self.machine(pipeline)
        at = moment(self.clock.now_ms())
        self.run(Unit.of([Step("graph.pause", {"name": pipeline, "reason": reason, "at": at})]))
        self._paused()[pipeline] = reason
        self.report("paused", pipeline=pipeline, reason=reason)

    def resume(self, pipeline: str) -> None:
        self.machine(pipeline)
        at = moment(self.clock.now_ms())
        self.run(Unit.of([Step("graph.resume", {"name": pipeline, "at": at})]))
        self._paused().pop(pipeline, None)
        self.report("resumed", pipeline=pipeline)

    def _paused(self) -> dict[str, str]:
        # One process owns an embedded store, so what it knows stays true; others ask each time.
        if self._pauses is None or not self.engine.capabilities.single_owner:
            rows = self.read("graph.pipelines")
            self._pauses = {row["name"]: row["reason"] or "" for row in rows if row["paused"]}
        return self._pauses

    def _scan(self, pipeline: str) -> Scan:
        def scan(now: int, lease: int) -> tuple[list[Row], int]:
            rows = self.read(f"{pipeline}.ready", now=now, lease=lease, limit=self.settings.window_rows)
            due = self.read(f"{pipeline}.next_due", now=now, lease=lease, never=NEVER)[0]["due"]
            return rows, NEVER if due is None else due

        return scan
