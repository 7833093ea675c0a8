"""One article through its phases: each is saved when it is done, and what fails decides where the article goes.

Below MAX_CONTENT_FETCH_ATTEMPTS it keeps its place at the front, with a growing pause; at the limit it goes to the end
of the queue, once; the try there is the last. What can't help another time fails at once. A phase that was saved is
never done again.
"""

from __future__ import annotations

import asyncio
import random
import traceback
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import Enum

from graphvine.clock import moment
from graphvine.graph import Graph
from graphvine.records import Step
from graphvine.workers.news import mentions
from graphvine.workers.news.held import Held
from graphvine.workers.news.saving import Saver
from graphvine.workers.news.sentiment import SentimentFailed
from graphvine.workers.news.settings import NewsSettings
from graphvine.workers.news.workshop import Workshop, error_of
from graphvine.workers.parts.fetching import FetchError
from graphvine.workers.parts.pages import UnreadablePage
from graphvine.workers.parts.summarizing import SummaryFailed

Tell = Callable[[str], None]


class End(Enum):
    """How an article left a processor's hands."""

    PROCESSED = "processed"
    FRONT = "front"
    TAIL = "tail"
    FAILED = "failed"
    LOST = "lost"


class _Lost(Exception):
    """The claim is another's: nothing more is to be done here."""


