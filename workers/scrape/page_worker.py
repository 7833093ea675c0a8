"""The workers: they fetch, parse and summarize pages and emit events. They never write a page's state."""

from __future__ import annotations

import asyncio
import json
import time
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from typing import Any

from graphvine.graph import Graph
from graphvine.workers.common.fetching import Fetcher, FetchError, FetchLimits
from graphvine.workers.common.pages import PageLimits, UnreadablePage
from graphvine.workers.common.pages.reader import PageReader
from graphvine.workers.common.summarizing import Summarizer, SummaryLimits, open_summarizer
from graphvine.workers.common.summarizing import SummaryFailed as CanNotSummarize
from graphvine.workers.common.summarizing.factories import open_offline
from graphvine.workers.scrape import NAME
from graphvine.workers.scrape.events import (
    Event,
    ScrapeFailed,
    ScrapeFinished,
    SummaryFailed,
    SummaryFinished,
    SummaryPartial,
)
from graphvine.workers.scrape.in_flight import PageJob
from graphvine.workers.scrape.settings import ScrapeSettings

Emit = Callable[[Event], None]
# A model sends a chunk for every word; nobody can read that fast.
_PARTIAL_SECONDS = 0.05


async def work(resources: Resources, job: PageJob, emit: Emit) -> None:
    """Do one job; whatever happens, an event says how it ended."""
    seq, token = job.claim.seq, job.claim.token
    failed: type[ScrapeFailed | SummaryFailed] = ScrapeFailed if job.scrapes else SummaryFailed
    try:
        await (resources.scrape(job, emit) if job.scrapes else resources.summarize(job, emit))
    except FetchError as error:
        emit(failed(seq, token, str(error), error.permanent, error.retry_after_seconds))
    except UnreadablePage as error:
        emit(failed(seq, token, f"{job.url[:300]}: {error}", permanent=True))
    except CanNotSummarize as error:
        emit(failed(seq, token, error.reason, error.permanent, error.retry_after_seconds))
    except Exception as error:
        emit(failed(seq, token, f"{type(error).__name__}: {error}", trace=traceback.format_exc()))


class Resources:
    """What the workers of one run share."""

    def __init__(
        self,
        graph: Graph,
        fetcher: Fetcher,
        reader: PageReader,
        summarizer: Summarizer,
        offline: Callable[[], Summarizer],
    ) -> None:
        self._graph, self._fetcher, self._reader = graph, fetcher, reader
        self._summarizer, self._open_offline = summarizer, offline
        self._offline: Summarizer | None = None

    async def scrape(self, job: PageJob, emit: Emit) -> None:
        """Fetch a page and extract its text."""
        fetched = await self._fetcher.fetch(job.url)
        page = await self._reader.read(fetched.body, fetched.media_type, fetched.charset, fetched.final_url)
        facts: dict[str, Any] = {
            "final_url": fetched.final_url, "status": fetched.status, "media_type": fetched.media_type,
            "bytes": len(fetched.body),
        }  # fmt: skip
        emit(ScrapeFinished(job.claim.seq, job.claim.token, page, facts))

    async def summarize(self, job: PageJob, emit: Emit) -> None:
        """Summarize a page; when the model has failed for good, the page's own best sentences stand in."""
        rows = await asyncio.to_thread(self._graph.read, f"{NAME}.page", key=job.claim.key)
        page = json.loads(rows[0]["scraped"] or "{}")
        text, title = str(page.get("text") or ""), str(page.get("title") or "")
        last = job.claim.retry_count + 1 >= self._graph.settings.max_retries
        try:
            await self._stream(self._summarizer, self._summarizer.label, text, title, job, emit)
        except CanNotSummarize as error:
            if not (last or error.permanent) or not self._summarizer.label.startswith("model"):
                raise
            if self._offline is None:
                self._offline = self._open_offline()
            label = f"{self._offline.label}, since the {self._summarizer.label} failed: {error.reason[:200]}"
            await self._stream(self._offline, label, text, title, job, emit)

    async def _stream(
        self, summarizer: Summarizer, label: str, text: str, title: str, job: PageJob, emit: Emit
    ) -> None:
        written, sent_at = "", 0.0
        async with aclosing(summarizer.stream(text, title)) as parts:
            async for written in parts:
                now = time.monotonic()
                if now - sent_at >= _PARTIAL_SECONDS:
                    emit(SummaryPartial(job.claim.seq, job.claim.token, written, label))
                    sent_at = now
        if not written:
            raise CanNotSummarize("the summary is empty")
        emit(SummaryFinished(job.claim.seq, job.claim.token, written, label))

    async def close(self) -> None:
        await self._summarizer.close()
        if self._offline is not None:
            await self._offline.close()
        await self._reader.close()


@asynccontextmanager
async def open_resources(graph: Graph, settings: ScrapeSettings) -> AsyncIterator[Resources]:
    """Everything is closed with the block, the processes that parse pages included."""
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
        reader.warm()
        resources = Resources(graph, fetcher, reader, summarizer, lambda: open_offline("auto", summaries))
        stack.push_async_callback(resources.close)
        yield resources
