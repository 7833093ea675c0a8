"""`graph.scrape(...)`: a batch from its addresses to its end, as a stream of events."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any

from graphvine.dispatch import Run, check, stream
from graphvine.graph import Graph
from graphvine.workers.scrape.batches import Batch, check_addresses, check_name, find, name_for, resume, submit
from graphvine.workers.scrape.errors import BadBatch, BatchBusy
from graphvine.workers.scrape.events import ScrapeEvent
from graphvine.workers.scrape.hook import BatchEnd, Hook, find_hook
from graphvine.workers.scrape.manager import Manager
from graphvine.workers.scrape.manager_loop import EmitEvent, ManagerLoop
from graphvine.workers.scrape.page_worker import open_resources, work
from graphvine.workers.scrape.requests import ScrapeRequest
from graphvine.workers.scrape.settings import ScrapeSettings, load

# Events that somebody has yet to look at; beyond this many, partial summaries are left out: the next one says more.
_UNREAD_EVENTS = 1_000


async def scrape(
    graph: Graph, urls: Sequence[str] = (), *, batch: str | None = None, hook: Hook | None = None,
    settings: ScrapeSettings | None = None, standby: bool = False, stop: threading.Event | None = None,
    again: bool = False, now: bool = False,
) -> AsyncGenerator[ScrapeEvent, None]:  # fmt: skip
    """Scrape and summarize these pages, and whatever waits in the batch. Called again after a kill, it goes on.

    Without a name the batch is known by its addresses. Leaving the iterator early (use contextlib.aclosing) gives
    back what is in work. With `standby` it waits while another manager has the batch, and takes over when that dies.
    Asked for again, a finished batch tries what failed again; with `again` all of it is redone; with `now` pages that
    back off after a failure are tried at once.
    """
    request = ScrapeRequest(urls=urls, batch=batch, hook=hook, settings=settings)
    check(graph, request)
    found_hook = find_hook(hook, settings or load())
    chosen = await asyncio.to_thread(open_batch, graph, request.urls, batch)
    for event in await asyncio.to_thread(partial(resume, graph, chosen, again=again, now=now)):
        yield event
    # The addresses are in the graph now: there may be more of them than a request should carry.
    request, stop = request.replace(urls=(), batch=chosen.name), stop or threading.Event()
    here = partial(_lead_here, graph, chosen, settings or load(), found_hook, stop, standby)
    async with aclosing(stream(graph, request, here, stop)) as events:
        async for event in events:
            yield event


async def _lead_here(
    graph: Graph, batch: Batch, settings: ScrapeSettings, hook: Hook | None, stop: threading.Event, standby: bool
) -> AsyncGenerator[ScrapeEvent, None]:
    events: asyncio.Queue[ScrapeEvent | None] = asyncio.Queue()

    def emit(event: ScrapeEvent) -> None:
        if event.name != "summary_partial" or events.qsize() < _UNREAD_EVENTS:
            events.put_nowait(event)

    running = asyncio.create_task(manage(graph, batch, settings, hook, emit, stop, standby=standby))
    running.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
    finally:
        stop.set()
        await running


def run_scrape(graph: Graph, request: ScrapeRequest, run: Run[ScrapeEvent]) -> None:
    """The job in the daemon: lead the batch, or publish what the manager in the same process does until it is free."""
    batch, settings = open_batch(graph, request.urls, request.batch), request.settings or load()

    def on_event(name: str, facts: dict[str, Any]) -> None:
        if name == "scrape" and facts["what"].batch == batch.name:
            run.publish(facts["what"], facts["what"].name)

    def emit(event: ScrapeEvent) -> None:
        if event.name != "standing_by":
            run.publish(event, event.name)

    graph.store.subscribe(on_event)
    try:
        asyncio.run(manage(graph, batch, settings, find_hook(request.hook, settings), emit, run.stop, standby=True))
    finally:
        graph.store.unsubscribe(on_event)


def submit_batch(graph: Graph, urls: Sequence[str], name: str | None) -> str:
    return open_batch(graph, urls, name).name


def open_batch(graph: Graph, urls: Sequence[str], name: str | None) -> Batch:
    """Put the addresses in; all of them are looked at before the first is written."""
    addresses = check_addresses(urls)
    if not addresses and name is None:
        raise BadBatch("say what to scrape: addresses, or the name of a batch that is there")
    if name is not None:
        check_name(name)
    chosen = name if name is not None else name_for(addresses)
    if not addresses and chosen != "default":
        return find(graph, chosen)
    return submit(graph, chosen, addresses)


async def manage(
    graph: Graph, batch: Batch, settings: ScrapeSettings, hook: Hook | None, emit: EmitEvent, stop: threading.Event, *,
    standby: bool = False,
) -> None:  # fmt: skip
    """Lead a batch to its end, its hook included."""
    manager = Manager(graph, batch, settings)
    if not await _lead(manager, settings, emit, stop, standby):
        return
    try:
        end = BatchEnd(graph, batch, manager.lease, settings)
        await asyncio.to_thread(end.reopen)
        emit(ScrapeEvent("batch_started", batch.name))
        while True:
            if await asyncio.to_thread(manager.left_over):
                async with open_resources(graph, settings) as resources:
                    loop = ManagerLoop(graph, manager, partial(work, resources), settings, emit, stop)
                    if not await loop.run():
                        break
            if await asyncio.to_thread(end.finish, hook):
                emit(await asyncio.to_thread(end.event))
                await end.run_hook(hook, emit, stop)
                return
        if stop.is_set():
            emit(ScrapeEvent("stopped", batch.name))
    finally:
        await asyncio.to_thread(manager.lease.release)


async def _lead(
    manager: Manager, settings: ScrapeSettings, emit: EmitEvent, stop: threading.Event, standby: bool
) -> bool:
    """Take the batch in hand, now or when its manager dies. False when it was asked to stop before that."""
    announced = False
    while not stop.is_set():
        try:
            await asyncio.to_thread(manager.lease.take)
            return True
        except BatchBusy as busy:
            if not standby:
                raise
            if not announced:
                emit(ScrapeEvent("standing_by", manager.batch.name, error=str(busy)))
            announced = True
            await asyncio.sleep(settings.wake_ms / 1000)
    return False
