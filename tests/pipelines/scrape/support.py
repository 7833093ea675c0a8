"""What the tests of scraping share: settings that let loopback be fetched, and a batch run to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from graphvine.graph import Graph
from graphvine.workers.scrape.api import scrape
from graphvine.workers.scrape.batches import Batch, Result, find, results
from graphvine.workers.scrape.events import ScrapeEvent
from graphvine.workers.scrape.settings import ScrapeSettings

TEXT = (
    "A vine is a plant with trailing or climbing stems. Vines use tendrils to grip walls and trellises. Gardeners plant"
    " vines to cover bare walls with leaves. Grapes grow on vines in warm regions and are pressed into wine. Ivy is an"
    " evergreen vine that climbs by small roots. Some vines grow a hand's breadth in a single day."
)
COLUMNS = (
    "id", "url", "batch", "state", "slot", "claimed_by", "claimed_at", "retry_count", "last_error", "seq", "due",
    "lease", "lost_claims", "title", "scraped", "summary", "summarizer",
)  # fmt: skip

_ROWS = f"MATCH (a:ScrapeItem) WHERE a.batch_seq = $seq RETURN {', '.join(f'a.{name} AS {name}' for name in COLUMNS)}"


def local(**more: Any) -> ScrapeSettings:
    """Settings for pages on loopback, summarized by words: no model has to be loaded."""
    given: dict[str, Any] = {
        "allowed_private_hosts": "127.0.0.1", "summarizer": "words", "per_host_concurrency": 8, "wake_ms": 100,
    }  # fmt: skip
    return ScrapeSettings(**{**given, **more})


async def gather(graph: Graph, urls: Sequence[str] = (), **options: Any) -> list[ScrapeEvent]:
    async with aclosing(scrape(graph, urls, **options)) as events:
        return [event async for event in events]


def run(graph: Graph, urls: Sequence[str] = (), **options: Any) -> list[ScrapeEvent]:
    """Every event of a batch, up to its end."""
    return asyncio.run(gather(graph, urls, **options))


def names(events: Sequence[ScrapeEvent]) -> list[str]:
    return [event.name for event in events]


def rows(graph: Graph, batch: Batch) -> dict[str, dict[str, Any]]:
    """Every page of a batch, by its address."""
    return {row["url"]: row for row in graph.query(_ROWS, {"seq": batch.seq}).as_dicts()}


def by_path(graph: Graph, batch: str) -> dict[str, Result]:
    return {"/" + result.url.split("/", 3)[3]: result for result in results(graph, find(graph, batch))}
