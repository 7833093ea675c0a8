"""Updaters and processors, and managers of pages, in processes of their own: each has its own line to the server."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing

import graphvine
from graphvine.graph import Graph
from graphvine.records import Step
from graphvine.settings import Settings
from graphvine.workers.news.processor import Processor
from graphvine.workers.news.updater import Updater
from graphvine.workers.scrape.api import scrape
from graphvine.workers.scrape.hook import BatchResults
from tests.pipelines.news import support as news
from tests.pipelines.news.servers import Site
from tests.pipelines.scrape import support as pages
from tests.pipelines.scrape.killing import drawn_once
from tests.support.processes import Send

SETTINGS = Settings(backoff_seconds=0.05, max_lost_claims=1_000)


def update(send: Send, where: str, url: str, turns: int) -> None:
    """Ask the provider again and again; tells how many articles were new."""
    with graphvine.open(where, settings=SETTINGS) as graph:
        updater = Updater(graph, news.local(max_pages=50), providers=[news.newsdata(Site(url=url))])
        send(sum(updater.run_once().found for _ in range(turns)))


def process(send: Send, where: str, total: int) -> None:
    """Work until so many articles are done, whoever did them; tells how many left the queue, were lost or dropped."""
    done = Counter[str]()
    with graphvine.open(where, settings=SETTINGS) as graph:
        processor = Processor(graph, news.local(mentions=False))
        while not any(row == {"state": "processed", "count": total} for row in graph.read("news_article.counts")):
            run = processor.run_once()
            done.update(removed=run.removed, lost=run.lost, dropped=run.dropped)
    send(done)


def stand(send: Send, where: str) -> None:
    """Take everything in hand, save the first page, and stand still until killed."""

    def tell(step: str) -> None:
        if step == "content_saved":
            send(step)
            threading.Event().wait()

    with graphvine.open(where, settings=SETTINGS) as graph:
        Processor(graph, news.local(mentions=False), on_step=tell).run_once()


def lead(send: Send, where: str, urls: Sequence[str], batch: str) -> None:
    """Lead a batch to its end, or stand by until its manager is silent; tells of every event."""

    def hook(results: BatchResults) -> list[Step]:
        return [drawn_once(results.key)]

    async def led(graph: Graph) -> None:
        settings = pages.local(manager_seconds=10.0)
        async with aclosing(scrape(graph, urls, batch=batch, hook=hook, settings=settings, standby=True)) as events:
            async for event in events:
                send((event.name, event.url))

    with graphvine.open(where, settings=SETTINGS) as graph:
        asyncio.run(led(graph))
