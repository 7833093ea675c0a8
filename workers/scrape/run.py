"""The manager's loop: claim, wait for events, apply them, again and again, until nothing is left."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from graphvine.graph import Graph
from graphvine.workers.scrape import PIPELINE
from graphvine.workers.scrape.events import Event, ScrapeEvent, ScrapeFailed, ScrapeFinished, SummaryPartial
from graphvine.workers.scrape.jobs import Job
from graphvine.workers.scrape.manager import Manager
from graphvine.workers.scrape.settings import ScrapeSettings
from graphvine.workers.scrape.workers import Emit

P = ParamSpec("P")
T = TypeVar("T")
Worker = Callable[[Job, Emit], Awaitable[None]]
Tell = Callable[[ScrapeEvent], None]


class ManagerLoop:
    """Runs a manager that leads its batch. All that touches the graph happens in one thread, one call at a time."""

    def __init__(
        self,
        graph: Graph,
        manager: Manager,
        worker: Worker,
        settings: ScrapeSettings,
        tell: Tell,
        stop: threading.Event,
    ) -> None:
        self._graph, self._manager, self._worker = graph, manager, worker
        self._settings, self._tell, self._stop = settings, tell, stop
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._freed: list[Event] = []
        self._ends: list[Event] = []
        self._partials: list[Event] = []
        self._tasks: dict[tuple[int, int], asyncio.Task[None]] = {}
        self._store = ThreadPoolExecutor(1, thread_name_prefix="graphvine-scrape-manager")
        self._beat_at = 0.0

    async def run(self) -> bool:
        """Work until every page is at rest. False when it was stopped, or the pipeline is paused, before that."""
        try:
            while not self._stop.is_set():
                await self._fill_slots()
                await self._claim(self._manager.claim_summaries)
                if self._manager.active == 0 and not self._tasks and self._events.empty():
                    if not await self._in_store(self._manager.left_over):
                        return True
                    if self._graph.door.paused(PIPELINE) is not None:
                        self._tell(ScrapeEvent("paused", self._manager.batch.name))
                        return False
                await self._hear()
                await self._look_after()
            return False
        finally:
            await self._end()

    async def _hear(self) -> None:
        """Wait for events, a moment at most, and have them applied.

        What frees a slot comes first, and the slot is filled before anything else is written: a site takes its time,
        and a free slot is time lost. Events of different pages do not depend on each other's order.
        """
        try:
            async with asyncio.timeout(self._settings.wake_ms / 1000):
                self._sort(await self._events.get())
        except TimeoutError:
            pass  # time to look around all the same
        await self._fill_slots()
        for part in (self._ends, self._partials):
            events = list(part)
            part.clear()
            await self._apply(events)
            await self._fill_slots()

    async def _fill_slots(self) -> None:
        """Have pages claimed into the slots that are free, those included that have just been freed."""
        while True:
            while not self._events.empty():
                self._sort(self._events.get_nowait())
            freed, self._freed = self._freed, []
            if not freed and self._manager.active_scrapes >= self._settings.max_scrapes:
                return
            told, jobs = await self._in_store(self._manager.turn, freed)
            for event in told:
                self._tell(event)
            for job in jobs:
                self._start(job)
            if self._events.empty():
                return

    def _sort(self, event: Event) -> None:
        if isinstance(event, ScrapeFinished | ScrapeFailed):
            self._freed.append(event)
        elif isinstance(event, SummaryPartial):
            self._partials.append(event)
        else:
            self._ends.append(event)

    async def _apply(self, events: list[Event]) -> None:
        for told in await self._in_store(self._manager.apply, events):
            self._tell(told)

    async def _claim(self, claim: Callable[[], list[Job]]) -> None:
        for job in await self._in_store(claim):
            self._start(job)

    async def _look_after(self) -> None:
        """Heartbeats, and workers that nothing was heard of."""
        now = asyncio.get_running_loop().time()
        if now < self._beat_at:
            return
        self._beat_at = now + self._settings.manager_seconds / 4
        await self._in_store(self._manager.beat)
        for told in await self._in_store(self._manager.expire):
            self._tell(told)
        for (seq, token), task in list(self._tasks.items()):
            if not self._manager.holds_claim(seq, token):
                task.cancel()  # its claim is over: what it would tell is of no use

    def _start(self, job: Job) -> None:
        name = "scrape_started" if job.scrapes else "summary_started"
        self._tell(ScrapeEvent(name, self._manager.batch.name, job.url, job.claim.state))
        key = (job.claim.seq, job.claim.token)
        task = asyncio.create_task(self._settled(job))
        self._tasks[key] = task
        task.add_done_callback(lambda _: self._tasks.pop(key, None))

    async def _settled(self, job: Job) -> None:
        await self._worker(job, self._events.put_nowait)

    async def _in_store(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._store, lambda: call(*args, **kwargs))

    async def _end(self) -> None:
        """Also after an error: end the workers, and give back what has no answer."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            while not self._events.empty():
                self._sort(self._events.get_nowait())
            await self._apply([*self._freed, *self._partials, *self._ends])
            await self._in_store(self._manager.release)
        finally:
            self._store.shutdown(wait=False)
