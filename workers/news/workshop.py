"""What the three phases are done with, and the phases: each takes an article and gives what is to be saved."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphvine.graph import Graph
from graphvine.workers.news.held import Held, cleaned
from graphvine.workers.news.sentiment import Analyser, Sentiment, SentimentFailed, open_analyser, open_words
from graphvine.workers.news.settings import NewsSettings
from graphvine.workers.news.stories import Stories
from graphvine.workers.parts.fetching import Fetcher, FetchLimits
from graphvine.workers.parts.pages import PageLimits, UnreadablePage
from graphvine.workers.parts.pages.reader import PageReader
from graphvine.workers.parts.summarizing import Summarizer, SummaryFailed, SummaryLimits, open_summarizer
from graphvine.workers.parts.summarizing.extractive import ExtractiveSummarizer

if TYPE_CHECKING:
    from graphvine.workers.parts.embedding import Embedder

_log = logging.getLogger("graphvine.news")


@dataclass(frozen=True, slots=True)
class Content:
    text: str
    title: str
    words: int


@dataclass(frozen=True, slots=True)
class Written:
    """Something that was written or judged, by whom, and what went wrong with the model before, '' for nothing."""

    value: str
    by: str
    error: str = ""
    score: float = 0.0


class Workshop:
    def __init__(
        self, settings: NewsSettings, fetcher: Fetcher, reader: PageReader, summarizer: Summarizer,
        offline: Summarizer, analyser: Analyser, stories: Stories | None,
    ) -> None:  # fmt: skip
        self._settings, self._fetcher, self._reader = settings, fetcher, reader
        self._summarizer, self._offline, self._analyser = summarizer, offline, analyser
        self.stories = stories

    async def content(self, held: Held) -> Content:
        """The first phase: the page, and the main text of it. Raises FetchError or UnreadablePage."""
        fetched = await self._fetcher.fetch(held.link)
        page = await self._reader.read(fetched.body, fetched.media_type, fetched.charset, fetched.final_url)
        text = page.text[: self._settings.max_content_chars].strip()
        if not text:
            raise UnreadablePage("there is no text in it")
        return Content(text, page.title, len(text.split()))

    async def summary(self, held: Held, *, last: bool) -> Written:
        """The second phase. On the last try of a model, or where it can't help, the article's own sentences serve."""
        try:
            return Written(await self._written(self._summarizer, held), self._summarizer.label)
        except SummaryFailed as error:
            if self._summarizer is self._offline or not (last or error.permanent):
                raise
            error_told = self._attempt(error.reason, held.summary_attempts + 1)
            label = f"{self._offline.label}, since the {self._summarizer.label} failed"
            return Written(await self._written(self._offline, held), label, error_told)

    async def sentiment(self, held: Held, *, last: bool) -> Written:
        """The third phase, likewise."""
        text = held.summary or held.content
        try:
            judged = await self._analyser.analyse(held.title, text)
            return _judged(judged, self._analyser.label)
        except SentimentFailed as error:
            if not (last or error.permanent):
                raise
            offline = open_words()
            label = f"{offline.label}, since the {self._analyser.label} failed"
            told = self._attempt(error.reason, held.sentiment_attempts + 1)
            return _judged(await offline.analyse(held.title, text), label, told)

    async def vector(self, held: Held) -> list[float]:
        """What it is about, as numbers; without them it is an article like any other, only that it has no likes."""
        if self.stories is None:
            return []
        try:
            return await asyncio.to_thread(self.stories.vector, held.title, held.content)
        except Exception as error:
            _log.warning("no vector for %s: %s: %s", held.claim.key, type(error).__name__, error)
            return []

    def _attempt(self, reason: str, attempt: int) -> str:
        return error_of(reason, attempt, self._settings.max_attempts)

    async def _written(self, summarizer: Summarizer, held: Held) -> str:
        written = ""
        async with aclosing(summarizer.stream(held.content, held.title)) as parts:
            async for so_far in parts:
                written = so_far
        if not written.strip():
            raise SummaryFailed("the summary is empty")
        return written


def error_of(reason: str, attempt: int, attempts: int) -> str:
    """In the document's form."""
    return cleaned(f"error: {reason} (attempt {attempt}/{attempts})", 1_000)


def _judged(judged: Sentiment, label: str, error: str = "") -> Written:
    return Written(judged.word, label, error, judged.score)


@asynccontextmanager
async def open_workshop(graph: Graph, settings: NewsSettings, embedder: Embedder | None) -> AsyncIterator[Workshop]:
    """Everything but the embedder is closed with the block, processes that read pages included."""
    limits = FetchLimits(
        max_bytes=settings.max_bytes, total_seconds=settings.total_seconds, connect_seconds=settings.connect_seconds,
        read_seconds=settings.read_seconds, max_redirects=settings.max_redirects,
        per_host_concurrency=settings.per_host_concurrency,
    )  # fmt: skip
    pages = PageLimits(max_characters=max(100_000, settings.max_content_chars), seconds=settings.parse_seconds)
    summaries = SummaryLimits(sentences=settings.summary_sentences, seconds=settings.summary_seconds)
    offline = ExtractiveSummarizer(summaries, embedder if settings.summarizer != "words" else None)
    summarizer: Summarizer = offline
    if settings.summarizer == "model" or (settings.summarizer == "auto" and settings.summary_url):
        summarizer = open_summarizer(
            "model", url=settings.summary_url, model=settings.summary_model,
            key_variable=settings.summary_key_variable, limits=summaries,
        )  # fmt: skip
    stories = None
    if embedder is not None and settings.same_story != "off":
        most, similarity = settings.same_story_articles, settings.same_story_similarity
        stories = Stories(graph, settings.topic, embedder, similarity, most)
    async with AsyncExitStack() as stack:
        if summarizer is not offline:
            stack.push_async_callback(summarizer.close)
        analyser = open_analyser(settings)
        stack.push_async_callback(analyser.close)
        fetcher = await stack.enter_async_context(
            Fetcher(
                limits, allowed_private_hosts=settings.allowed_private_hosts, contact=settings.contact,
                obey_robots=settings.obey_robots, connections=settings.concurrency,
            )
        )  # fmt: skip
        reader = PageReader(pages, processes=settings.parse_processes)
        stack.push_async_callback(reader.close)
        yield Workshop(settings, fetcher, reader, summarizer, offline, analyser, stories)


def open_news_embedder(settings: NewsSettings) -> Embedder | None:
    """The model of vectors, where something asks for it and it is there."""
    wants = settings.summarizer in ("auto", "light") and not settings.summary_url
    if not wants and settings.same_story == "off":
        return None
    from graphvine.workers.parts.embedding import EmbeddingError, open_embedder

    try:
        return open_embedder("light")
    except EmbeddingError:
        if settings.summarizer == "light" or settings.same_story == "light":
            raise
        return None
