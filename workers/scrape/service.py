"""The daemon's part of this pipeline: it leads every batch that has something left to do."""

from __future__ import annotations

import asyncio
import threading

from graphvine.clock import NEVER
from graphvine.graph import Graph
from graphvine.records import Row
from graphvine.workers.scrape import PIPELINE
from graphvine.workers.scrape.batches import Batch
from graphvine.workers.scrape.errors import BatchBusy
from graphvine.workers.scrape.events import ScrapeEvent
from graphvine.workers.scrape.hook import find_hook
from graphvine.workers.scrape.scraping import manage
from graphvine.workers.scrape.settings import load

# Batches that are led side by side; the limit on scrapes holds for all of them together.
_AT_ONCE = 4
_LOOK_SECONDS = 1.0
_BATCHES_SEEN = 50


def serve(graph: Graph, stop: threading.Event) -> None:
    """Until told to stop."""
    asyncio.run(_serve(graph, stop))


async def _serve(graph: Graph, stop: threading.Event) -> None:
    running: dict[str, asyncio.Task[None]] = {}
    ending = threading.Event()
    try:
        while not stop.is_set():
            for name in [name for name, task in running.items() if task.done()]:
                running.pop(name).result()  # what went wrong is told to whoever looks after this service
            if graph.door.paused(PIPELINE) is None:
                rows = await asyncio.to_thread(_with_work, graph)
                for row in rows:
                    if row["name"] not in running and len(running) < _AT_ONCE:
                        batch = Batch(row["name"], row["seq"])
                        running[batch.name] = asyncio.create_task(_lead(graph, batch, ending))
            await asyncio.to_thread(stop.wait, _LOOK_SECONDS)
    finally:
        ending.set()
        await asyncio.gather(*running.values(), return_exceptions=True)


def _with_work(graph: Graph) -> list[Row]:
    return [
        *graph.read(f"{PIPELINE}.unfinished_batches", limit=_BATCHES_SEEN),
        *graph.read(f"{PIPELINE}.batches_to_reopen", never=NEVER, limit=_BATCHES_SEEN),
    ]


async def _lead(graph: Graph, batch: Batch, stop: threading.Event) -> None:
    settings = load()

    def tell(event: ScrapeEvent) -> None:
        graph.door.report("scrape", what=event)

    try:
        await manage(graph, batch, settings, find_hook(None, settings), tell, stop)
    except BatchBusy:
        await asyncio.sleep(_LOOK_SECONDS)  # a manager in another process has it
