"""The manager's event loop: claim pages, wait for events, apply them, until the batch is finished."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from graphvine.graph import Graph
from graphvine.workers.scrape import NAME
from graphvine.workers.scrape.events import Event, ScrapeEvent, ScrapeFailed, ScrapeFinished, SummaryPartial
from graphvine.workers.scrape.in_flight import PageJob
from graphvine.workers.scrape.manager import Manager
from graphvine.workers.scrape.page_worker import Emit
from graphvine.workers.scrape.settings import ScrapeSettings

P = ParamSpec("P")
T = TypeVar("T")
Worker = Callable[[PageJob, Emit], Awaitable[None]]
EmitEvent = Callable[[ScrapeEvent], None]


class ManagerLoop:
    """Runs a manager that has its batch's lease. All calls to the graph are made in one thread, one at a time."""

    def __init__(
        self,
        graph: Graph,
        manager: Manager,
        worker: Worker,
        settings: ScrapeSettings,
        emit: EmitEvent,
        stop: threading.Event,
    ) -> None:
        self._graph, self._manager, self._worker = graph, manager, worker
        self._settings, self._emit, self._stop = settings, emit, stop
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._freed: list[Event] = []
        self._ends: list[Event] = []
        self._partials: list[Event] = []
        self._tasks: dict[tuple[int, int], asyncio.Task[None]] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="graphvine-scrape-manager")
        self._beat_at = 0.0

    async def run(self) -> bool:
        """Work until every page is finished. False when it was stopped, or the pipeline is paused, before that."""
        try:
            while not self._stop.is_set():
                await self._fill_slots()
                await self._claim(self._manager.claim_summaries)
                if self._manager.active == 0 and not self._tasks and self._events.empty():
                    if not await self._in_thread(self._manager.left_over):
                        return True
                    if self._graph.store.paused(NAME) is not None:
                        self._emit(ScrapeEvent("paused", self._manager.batch.name))
                        return False
                await self._on_event()
                await self._maintain()
            return False
        finally:
            await self._end()

    async def _on_event(self) -> None:
        """Wait for events, for `wake_ms` at most, and apply them.

        Events that free a slot come first, and the slot is filled before anything else is written: a site takes its
        time, and a free slot is time lost. Events of different pages do not depend on each other's order.
        """
        try:
            async with asyncio.timeout(self._settings.wake_ms / 1000):
                self._sort(await self._events.get())
        except TimeoutError:
            pass  # time for heartbeats
        await self._fill_slots()
        for part in (self._ends, self._partials):
            events = list(part)
            part.clear()
            await self._apply(events)
            await self._fill_slots()

    async def _fill_slots(self) -> None:
        """Claim pages for all free slots, those included that have just been freed."""
        while True:
            while not self._events.empty():
                self._sort(self._events.get_nowait())
            freed, self._freed = self._freed, []
            if not freed and self._manager.active_scrapes >= self._settings.max_scrapes:
                return
            events, jobs = await self._in_thread(self._manager.apply_and_claim, freed)
            for event in events:
                self._emit(event)
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
        for event in await self._in_thread(self._manager.apply, events):
            self._emit(event)

    async def _claim(self, claim: Callable[[], list[PageJob]]) -> None:
        for job in await self._in_thread(claim):
            self._start(job)

    async def _maintain(self) -> None:
        """Heartbeats, silent workers, and workers whose claim is over."""
        now = asyncio.get_running_loop().time()
        if now < self._beat_at:
            return
        self._beat_at = now + self._settings.manager_seconds / 4
        await self._in_thread(self._manager.beat)
        for event in await self._in_thread(self._manager.expire):
            self._emit(event)
        for (seq, token), task in list(self._tasks.items()):
            if not self._manager.holds_claim(seq, token):
                task.cancel()  # its events would be ignored

    def _start(self, job: PageJob) -> None:
        name = "scrape_started" if job.scrapes else "summary_started"
        self._emit(ScrapeEvent(name, self._manager.batch.name, job.url, job.claim.state))
        key = (job.claim.seq, job.claim.token)
        task = asyncio.create_task(self._work(job))
        self._tasks[key] = task
        task.add_done_callback(lambda _: self._tasks.pop(key, None))

    async def _work(self, job: PageJob) -> None:
        await self._worker(job, self._events.put_nowait)

    async def _in_thread(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: call(*args, **kwargs))

    async def _end(self) -> None:
        """Also after an error: cancel the workers, apply their last events, release the rest."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            while not self._events.empty():
                self._sort(self._events.get_nowait())
            await self._apply([*self._freed, *self._partials, *self._ends])
            await self._in_thread(self._manager.release)
        finally:
            self._thread.shutdown(wait=False)
