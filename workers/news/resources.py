"""What the phases work with: fetcher, page reader, summarizer, sentiment analyser, embedder."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphvine.failures import clean_text
from graphvine.graph import Graph
from graphvine.workers.common.fetching import Fetcher, FetchLimits
from graphvine.workers.common.pages import PageLimits, UnreadablePage
from graphvine.workers.common.pages.reader import PageReader
from graphvine.workers.common.summarizing import Summarizer, SummaryFailed, SummaryLimits, open_summarizer
from graphvine.workers.common.summarizing.extractive import ExtractiveSummarizer
from graphvine.workers.news.claimed_article import ClaimedArticle
from graphvine.workers.news.same_story import Stories
from graphvine.workers.news.sentiment import Analyser, Sentiment, SentimentFailed, WordSentiment, open_analyser
from graphvine.workers.news.settings import NewsSettings

if TYPE_CHECKING:
    from graphvine.workers.common.embedding import Embedder

_log = logging.getLogger("graphvine.news")


@dataclass(frozen=True, slots=True)
class Content:
    text: str
    title: str
    words: int


@dataclass(frozen=True, slots=True)
class Written:
    """A summary or a sentiment, who made it, and the error of the model that it stands in for ('': none)."""

    value: str
    by: str
    error: str = ""
    score: float = 0.0


class Resources:
    def __init__(
        self, settings: NewsSettings, fetcher: Fetcher, reader: PageReader, summarizer: Summarizer,
        offline: Summarizer, analyser: Analyser, stories: Stories | None,
    ) -> None:  # fmt: skip
        self._settings, self._fetcher, self._reader = settings, fetcher, reader
        self._summarizer, self._offline, self._analyser = summarizer, offline, analyser
        self.stories = stories

    async def content(self, article: ClaimedArticle) -> Content:
        """The first phase: fetch the page and extract its main text. Raises FetchError or UnreadablePage."""
        fetched = await self._fetcher.fetch(article.link)
        page = await self._reader.read(fetched.body, fetched.media_type, fetched.charset, fetched.final_url)
        text = page.text[: self._settings.max_content_chars].strip()
        if not text:
            raise UnreadablePage("it has no text")
        return Content(text, page.title, len(text.split()))

    async def summary(self, article: ClaimedArticle, *, last: bool) -> Written:
        """The second phase. When the model fails for good, the article's own sentences stand in."""
        try:
            return Written(await self._written(self._summarizer, article), self._summarizer.label)
        except SummaryFailed as error:
            if self._summarizer is self._offline or not (last or error.permanent):
                raise
            label = f"{self._offline.label}, since the {self._summarizer.label} failed"
            failed = self._attempt(error.reason, article.summary_attempts + 1)
            return Written(await self._written(self._offline, article), label, failed)

    async def sentiment(self, article: ClaimedArticle, *, last: bool) -> Written:
        """The third phase; likewise."""
        text = article.summary or article.content
        try:
            judged = await self._analyser.analyse(article.title, text)
            return _judged(judged, self._analyser.label)
        except SentimentFailed as error:
            if not (last or error.permanent):
                raise
            offline = WordSentiment()
            label = f"{offline.label}, since the {self._analyser.label} failed"
            failed = self._attempt(error.reason, article.sentiment_attempts + 1)
            return _judged(await offline.analyse(article.title, text), label, failed)

    async def vector(self, article: ClaimedArticle) -> list[float]:
        """Its vector; empty where none can be made, and then it is not compared with other articles."""
        if self.stories is None:
            return []
        try:
            return await asyncio.to_thread(self.stories.vector, article.title, article.content)
        except Exception as error:
            _log.warning("no vector for %s: %s: %s", article.claim.key, type(error).__name__, error)
            return []

    def _attempt(self, reason: str, attempt: int) -> str:
        return error_of(reason, attempt, self._settings.max_attempts)

    async def _written(self, summarizer: Summarizer, article: ClaimedArticle) -> str:
        written = ""
        async with aclosing(summarizer.stream(article.content, article.title)) as parts:
            async for so_far in parts:
                written = so_far
        if not written.strip():
            raise SummaryFailed("the summary is empty")
        return written


def error_of(reason: str, attempt: int, attempts: int) -> str:
    """An error as the specification writes it."""
    return clean_text(f"error: {reason} (attempt {attempt}/{attempts})", 1_000)


def _judged(judged: Sentiment, label: str, error: str = "") -> Written:
    return Written(judged.word, label, error, judged.score)


@asynccontextmanager
async def open_resources(graph: Graph, settings: NewsSettings, embedder: Embedder | None) -> AsyncIterator[Resources]:
    """Everything but the embedder is closed with the block, the processes that parse pages included."""
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
        reader.warm()
        yield Resources(settings, fetcher, reader, summarizer, offline, analyser, stories)


def open_news_embedder(settings: NewsSettings) -> Embedder | None:
    """The embedder, where the settings need one and it can be opened."""
    wants = settings.summarizer in ("auto", "light") and not settings.summary_url
    if not wants and settings.same_story == "off":
        return None
    from graphvine.workers.common.embedding import EmbeddingError, open_embedder

    try:
        return open_embedder("light")
    except EmbeddingError:
        if settings.summarizer == "light" or settings.same_story == "light":
            raise
        return None
