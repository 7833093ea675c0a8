"""The daemon's service of this pipeline: it runs a manager for every unfinished batch."""

from __future__ import annotations

import asyncio
import threading

from graphvine.clock import NEVER
from graphvine.graph import Graph
from graphvine.records import Row
from graphvine.workers.scrape import NAME
from graphvine.workers.scrape.api import manage
from graphvine.workers.scrape.batches import Batch
from graphvine.workers.scrape.errors import BatchBusy
from graphvine.workers.scrape.events import ScrapeEvent
from graphvine.workers.scrape.hook import find_hook
from graphvine.workers.scrape.settings import load

# Batches that are run at once; the limit on scrapes is for all of them together.
_AT_ONCE = 4
_POLL_SECONDS = 1.0
_BATCHES_READ = 50


def serve(graph: Graph, stop: threading.Event) -> None:
    """Run until `stop` is set."""
    asyncio.run(_serve(graph, stop))


async def _serve(graph: Graph, stop: threading.Event) -> None:
    running: dict[str, asyncio.Task[None]] = {}
    ending = threading.Event()
    try:
        while not stop.is_set():
            for name in [name for name, task in running.items() if task.done()]:
                running.pop(name).result()  # raises its error, if it failed
            if graph.store.paused(NAME) is None:
                rows = await asyncio.to_thread(_unfinished, graph)
                for row in rows:
                    if row["name"] not in running and len(running) < _AT_ONCE:
                        batch = Batch(row["name"], row["seq"])
                        running[batch.name] = asyncio.create_task(_run(graph, batch, ending))
            await asyncio.to_thread(stop.wait, _POLL_SECONDS)
    finally:
        ending.set()
        await asyncio.gather(*running.values(), return_exceptions=True)


def _unfinished(graph: Graph) -> list[Row]:
    return [
        *graph.read(f"{NAME}.unfinished_batches", limit=_BATCHES_READ),
        *graph.read(f"{NAME}.batches_to_reopen", never=NEVER, limit=_BATCHES_READ),
    ]


async def _run(graph: Graph, batch: Batch, stop: threading.Event) -> None:
    settings = load()

    def publish(event: ScrapeEvent) -> None:
        graph.store.publish("scrape", what=event)

    try:
        await manage(graph, batch, settings, find_hook(None, settings), publish, stop)
    except BatchBusy:
        await asyncio.sleep(_POLL_SECONDS)  # a manager in another process runs it
