"""Opens what the workers of this pipeline work with, by the settings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from graphvine.graph import Graph
from graphvine.workers.parts.fetching import Fetcher, FetchLimits
from graphvine.workers.parts.pages import PageLimits
from graphvine.workers.parts.pages.reader import PageReader
from graphvine.workers.parts.summarizing import SummaryLimits, open_summarizer
from graphvine.workers.parts.summarizing.opening import open_offline
from graphvine.workers.scrape.settings import ScrapeSettings
from graphvine.workers.scrape.workers import Workshop


@asynccontextmanager
async def open_workshop(graph: Graph, settings: ScrapeSettings) -> AsyncIterator[Workshop]:
    """Everything is closed with the block, processes that read pages included."""
    limits = FetchLimits(
        max_bytes=settings.max_bytes, total_seconds=settings.total_seconds, connect_seconds=settings.connect_seconds,
        read_seconds=settings.read_seconds, max_redirects=settings.max_redirects,
        per_host_concurrency=settings.per_host_concurrency,
    )  # fmt: skip
    pages = PageLimits(settings.max_text_characters, settings.max_pdf_pages, settings.parse_seconds)
    summaries = SummaryLimits(sentences=settings.summary_sentences, seconds=settings.summary_seconds)
    summarizer = open_summarizer(
        settings.summarizer, url=settings.summary_url, model=settings.summary_model,
        key_variable=settings.summary_key_variable, limits=summaries,
    )  # fmt: skip
    async with AsyncExitStack() as stack:
        fetcher = await stack.enter_async_context(
            Fetcher(
                limits, allowed_private_hosts=settings.allowed_private_hosts, contact=settings.contact,
                obey_robots=settings.obey_robots, connections=settings.max_scrapes,
            )
        )  # fmt: skip
        reader = PageReader(pages, processes=settings.parse_processes)
        shop = Workshop(graph, fetcher, reader, summarizer, lambda: open_offline("auto", summaries))
        stack.push_async_callback(shop.close)
        yield shop
