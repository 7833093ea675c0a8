"""A batch that the process which serves the graph leads: given to it and watched from here."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

import msgspec

from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.remote import run_job
from graphvine.workers.scrape.batches import check_addresses
from graphvine.workers.scrape.events import ScrapeEvent
from graphvine.workers.scrape.scraping import open_batch
from graphvine.workers.scrape.scraping import scrape as run


async def scrape(
    graph: Graph, urls: Sequence[str] = (), *, batch: str | None = None, hook: Any = None, settings: Any = None,
    standby: bool = False, stop: threading.Event | None = None,
) -> AsyncGenerator[ScrapeEvent, None]:  # fmt: skip
    """The same as `scrape`, by the daemon and its settings."""
    if hook is not None or settings is not None:
        raise GraphvineError("the process that serves the graph scrapes by its own settings: name the hook there")
    addresses = check_addresses(urls)
    stop = stop or threading.Event()
    loop, events = asyncio.get_running_loop(), asyncio.Queue[ScrapeEvent | None]()

    def tell(name: str, facts: Any) -> None:
        loop.call_soon_threadsafe(events.put_nowait, msgspec.convert(facts, ScrapeEvent))

    asked = {"urls": addresses, "batch": batch}
    running = asyncio.create_task(asyncio.to_thread(run_job, graph, "scrape", asked, dict[str, Any], tell, stop))
    running.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
    finally:
        stop.set()
        await running


def run_scrape(graph: Graph, asked: dict[str, Any], tell: Any, stop: threading.Event) -> dict[str, str]:
    """The job, in the daemon: leads the batch, or tells what its manager in the same process does until it is free."""
    batch = open_batch(graph, asked["urls"], asked["batch"])

    def hear(name: str, facts: dict[str, Any]) -> None:
        if name == "scrape" and facts["what"].batch == batch.name:
            tell(facts["what"].name, facts["what"])

    async def lead() -> None:
        async with aclosing(run(graph, (), batch=batch.name, standby=True, stop=stop)) as events:
            async for event in events:
                if event.name != "standing_by":
                    tell(event.name, event)

    graph.door.listen(hear)
    try:
        asyncio.run(lead())
    finally:
        graph.door.unlisten(hear)
    return {"batch": batch.name}
