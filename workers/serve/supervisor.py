"""The daemon's workers: a pool of loops for each pipeline. A pool restarts when a worker crashes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from graphvine.clock import NEVER
from graphvine.errors import GraphvineError, StoreClosed
from graphvine.graph import Graph
from graphvine.reaper import worker_name
from graphvine.records import Unit, UnitResult
from graphvine.workers.loop import Loop
from graphvine.workers.pipeline import Handler
from graphvine.workers.serve.settings import ServeSettings

_log = logging.getLogger("graphvine.serve")
# How often a pool with an empty queue looks whether there is something to do; the model is not loaded before.
_LOOK_SECONDS = 0.5
# A pool that has lived this long is taken to be sound: its next death starts the pauses over.
_SOUND_SECONDS = 120.0
Build = Callable[[Graph, str, int], Sequence[Handler]]
Service = Callable[[Graph, threading.Event], None]


@dataclass
class WorkerInfo:
    """One worker, as people look at it."""

    pipeline: str
    name: str
    state: str  # waiting, working, resting, ended
    since: str
    restarts: int = 0
    done: int = 0
    last_error: str | None = None
    heartbeat_at: str | None = None


@dataclass
class Pool:
    pipeline: str
    count: int
    serve: Service | None = None
    infos: list[WorkerInfo] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)


class Supervisor:
    def __init__(
        self, graph: Graph, settings: ServeSettings, workers: dict[str, int], build: Build,
        services: dict[str, Service] | None = None,
    ) -> None:  # fmt: skip
        self._graph, self._settings, self._build = graph, settings, build
        self._over = threading.Event()
        self.depths: dict[str, int] = {}  # how far down the order of its queue each pool goes, where it does not go on
        self.pools = [Pool(pipeline, count) for pipeline, count in workers.items() if count > 0]
        self.pools += [Pool(pipeline, 1, serve) for pipeline, serve in (services or {}).items()]
        self._threads = [
            threading.Thread(target=self._look_after, args=(pool,), name=f"graphvine-pool-{pool.pipeline}", daemon=True)
            for pool in self.pools
        ]
        self._services = {pool.pipeline: pool for pool in self.pools if pool.serve is not None}
        graph.store.subscribe(self._on_event)
        if self._services:
            graph.store.watch_units(self._on_unit)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self, seconds: float) -> bool:
        """Let every worker end, giving back what it holds. False when some did not within the time."""
        self._over.set()
        for pool in self.pools:
            pool.stop.set()
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def infos(self) -> list[WorkerInfo]:
        return [info for pool in self.pools for info in pool.infos]

    def alive(self) -> dict[str, int]:
        return {pool.pipeline: sum(info.state == "working" for info in pool.infos) for pool in self.pools}

    def _on_event(self, event: str, facts: dict[str, object]) -> None:
        if event == "batch":
            name = threading.current_thread().name
            for info in self.infos():
                if info.name == name:
                    info.done += getattr(facts["counts"], "done", 0)
                    info.heartbeat_at = _now()

    def _on_unit(self, unit: Unit, result: UnitResult, now: int) -> None:
        """What a service finished: its loop is its own, and tells of no batches."""
        for step, rows in zip(unit.steps, result.rows, strict=True):
            pool = self._services.get(step.block.partition(".")[0])
            if pool is not None and rows and pool.infos:
                done = self._graph.library.machines[pool.pipeline].done
                moves = self._graph.library.block(step.block).moves
                if any(move.target in done and not move.stays for move in moves):
                    pool.infos[0].done += len(rows)
                    pool.infos[0].heartbeat_at = _now()

    def _look_after(self, pool: Pool) -> None:
        restarts, pause = 0, self._settings.restart_seconds
        error: str | None = None
        while not self._over.is_set():
            names = [worker_name() for _ in range(pool.count)]
            pool.infos = [WorkerInfo(pool.pipeline, n, "waiting", _now(), restarts, 0, error) for n in names]
            began = time.monotonic()
            try:
                if pool.serve is not None:
                    pool.infos[0].state = "working"
                    pool.serve(self._graph, pool.stop)
                    continue
                self._wait_for_work(pool)
                if not self._over.is_set():
                    self._work(pool)
                    continue
            except StoreClosed:
                break
            except Exception as raised:
                error = f"{type(raised).__name__}: {raised}"
            if self._over.is_set():
                break
            restarts += 1
            pause = self._settings.restart_seconds if time.monotonic() - began > _SOUND_SECONDS else pause
            _log.warning("a worker of %s crashed and restarts in %g s: %s", pool.pipeline, pause, error)
            for info in pool.infos:
                info.state, info.last_error = "resting", error
            self._graph.store.publish("worker_restarted", pipeline=pool.pipeline, error=error, pause_seconds=pause)
            self._over.wait(pause)
            pause = min(pause * 2, self._settings.restart_max_seconds)
        for info in pool.infos:
            info.state = "ended"

    def _wait_for_work(self, pool: Pool) -> None:
        while not self._over.is_set() and not self._something_waits(pool.pipeline):
            self._over.wait(_LOOK_SECONDS)

    def _something_waits(self, pipeline: str) -> bool:
        """Whether a row could be claimed; asked of the window, so that a look costs nothing while nothing changes."""
        if self._graph.store.paused(pipeline) is not None:
            return False
        now, window = self._graph.clock.now_ms(), self._graph.store.ready_cache(pipeline)
        rows = window.take(1, now)
        if rows:
            window.add(rows, now)
        return bool(rows) and rows[0]["due"] < NEVER

    def _work(self, pool: Pool) -> None:
        """Until asked to stop, or until one of the pool dies: then the others end too, and its error is raised."""
        pool.stop.clear()
        if self._over.is_set():
            return
        handlers = self._build(self._graph, pool.pipeline, pool.count)
        errors: list[BaseException] = []

        def run(loop: Loop, info: WorkerInfo) -> None:
            info.state = "working"
            try:
                loop.run()
            except BaseException as error:
                errors.append(error)
                pool.stop.set()
            info.state = "ended"

        try:
            threads = []
            for handler, info in zip(handlers, pool.infos, strict=True):
                depth = getattr(handler, "max_depth", None)
                if depth is not None:
                    self.depths[pool.pipeline] = depth
                loop = Loop(
                    self._graph, pool.pipeline, handler, worker=info.name, stop=pool.stop, max_depth=depth,
                    batch=getattr(handler, "batch_size", None),
                )  # fmt: skip
                threads.append(threading.Thread(target=run, args=(loop, info), name=info.name, daemon=True))
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            for handler in handlers:
                handler.close()
        if errors:
            raise errors[0] if isinstance(errors[0], Exception) else GraphvineError(repr(errors[0]))


def _now() -> str:
    return datetime.now(UTC).isoformat()
