"""The three phases of an article: each is saved when it is done, and a failure decides where the article goes.

Below MAX_CONTENT_FETCH_ATTEMPTS it keeps its place at the front of the queue, with a growing wait; at the limit it goes
to the end of the queue, once; the attempt there is the last. A permanent failure fails at once. A phase that was saved
is never repeated.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import Enum
from typing import Any

from graphvine.claims import Claims
from graphvine.clock import moment
from graphvine.graph import Graph
from graphvine.outcomes import Done, GiveUp, Outcome, Retry, Save
from graphvine.records import Step
from graphvine.workers.common.fetching import FetchError
from graphvine.workers.common.pages import UnreadablePage
from graphvine.workers.common.summarizing import SummaryFailed
from graphvine.workers.news import mentions
from graphvine.workers.news.claimed_article import ClaimedArticle
from graphvine.workers.news.resources import Resources, error_of
from graphvine.workers.news.sentiment import SentimentFailed
from graphvine.workers.news.settings import NewsSettings

OnStep = Callable[[str], None]


class Result(Enum):
    """Where an article went: out of the queue, to its front, to its end, or to another processor."""

    PROCESSED = "processed"
    FRONT = "front"
    TAIL = "tail"
    FAILED = "failed"
    LOST = "lost"


class _Lost(Exception):
    """Another processor has the claim."""


class Phases:
    """Takes articles through their phases. `on_step` is called after each write, for tests."""

    def __init__(
        self, graph: Graph, settings: NewsSettings, resources: Resources, commits: GroupCommit, on_step: OnStep,
        on_phase: Callable[[str, float], None] = lambda phase, seconds: None,
    ) -> None:  # fmt: skip
        self._graph, self._settings, self._resources, self._commits = graph, settings, resources, commits
        self._on_step, self._on_phase = on_step, on_phase

    async def process(self, article: ClaimedArticle) -> Result:
        """Take an article as far as it goes."""
        clock = asyncio.get_running_loop().time
        try:
            for name, phase in (("content", self._content), ("summary", self._summary)):
                began = clock()
                result = await phase(article)
                self._on_phase(name, clock() - began)
                if result is not None:
                    return result
            began = clock()
            last = await self._finish(article)
            self._on_phase("sentiment", clock() - began)
            return last
        except _Lost:
            return Result.LOST

    async def _content(self, article: ClaimedArticle) -> Result | None:
        if article.content:
            return None
        attempt, most = article.content_timeout + 1, self._settings.max_content_fetch_attempts
        count = article.count("timeout", timeouts=attempt)
        try:
            content = await self._resources.content(article)
        except FetchError as error:
            if error.permanent or attempt > most:
                return await self._fail(article, count, str(error))
            return await self._retry(article, count, str(error), attempt, error.retry_after_seconds, most=most)
        except UnreadablePage as error:
            return await self._fail(article, count, f"{article.link[:300]}: {error}")
        except Exception as error:
            reason, trace = f"{type(error).__name__}: {error}", traceback.format_exc()
            if attempt > most:
                return await self._fail(article, count, reason, trace)
            return await self._retry(article, count, reason, attempt, trace=trace, most=most)
        article.content, article.title = content.text, article.title or content.title
        article.vector = await self._resources.vector(article)
        saved = {"content": content.text, "words": content.words, "title": content.title}
        stories, steps = self._resources.stories, []
        if stories is not None and article.vector:
            steps.append(article.with_claim("save_vectors", [stories.saved(article)]))
        await self._save(article, "content", saved, steps)
        if stories is not None and article.vector:
            stories.remember(article)
        return None

    async def _summary(self, article: ClaimedArticle) -> Result | None:
        if not article.needs_summary:
            return None
        attempt, most = article.summary_attempts + 1, self._settings.max_attempts
        try:
            written = await self._resources.summary(article, last=attempt >= most)
        except SummaryFailed as error:
            count = article.count("summary", attempts=attempt, error=error_of(error.reason, attempt, most))
            if error.permanent or attempt >= most:
                return await self._fail(article, count, f"no summary: {error.reason}")
            return await self._retry(
                article, count, f"no summary: {error.reason}", attempt, error.retry_after_seconds
            )  # fmt: skip
        except Exception as error:
            return await self._unexpected(article, "summary", error, attempt)
        article.summary, article.needs_summary = written.value, False
        saved = {"summary": written.value, "summarizer": written.by, "summaryError": written.error}
        await self._save(article, "summary", saved)
        return None

    async def _finish(self, article: ClaimedArticle) -> Result:
        """The third phase, where it is wanted; then out of the queue, with links to the rest of the graph."""
        saves: list[Step] = []
        steps = [article.dequeue()]
        if article.needs_sentiment:
            attempt, most = article.sentiment_attempts + 1, self._settings.max_attempts
            try:
                judged = await self._resources.sentiment(article, last=attempt >= most)
            except SentimentFailed as error:
                count = article.count("sentiment", attempts=attempt, error=error_of(error.reason, attempt, most))
                reason = f"no sentiment: {error.reason}"
                return await self._retry(article, count, reason, attempt, error.retry_after_seconds)
            except Exception as error:
                return await self._unexpected(article, "sentiment", error, attempt)
            saved = {
                "sentiment": judged.value, "sentimentScore": judged.score, "sentimentBy": judged.by,
                "sentimentError": judged.error,
            }  # fmt: skip
            saves.append(self._commits.claims.save("save_sentiment", article.claim, saved, at=self._at))
            steps.append(article.pass_phase("sentiment", self._at))
        steps += await asyncio.to_thread(self._links, article)
        await self._settle(Done(article.claim, steps, saves=saves), "finished")
        return Result.PROCESSED

    def _links(self, article: ClaimedArticle) -> list[Step]:
        steps, stories = [], self._resources.stories
        if stories is not None and article.vector and (similar := stories.similar(article)):
            steps.append(article.with_claim("same_story", similar))
        if self._settings.mentions and (titles := mentions.find(self._graph, article, self._settings.query)):
            rows = [{"id": article.claim.key, "title": title} for title in titles]
            steps.append(article.with_claim("mention", rows))
        return steps

    async def _save(
        self, article: ClaimedArticle, phase: str, saved: dict[str, Any], steps: Sequence[Step] = ()
    ) -> None:
        at = self._at
        save = self._commits.claims.save(f"save_{phase}", article.claim, saved, at=at)
        await self._settle(Save(article.claim, [save], [article.pass_phase(phase, at), *steps]), f"{phase}_saved")

    async def _retry(
        self, article: ClaimedArticle, count: Step, reason: str, attempt: int, after_seconds: float | None = None,
        trace: str | None = None, *, most: int = 0,
    ) -> Result:  # fmt: skip
        """Back into the queue: to its place at the front after a wait, or, on the attempt `most`, to the end."""
        steps = [article.to_end()] if attempt == most else []
        await self._settle(Retry(article.claim, reason, after_seconds, trace, steps, [count], attempt), "put_back")
        return Result.TAIL if steps else Result.FRONT

    async def _fail(self, article: ClaimedArticle, count: Step, reason: str, trace: str | None = None) -> Result:
        await self._settle(GiveUp(article.claim, reason, trace, [article.dequeue()], [count]), "failed")
        return Result.FAILED

    async def _unexpected(self, article: ClaimedArticle, phase: str, error: Exception, attempt: int) -> Result:
        """An error that the phase does not declare is retried as often as a page is."""
        reason, trace = f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error))
        count = article.count(
            phase, attempts=attempt, error=error_of(reason, attempt, self._settings.max_attempts)
        )  # fmt: skip
        if attempt >= self._settings.max_content_fetch_attempts:
            return await self._fail(article, count, reason, trace)
        return await self._retry(article, count, reason, attempt, trace=trace)

    async def _settle(self, outcome: Outcome, step: str) -> None:
        if not await self._commits.settle(outcome):
            raise _Lost
        self._on_step(step)

    @property
    def _at(self) -> datetime:
        return moment(self._graph.clock.now_ms())


class GroupCommit:
    """Writes what several articles have ready at the same time in one transaction. For one event loop."""

    def __init__(self, claims: Claims) -> None:
        self.claims = claims
        self._waiting: list[tuple[Outcome, asyncio.Future[bool]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def settle(self, outcome: Outcome) -> bool:
        """Whether the claim still held; if not, nothing was written for it."""
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((outcome, future))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return await asyncio.shield(future)

    async def flush(self) -> None:
        """Wait until everything is written."""
        while self._writing is not None:
            await asyncio.gather(self._writing, return_exceptions=True)

    async def _write(self) -> None:
        try:
            while self._waiting:
                group, self._waiting = self._waiting, []
                try:
                    _, lost = await asyncio.to_thread(self.claims.exchange, [outcome for outcome, _ in group], ())
                except Exception as error:
                    for _, future in group:
                        future.set_exception(error)
                else:
                    seqs = {claim.seq for claim in lost}
                    for outcome, future in group:
                        future.set_result(outcome.claim.seq not in seqs)
        finally:
            self._writing = None
