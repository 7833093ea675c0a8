"""What a process does until it is killed: it scrapes a batch, and tells its parent of every event."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from graphvine.clock import SystemClock
from graphvine.graph import Graph
from graphvine.records import Step
from graphvine.workers.scrape.api import scrape
from graphvine.workers.scrape.batches import find, results
from graphvine.workers.scrape.hook import BatchResults
from tests.pipelines.scrape.support import local
from tests.support.processes import Send
from tests.support.stores import Place

BATCH = "killed"
OPTIONS: dict[str, Any] = {"max_lost_claims": 100_000, "backoff_seconds": 0.05}


def scrape_on(send: Send, place: Place, urls: Sequence[str], calls: Path) -> None:
    """Go on with the batch up to its end."""

    def hook(batch: BatchResults) -> list[Step]:
        with calls.open("a") as file:
            file.write(f"{batch.key} {sum(page.state == 'completed' for page in batch.items())}\n")
        send(("hook_called", ""))
        return [drawn_once(batch.key)]

    async def run(graph: Graph) -> None:
        async with aclosing(scrape(graph, urls, batch=BATCH, hook=hook, settings=local())) as events:
            async for event in events:
                send((event.name, event.url))

    with place.open(SystemClock(), **OPTIONS) as graph:
        asyncio.run(run(graph))


def drawn_once(key: str) -> Step:
    """A write that leaves a trace each time: this block creates a relationship, and never merges it."""
    drawn = {
        "source": "ScrapeItem.idle", "target": "ScrapeItem.scraping", "name": key, "block": "", "manual": True,
        "processors": None, "criteria": None, "purpose": "", "beyond": "",
    }  # fmt: skip
    return Step("graph.draw_transition", drawn)


def look(send: Send, place: Place) -> dict[str, Any]:
    """What is in the store in the end."""
    with place.open(SystemClock(), **OPTIONS) as graph:
        batch = graph.read("scrape_item.batch", batch=BATCH)[0]
        drawn = graph.query(
            "MATCH ()-[t:TRANSITION]->() WHERE t.name = $key RETURN count(*)", {"key": batch["hook_key"]}
        )
        return {
            "states": {page.url: page.state for page in results(graph, find(graph, BATCH))},
            "batch": (batch["status"], batch["hook"], batch["hook_key"], batch["round"]),
            "effects": drawn.rows[0][0],
            "ailments": [finding.detail for finding in graph.doctor() if not finding.ok],
        }