class Passage:
    def __init__(
        self, graph: Graph, settings: NewsSettings, shop: Workshop, saver: Saver, tell: Tell,
        time_phase: Callable[[str, float], None] = lambda phase, seconds: None,
    ) -> None:  # fmt: skip
        self._graph, self._settings, self._shop, self._saver, self._tell = graph, settings, shop, saver, tell
        self._time_phase = time_phase
        self._jitter = random.Random()

    async def take(self, held: Held) -> End:
        """Take an article as far as it goes."""
        try:
            return await self._through(held)
        except _Lost:
            return End.LOST

    async def _through(self, held: Held) -> End:
        clock = asyncio.get_running_loop().time
        for phase in (self._content, self._summary):
            began = clock()
            end = await phase(held)
            self._time_phase(phase.__name__.strip("_"), clock() - began)
            if end is not None:
                return end
        began = clock()
        end = await self._finish(held)
        self._time_phase("sentiment", clock() - began)
        return end

    async def _content(self, held: Held) -> End | None:
        if held.content:
            return None
        try:
            content = await self._shop.content(held)
        except FetchError as error:
            wait = error.retry_after_seconds
            return await self._no_content(held, str(error), permanent=error.permanent, wait=wait)
        except UnreadablePage as error:
            return await self._no_content(held, f"{held.link[:300]}: {error}", permanent=True)
        except Exception as error:
            return await self._no_content(held, _told(error), permanent=False, trace=traceback.format_exc())
        held.content, held.title = content.text, held.title or content.title
        held.vector = await self._shop.vector(held)
        steps = held.save("content", self._at, content=content.text, words=content.words, title=content.title)
        if self._shop.stories is not None and held.vector:
            steps.append(held.with_claim("save_vectors", [self._shop.stories.saved(held)]))
        await self._save(held, steps)
        if self._shop.stories is not None and held.vector:
            self._shop.stories.remember(held)
        self._tell("content_saved")
        return None

    async def _no_content(
        self, held: Held, reason: str, *, permanent: bool, wait: float | None = None, trace: str | None = None
    ) -> End:
        timeouts, most = held.content_timeout + 1, self._settings.max_content_fetch_attempts
        counted = held.count("timeout", timeouts=timeouts)
        if permanent or timeouts > most:
            return await self._fail(held, [counted], reason, trace)
        return await self._back(held, [counted], reason, timeouts, wait, trace, to_end=timeouts == most)

    async def _summary(self, held: Held) -> End | None:
        if not held.needs_summary:
            return None
        attempt, most = held.summary_attempts + 1, self._settings.max_attempts
        try:
            written = await self._shop.summary(held, last=attempt >= most)
        except SummaryFailed as error:
            counted = held.count("summary", attempts=attempt, error=error_of(error.reason, attempt, most))
            if error.permanent or attempt >= most:
                return await self._fail(held, [counted], f"no summary: {error.reason}")
            return await self._back(held, [counted], f"no summary: {error.reason}", attempt, error.retry_after_seconds)
        except Exception as error:
            counted = held.count("summary", attempts=attempt, error=error_of(_told(error), attempt, most))
            return await self._unforeseen(held, counted, error, attempt)
        held.summary, held.needs_summary = written.value, False
        saved = {"summary": written.value, "summarizer": written.by, "summaryError": written.error}
        await self._save(held, held.save("summary", self._at, **saved))
        self._tell("summary_saved")
        return None

    async def _finish(self, held: Held) -> End:
        """The third phase, where it is wanted, and the end: out of the queue, with lines to the rest of the graph."""
        steps: list[Step] = []
        if held.needs_sentiment:
            attempt, most = held.sentiment_attempts + 1, self._settings.max_attempts
            try:
                judged = await self._shop.sentiment(held, last=attempt >= most)
            except SentimentFailed as error:
                told = error_of(error.reason, attempt, most)
                counted = held.count("sentiment", attempts=attempt, error=told)
                reason = f"no sentiment: {error.reason}"
                return await self._back(held, [counted], reason, attempt, error.retry_after_seconds)
            except Exception as error:
                counted = held.count("sentiment", attempts=attempt, error=error_of(_told(error), attempt, most))
                return await self._unforeseen(held, counted, error, attempt)
            steps += held.save(
                "sentiment", self._at, sentiment=judged.value, sentimentScore=judged.score, sentimentBy=judged.by,
                sentimentError=judged.error,
            )  # fmt: skip
        steps += [held.complete(self._at), held.dequeue()]
        await self._save(held, steps + await asyncio.to_thread(self._lines, held))
        self._tell("finished")
        return End.PROCESSED

    def _lines(self, held: Held) -> list[Step]:
        steps = []
        if self._shop.stories is not None and held.vector and (alike := self._shop.stories.alike(held)):
            steps.append(held.with_claim("same_story", alike))
        if self._settings.mentions and (named := mentions.find(self._graph, held, self._settings.query)):
            rows = [{"id": held.claim.key, "title": title} for title in named]
            steps.append(held.with_claim("mention", rows))
        return steps

    # Where it goes when something failed

    async def _back(
        self, held: Held, counted: Sequence[Step], reason: str, attempt: int, wait: float | None = None,
        trace: str | None = None, *, to_end: bool = False,
    ) -> End:  # fmt: skip
        """Back into the queue: to its place at the front after a pause, or to the end."""
        pause = max(wait or 0.0, self._backoff(attempt))
        steps = [*counted, held.retry(self._graph.clock.now_ms() + int(1000 * pause), reason)]
        steps.append(held.note(self._at, "transient", reason, trace))
        if to_end:
            steps.append(held.to_end())
        await self._save(held, steps)
        self._tell("put_back")
        return End.TAIL if to_end else End.FRONT

    async def _fail(self, held: Held, counted: Sequence[Step], reason: str, trace: str | None = None) -> End:
        at = self._at
        note = held.note(at, "permanent", reason, trace)
        await self._save(held, [*counted, held.fail(at, reason), note, held.dequeue()])
        self._tell("failed")
        return End.FAILED

    async def _unforeseen(self, held: Held, counted: Step, error: Exception, attempt: int) -> End:
        """Something that is no declared failure: tried again as often as a page is."""
        reason, trace = _told(error), "".join(traceback.format_exception(error))
        if attempt >= self._settings.max_content_fetch_attempts:
            return await self._fail(held, [counted], reason, trace)
        return await self._back(held, [counted], reason, attempt, None, trace)

    async def _save(self, held: Held, steps: Sequence[Step]) -> None:
        if not await self._saver.save(held.claim.seq, steps):
            raise _Lost

    def _backoff(self, attempt: int) -> float:
        """Seconds to wait, doubling with each attempt; the jitter keeps apart what failed together."""
        core = self._graph.settings
        longest = min(core.backoff_max_seconds, core.backoff_seconds * 2.0 ** (attempt - 1))
        return longest * self._jitter.uniform(0.5, 1.0)

    @property
    def _at(self) -> datetime:
        return moment(self._graph.clock.now_ms())


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
