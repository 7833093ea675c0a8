"""The workers: they fetch, read and summarize, and tell what came of it. They never touch a page's state."""

from __future__ import annotations

import asyncio
import json
import time
import traceback
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from graphvine.graph import Graph
from graphvine.workers.parts.fetching import Fetcher, FetchError
from graphvine.workers.parts.pages import UnreadablePage
from graphvine.workers.parts.pages.reader import PageReader
from graphvine.workers.parts.summarizing import Summarizer
from graphvine.workers.parts.summarizing import SummaryFailed as CanNotSummarize
from graphvine.workers.scrape import PIPELINE
from graphvine.workers.scrape.events import (
    Event,
    ScrapeFailed,
    ScrapeFinished,
    SummaryFailed,
    SummaryFinished,
    SummaryPartial,
)
from graphvine.workers.scrape.jobs import Job

Emit = Callable[[Event], None]
# A model sends a piece for every word; nobody can read that fast.
_PIECE_SECONDS = 0.05


async def work(shop: Workshop, job: Job, emit: Emit) -> None:
    """Do one job; whatever happens, the manager hears how it ended."""
    seq, token = job.claim.seq, job.claim.token
    failed: type[ScrapeFailed | SummaryFailed] = ScrapeFailed if job.scrapes else SummaryFailed
    try:
        await (shop.scrape(job, emit) if job.scrapes else shop.summarize(job, emit))
    except FetchError as error:
        emit(failed(seq, token, str(error), error.permanent, error.retry_after_seconds))
    except UnreadablePage as error:
        emit(failed(seq, token, f"{job.url[:300]}: {error}", permanent=True))
    except CanNotSummarize as error:
        emit(failed(seq, token, error.reason, error.permanent, error.retry_after_seconds))
    except Exception as error:
        emit(failed(seq, token, f"{type(error).__name__}: {error}", trace=traceback.format_exc()))


class Workshop:
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

    async def scrape(self, job: Job, emit: Emit) -> None:
        """Fetch a page and read its text."""
        self._reader.warm()
        fetched = await self._fetcher.fetch(job.url)
        page = await self._reader.read(fetched.body, fetched.media_type, fetched.charset, fetched.final_url)
        facts: dict[str, Any] = {
            "final_url": fetched.final_url, "status": fetched.status, "media_type": fetched.media_type,
            "bytes": len(fetched.body),
        }  # fmt: skip
        emit(ScrapeFinished(job.claim.seq, job.claim.token, page, facts))

    async def summarize(self, job: Job, emit: Emit) -> None:
        """Write a page's summary; when the model has failed often enough, the page's own best sentences serve."""
        rows = await asyncio.to_thread(self._graph.read, f"{PIPELINE}.page", key=job.claim.key)
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

    async def _stream(self, summarizer: Summarizer, label: str, text: str, title: str, job: Job, emit: Emit) -> None:
        written, told_at = "", 0.0
        async with aclosing(summarizer.stream(text, title)) as parts:
            async for written in parts:
                now = time.monotonic()
                if now - told_at >= _PIECE_SECONDS:
                    emit(SummaryPartial(job.claim.seq, job.claim.token, written, label))
                    told_at = now
        if not written:
            raise CanNotSummarize("the summary is empty")
        emit(SummaryFinished(job.claim.seq, job.claim.token, written, label))

    async def close(self) -> None:
        await self._summarizer.close()
        if self._offline is not None:
            await self._offline.close()
        await self._reader.close()
