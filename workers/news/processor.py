"""The processor: merges additions into the queue, claims the first articles of it, and takes them through the phases.

It writes the queue, the checkpoints and the articles that it has claimed, never the log of additions. Any number of
processors may run at once: each article is claimed by one, and every write is guarded by the claim's token.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING

from graphvine.clock import moment
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.records import Row, Step, Unit
from graphvine.workers.heartbeat import Heartbeats
from graphvine.workers.news import NAME
from graphvine.workers.news.claimed_article import ClaimedArticle
from graphvine.workers.news.phases import GroupCommit, OnStep, Phases, Result
from graphvine.workers.news.queue import ROLE, TopicQueue
from graphvine.workers.news.resources import Resources, open_news_embedder, open_resources
from graphvine.workers.news.runs import ProcessorRun, log, next_run_id
from graphvine.workers.news.settings import NewsSettings, load
from graphvine.workers.pipeline import Context

if TYPE_CHECKING:
    from graphvine.workers.common.embedding import Embedder

_POLL_SECONDS = 0.1
# Other processors may claim what was about to be claimed; then the next of the queue are tried.
_TRIES = 5


class Processor:
    """`run_once()` is one run, as each minute has it. `on_step` is called after each step, for tests."""

    def __init__(
        self, graph: Graph, settings: NewsSettings | None = None, *, worker: str | None = None,
        stop: threading.Event | None = None, on_step: OnStep = lambda step: None,
    ) -> None:  # fmt: skip
        self._graph, self._settings, self._on_step = graph, settings or load(), on_step
        self._topic = self._settings.topic
        self._claims = graph.claims(NAME, worker)
        self._stop = stop or threading.Event()
        self._queue = TopicQueue(graph, self._topic, on_step)
        self._reap_at = 0
        self._embedder: Embedder | None = None
        self._embedder_opened = False
        # Seconds that articles spent in each phase.
        self.seconds_by_phase: Counter[str] = Counter()

    def run_once(self) -> ProcessorRun:
        """Merge, claim a batch from the front of the queue, work on it."""
        return asyncio.run(self._runs(1))[0]

    def run(
        self, *, until_empty: bool = False, each: Callable[[ProcessorRun], None] | None = None
    ) -> list[ProcessorRun]:
        """One run; or run after run until the queue is empty, waiting for articles that back off."""
        return asyncio.run(self._runs(None if until_empty else 1, each))

    def hasten(self) -> int:
        """Articles that back off after a failure need not wait any longer. Returns how many there were."""
        now = self._graph.clock.now_ms()
        rows = self._graph.read(f"{ROLE}.backing_off", topic=self._topic, now=now)
        keys = [row["id"] for row in rows]
        self._graph.run(Unit.of([Step(f"{NAME}.hasten", {"keys": keys, "now": now})] if keys else []))
        return len(keys)

    def close(self) -> None:
        if self._embedder is not None:
            self._embedder.close()

    async def _runs(self, most: int | None, each: Callable[[ProcessorRun], None] | None = None) -> list[ProcessorRun]:
        runs: list[ProcessorRun] = []
        lazy = _LazyResources(self._graph, self._settings, self._open_embedder)
        async with aclosing(lazy):
            while not self._stop.is_set():
                run = await self._run(lazy)
                runs.append(run)
                if each is not None:
                    each(run)
                if (most is not None and len(runs) >= most) or self._graph.store.paused(NAME) is not None:
                    break
                if run.loaded == 0 and not await self._wait():
                    break
        return runs or [ProcessorRun(self._topic)]

    async def _run(self, lazy: _LazyResources) -> ProcessorRun:
        began = time.monotonic()
        if self._graph.store.paused(NAME) is not None:
            return ProcessorRun(self._topic, remaining=self._queue.length())
        await asyncio.to_thread(self._reap)
        merged = await asyncio.to_thread(self._queue.merge)
        repaired = await asyncio.to_thread(self._queue.repair, merged)
        # Before anything is claimed: an article that is held while parts are loaded could be lost for nothing.
        resources = await lazy.open() if await asyncio.to_thread(self._front, 1) else None
        articles = await asyncio.to_thread(self.load) if resources is not None else []
        self._on_step("loaded")
        results = await self._work(resources, articles) if resources is not None and articles else Counter()
        waiting = self._graph.read(f"{ROLE}.waiting", topic=self._topic, now=self._graph.clock.now_ms())[0]
        run = ProcessorRun(
            self._topic, merged.count, merged.checkpoint, len(articles),
            processed=results.total() - results[Result.LOST] - results[Result.FAILED] - results[None],
            removed=results[Result.PROCESSED] + results[Result.FAILED], moved_to_end=results[Result.TAIL],
            failed=results[Result.FAILED], lost=results[Result.LOST], released=results[None],
            remaining=self._queue.length(), seconds=time.monotonic() - began,
            waiting=waiting["waiting"],
            next_in_seconds=None if waiting["due"] is None else (waiting["due"] - self._graph.clock.now_ms()) / 1000,
            missing=merged.missing + repaired.missing, rebuilt=repaired.rebuilt, dropped=repaired.dropped,
        )  # fmt: skip
        if run.loaded or run.merged or run.rebuilt or run.dropped:
            self._record(run)
        log(run)
        self._graph.store.publish(
            "news_processed", topic=run.topic, loaded=run.loaded, processed=run.processed, removed=run.removed,
            moved_to_end=run.moved_to_end, remaining=run.remaining,
        )  # fmt: skip
        return run

    def _reap(self) -> None:
        """Take back what crashed processors held; where one process owns the store, opening it did that."""
        now = self._graph.clock.now_ms()
        if not self._graph.engine.capabilities.single_owner and now >= self._reap_at:
            self._reap_at = now + int(1000 * self._graph.settings.reclaim_seconds)
            self._graph.reap(NAME)

    def load(self) -> list[ClaimedArticle]:
        """Claim the first articles of the queue."""
        for _ in range(_TRIES):
            rows = self._front(self._settings.max_articles_per_run)
            self._on_step("front_read")
            if not rows:
                return []
            if claims := self._claims.claim_rows(rows):
                found = self._graph.read(f"{NAME}.loaded", keys=[claim.key for claim in claims])
                columns = {row["id"]: row for row in found}
                return [ClaimedArticle.of(one, self._topic, columns[one.key]) for one in claims if one.key in columns]
        return []

    def _front(self, most: int) -> list[Row]:
        return self._graph.read(f"{ROLE}.front", topic=self._topic, now=self._graph.clock.now_ms(), limit=most)

    async def _work(self, resources: Resources, articles: list[ClaimedArticle]) -> Counter[Result | None]:
        """Work on all of them, some at once. None stands for articles that were released on a stop."""
        context = Context(self._stop)
        heartbeats = Heartbeats(self._claims, context, self._graph.settings.heartbeat_seconds)
        commits = GroupCommit(self._claims)
        phases = Phases(self._graph, self._settings, resources, commits, self._on_step, self._time_phase)
        limit = asyncio.Semaphore(self._settings.concurrency)

        async def process(article: ClaimedArticle) -> Result:
            async with limit:
                result = await phases.process(article)
                heartbeats.drop([article.claim])
                return result

        heartbeats.hold(article.claim for article in articles)
        with heartbeats.running():
            tasks = {asyncio.create_task(process(article)): article for article in articles}
            try:
                await self._finished(tasks, context)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await commits.flush()
                left = [one for task, one in tasks.items() if task.cancelled() or task.exception() is not None]
                await asyncio.to_thread(self._release, left)
        for task in tasks:
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error  # of the store itself: errors of an article do not get here
        return Counter(
            task.result() if not task.cancelled() else Result.LOST if context.lost(one.claim) else None
            for task, one in tasks.items()
        )

    async def _finished(self, tasks: dict[asyncio.Task[Result], ClaimedArticle], context: Context) -> None:
        pending = set(tasks)
        while pending and not self._stop.is_set():
            _, pending = await asyncio.wait(pending, timeout=_POLL_SECONDS, return_when=asyncio.FIRST_EXCEPTION)
            for task in pending:
                if context.lost(tasks[task].claim):
                    task.cancel()  # another processor has it: what this one would save is refused
            if any(task.done() and not task.cancelled() and task.exception() is not None for task in tasks):
                return

    def _release(self, articles: list[ClaimedArticle]) -> None:
        try:
            self._claims.release(article.claim for article in articles)
        except ClaimLost:
            return  # another processor has them by now

    async def _wait(self) -> bool:
        """Wait for an article that backs off. False when there is none, or it is time to stop."""
        now = self._graph.clock.now_ms()
        rows = await asyncio.to_thread(self._graph.read, f"{ROLE}.waiting", topic=self._topic, now=now)
        due = rows[0]["due"]
        if due is None:
            return False
        while (left := due - self._graph.clock.now_ms()) > 0 and not self._stop.is_set():
            await asyncio.to_thread(self._graph.clock.sleep, min(_POLL_SECONDS, left / 1000))
        return not self._stop.is_set()

    def _time_phase(self, phase: str, seconds: float) -> None:
        self.seconds_by_phase[phase] += seconds  # type: ignore[assignment]  # a Counter adds any numbers

    def _open_embedder(self) -> Embedder | None:
        """Kept from run to run: it takes half a second to open."""
        if not self._embedder_opened:
            self._embedder, self._embedder_opened = open_news_embedder(self._settings), True
        return self._embedder

    def _record(self, run: ProcessorRun) -> None:
        last = self._graph.read(f"{ROLE}.runs", topic=self._topic, limit=1)
        noted = {
            "id": next_run_id(self._topic, last), "topic": self._topic, "at": moment(self._graph.clock.now_ms()),
            "seconds": run.seconds, "loaded": run.loaded, "processed": run.processed, "removed": run.removed,
            "moved_to_end": run.moved_to_end, "remaining": run.remaining,
        }  # fmt: skip
        self._graph.run(Unit.of([Step(f"{ROLE}.note_run", noted)]))


class _LazyResources:
    """Opens the resources when there is an article to work on, and closes them at the end."""

    def __init__(self, graph: Graph, settings: NewsSettings, embedder: Callable[[], Embedder | None]) -> None:
        self._graph, self._settings, self._embedder = graph, settings, embedder
        self._stack = AsyncExitStack()
        self._resources: Resources | None = None

    async def open(self) -> Resources:
        if self._resources is None:
            embedder = await asyncio.to_thread(self._embedder)
            opening = open_resources(self._graph, self._settings, embedder)
            self._resources = await self._stack.enter_async_context(opening)
        return self._resources

    async def aclose(self) -> None:
        await self._stack.aclose()
