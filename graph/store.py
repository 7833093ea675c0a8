"""The store: one engine with timing, events, pauses and the ready cache on top of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, cast

from graphvine.clock import NEVER, Clock, moment
from graphvine.engines.protocol import Engine, KeepingEngine, OwnerEngine, SaveResponse, ServedEngine
from graphvine.errors import UnknownPipeline
from graphvine.isolation import Isolation
from graphvine.queries import Machine
from graphvine.ready_cache import ReadyCache, RemoteReadyCache, Scan, Scanned, scan_ready
from graphvine.records import Row, Step, Unit, UnitResult
from graphvine.settings import Settings
from graphvine.shared_ready_cache import SharedReadyCache

AnyReadyCache = ReadyCache | SharedReadyCache | RemoteReadyCache
Listener = Callable[[str, dict[str, Any]], None]
UnitListener = Callable[[Unit, UnitResult, int], None]
# After this long a pause that another process ordered is seen.
_PAUSE_SEEN_SECONDS = 1.0
_PAUSING = frozenset({"graph.pause", "graph.resume"})


class Store:
    def __init__(self, engine: Engine, settings: Settings, clock: Clock) -> None:
        self.engine, self.settings, self.clock = engine, settings, clock
        self.library = engine.library
        self.isolation = Isolation()
        self._listeners: list[Listener] = []
        self._unit_listeners: list[UnitListener] = []
        self.forgotten = 0  # how often something was written past the query files
        self._ready_caches: dict[str, AnyReadyCache] = {}
        self._pauses: dict[str, str] | None = None
        self._sizes: dict[str, int] = {}
        self._pauses_read_at = 0.0
        self._lock = threading.Lock()

    def subscribe(self, listener: Listener) -> None:
        """Be told of events: (name, facts)."""
        self._listeners.append(listener)

    def unsubscribe(self, listener: Listener) -> None:
        self._listeners = [one for one in self._listeners if one is not listener]

    def watch_units(self, listener: UnitListener) -> None:
        """Be given every unit after its commit, with its result and its time in ms."""
        self._unit_listeners.append(listener)

    def unwatch_units(self, listener: UnitListener) -> None:
        self._unit_listeners = [one for one in self._unit_listeners if one != listener]

    def publish(self, event: str, **facts: Any) -> None:
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
        self.publish("read", block=name, rows=len(rows), seconds=time.perf_counter() - started)
        return rows

    @property
    def content(self) -> tuple[int, ...] | None:
        """While it is the same, nothing was written since it was asked for. None where others write, too."""
        return cast(OwnerEngine, self.engine).content if self.engine.capabilities.single_owner else None

    @property
    def served(self) -> ServedEngine | None:
        """The line to the process that owns the store, where another one does."""
        return None if self.engine.capabilities.maintains else cast(ServedEngine, self.engine)

    def run(self, unit: Unit, save_response: SaveResponse | None = None, *, now: int | None = None) -> UnitResult:
        """Run a unit, and put the rows that it made ready into the ready caches; `now` is the time of the sender."""
        started = time.perf_counter()
        result = (
            self.engine.write(unit)
            if save_response is None
            else cast(KeepingEngine, self.engine).write(unit, save_response)
        )
        now = self.clock.now_ms() if now is None else now
        if any(step.block in _PAUSING for step in unit.steps):
            self._pauses = None
        for step, rows in zip(unit.steps, result.rows, strict=True):
            block = self.library.block(step.block)
            pipeline = block.readies or block.entity
            if (block.ready or block.readies) and rows and pipeline in self._ready_caches:
                # A row that was there already (created is false) has not changed by being found again.
                ready = [r for r in rows if r.get("created", True) and r["lease"] <= 0 and r["due"] < NEVER]
                self._ready_caches[pipeline].add(ready, now)
        for listener in self._unit_listeners:
            listener(unit, result, now)
        self.publish(
            "write", blocks=[s.block for s in unit.steps], held=len(result.held), seconds=time.perf_counter() - started
        )
        return result

    def ready_cache(self, pipeline: str) -> AnyReadyCache:
        """What comes next in this pipeline."""
        with self._lock:
            if pipeline not in self._ready_caches:
                self._ready_caches[pipeline] = self._new_ready_cache(pipeline)
            return self._ready_caches[pipeline]

    def forget(self) -> None:
        """Something was written past the query files: what is in memory may be wrong."""
        with self._lock:
            self.forgotten += 1
            self._pauses = None
            for cache in self._ready_caches.values():
                cache.invalidate()

    def paused(self, pipeline: str) -> str | None:
        """Why this pipeline rests ('' for no reason given), None when it does not."""
        if (full := self.shortage()) is not None:
            return full
        return self._paused().get(pipeline)

    def shortage(self) -> str | None:
        """Why no new work is taken, as a sentence: the disk is nearly full. None while there is room."""
        return cast("OwnerEngine", self.engine).shortage() if self.engine.capabilities.single_owner else None

    def pause(self, pipeline: str, reason: str) -> None:
        self.machine(pipeline)
        at = moment(self.clock.now_ms())
        self.run(Unit.of([Step("graph.pause", {"name": pipeline, "reason": reason, "at": at})]))
        self._paused()[pipeline] = reason
        self.publish("paused", pipeline=pipeline, reason=reason)

    def resume(self, pipeline: str) -> None:
        self.machine(pipeline)
        at = moment(self.clock.now_ms())
        self.run(Unit.of([Step("graph.resume", {"name": pipeline, "at": at})]))
        self._paused().pop(pipeline, None)
        self.publish("resumed", pipeline=pipeline)

    def _paused(self) -> dict[str, str]:
        # One process owns an embedded store, so what it knows stays true; elsewhere others may pause, too.
        old = (
            not self.engine.capabilities.single_owner and time.monotonic() - self._pauses_read_at > _PAUSE_SEEN_SECONDS
        )
        if self._pauses is None or old:
            rows = self.read("graph.pipelines")
            self._pauses = {row["name"]: row["reason"] or "" for row in rows if row["paused"]}
            self._pauses_read_at = time.monotonic()
        return self._pauses

    def _new_ready_cache(self, pipeline: str) -> AnyReadyCache:
        if self.served is not None:
            return RemoteReadyCache(self.served, pipeline)
        initial, size = self.machine(pipeline).initial.name, self.settings.window_rows
        if self.engine.capabilities.single_owner:
            return ReadyCache(self._scan(pipeline), size, initial)

        def scan_from(now: int, lease: int, skip: int, limit: int) -> list[Row]:
            found = self.read(f"{pipeline}.ready_from", now=now, lease=lease, skip=skip, limit=limit)
            return [{**row, "lease": lease} for row in found]

        def next_due(now: int, lease: int) -> int | None:
            due: int | None = self.read(f"{pipeline}.next_due", now=now, lease=lease, never=NEVER)[0]["due"]
            return due

        return SharedReadyCache(scan_from, next_due, size, initial)

    def table_size(self, pipeline: str) -> int:
        """About how many rows the pipeline's table has: the highest number given, as of the last scan."""
        size = self._sizes.get(pipeline)
        if size is None:
            rows = self.read(f"{pipeline}.last_number")
            size = self._sizes[pipeline] = max((row["seq"] or 0 for row in rows), default=0)
        return size

    def _scan(self, pipeline: str) -> Scan:
        def scan(now: int, lease: int) -> Scanned:
            self._sizes.pop(pipeline, None)  # tables grow: time to look again
            due = self.read(f"{pipeline}.next_due", now=now, lease=lease, never=NEVER)[0]["due"]
            machine, size = self.machine(pipeline), self.settings.window_rows
            return scan_ready(self.read, machine, now, lease, size, NEVER if due is None else due)

        return scan
