"""The processor: merges additions into the queue, takes the first articles of it, and works on them.

It writes the queue, the checkpoints and articles in its hands, never the log of additions. Any number of processors
may run at once: each article is in the hands of one, by its claim's token, and every write is guarded by it.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING

from graphvine.clock import NEVER, moment
from graphvine.graph import Graph
from graphvine.records import Claim, Row, Step, Unit
from graphvine.window import is_suspect, spans
from graphvine.workers.heartbeat import Heartbeats
from graphvine.workers.news import PIPELINE
from graphvine.workers.news.held import Held
from graphvine.workers.news.merging import ROLE, Merging
from graphvine.workers.news.passage import End, Passage
from graphvine.workers.news.runs import ProcessorRun, log, next_run_id
from graphvine.workers.news.saving import Saver
from graphvine.workers.news.settings import NewsSettings, load
from graphvine.workers.news.workshop import Workshop, open_news_embedder, open_workshop
from graphvine.workers.pipeline import Context

if TYPE_CHECKING:
    from graphvine.workers.parts.embedding import Embedder

_LOOK_UP_SECONDS = 0.1
# Other processors may take what was about to be taken; then the next of the queue are looked at.
_TRIES = 5
Tell = Callable[[str], None]


class Processor:
    """`run_once()` is one run, as each minute has it. `tell` hears of each step once it is over."""

    def __init__(
        self, graph: Graph, settings: NewsSettings | None = None, *, worker: str | None = None,
        stop: threading.Event | None = None, tell: Tell = lambda step: None,
    ) -> None:  # fmt: skip
        self._graph, self._settings, self._tell = graph, settings or load(), tell
        self._topic = self._settings.topic
        self._claims = graph.claims(PIPELINE, worker)
        self._stop = stop or threading.Event()
        self._merging = Merging(graph, self._topic, tell)
        self._take_back_at = 0
        self._embedder: Embedder | None = None
        self._embedder_opened = False
        # Seconds that articles spent in each phase, and how many did.
        self.seconds_by_phase: Counter[str] = Counter()

    def run_once(self) -> ProcessorRun:
        """Merge, take a batch from the front of the queue, work on it."""
        return asyncio.run(self._runs(1))[0]

    def run(
        self, *, until_empty: bool = False, each: Callable[[ProcessorRun], None] | None = None
    ) -> list[ProcessorRun]:
        """One run; or run after run until the queue is empty, waiting for what backs off."""
        return asyncio.run(self._runs(None if until_empty else 1, each))

    def close(self) -> None:
        if self._embedder is not None:
            self._embedder.close()

    async def _runs(self, most: int | None, each: Callable[[ProcessorRun], None] | None = None) -> list[ProcessorRun]:
        runs: list[ProcessorRun] = []
        async with aclosing(_Opener(self._graph, self._settings, self._open_embedder)) as opener:
            while not self._stop.is_set():
                run = await self._run(opener)
                runs.append(run)
                if each is not None:
                    each(run)
                if (most is not None and len(runs) >= most) or self._graph.door.paused(PIPELINE) is not None:
                    break
                if run.loaded == 0 and not await self._wait():
                    break
        return runs or [ProcessorRun(self._topic)]

    async def _run(self, opener: _Opener) -> ProcessorRun:
        began = time.monotonic()
        if self._graph.door.paused(PIPELINE) is not None:
            return ProcessorRun(self._topic, remaining=self.length())
        await asyncio.to_thread(self._take_back)
        merged = await asyncio.to_thread(self._merging.merge)
        mended = await asyncio.to_thread(self._merging.mend, merged)
        held = await asyncio.to_thread(self.load)
        self._tell("loaded")
        ends = await self._work(await opener.shop(), held) if held else Counter()
        run = ProcessorRun(
            self._topic, merged.count, merged.checkpoint, len(held),
            processed=ends.total() - ends[End.LOST] - ends[None], removed=ends[End.PROCESSED] + ends[End.FAILED],
            moved_to_end=ends[End.TAIL], failed=ends[End.FAILED], lost=ends[End.LOST], released=ends[None],
            remaining=self.length(), seconds=time.monotonic() - began, missing=merged.missing + mended.missing,
            rebuilt=mended.rebuilt, dropped=mended.dropped,
        )  # fmt: skip
        if run.loaded or run.merged or run.rebuilt or run.dropped:
            self._note(run)
        log(run)
        self._graph.door.report(
            "news_processed", topic=run.topic, loaded=run.loaded, processed=run.processed, removed=run.removed,
            moved_to_end=run.moved_to_end, remaining=run.remaining,
        )  # fmt: skip
        return run

    def _take_back(self) -> None:
        """What processors that are gone held; where one process owns the store, opening it took that back."""
        now = self._graph.clock.now_ms()
        if not self._graph.engine.capabilities.single_owner and now >= self._take_back_at:
            self._take_back_at = now + int(1000 * self._graph.settings.reclaim_seconds)
            self._graph.reap(PIPELINE)

    def load(self) -> list[Held]:
        """The first articles of the queue, now in these hands alone."""
        for _ in range(_TRIES):
            now = self._graph.clock.now_ms()
            most = self._settings.max_articles_per_run
            rows = _apart(self._graph.read(f"{ROLE}.front", topic=self._topic, now=now, limit=most))
            self._tell("front_read")
            if not rows:
                return []
            if held := self._take(rows, now):
                return held
        return []

    def length(self) -> int:
        return int(self._graph.read(f"{ROLE}.length", topic=self._topic)[0]["length"])

    def _take(self, rows: list[Row], now: int) -> list[Held]:
        token = secrets.randbits(62) | 1 << 61
        given = {"worker": self._claims.worker, "token": token, "now": now, "at": moment(now), "never": NEVER}
        steps = [Step(f"{PIPELINE}.claim", {**span, **given}) for span in spans([row["seq"] for row in rows])]
        answers = self._graph.run(Unit.of(steps)).rows
        taken = {row["seq"] for answer in answers for row in answer}
        ours = {row["key"]: row for row in rows if row["seq"] in taken}
        if not ours:
            return []
        found = self._graph.read(f"{PIPELINE}.loaded", keys=list(ours))
        claims = {
            key: Claim(
                PIPELINE, key, row["seq"], token, "processing", 0, row["retry_count"], row["lost_claims"],
                row["failure_count"],
            )
            for key, row in ours.items()
        }  # fmt: skip
        by_key = {row["id"]: Held.of(claims[row["id"]], self._topic, row) for row in found}
        return [by_key[key] for key in ours if key in by_key]

    async def _work(self, shop: Workshop, held: list[Held]) -> Counter[End | None]:
        """All of them, some at once. None stands for what was given back on a stop."""
        context = Context(self._stop)
        heartbeats = Heartbeats(self._claims, context, self._graph.settings.heartbeat_seconds)
        saver = Saver(self._graph)
        passage = Passage(self._graph, self._settings, shop, saver, self._tell, self._time_phase)
        room = asyncio.Semaphore(self._settings.concurrency)

        async def take(one: Held) -> End:
            async with room:
                end = await passage.take(one)
                heartbeats.drop([one.claim])
                return end

        heartbeats.hold(one.claim for one in held)
        with heartbeats.running():
            tasks = {asyncio.create_task(take(one)): one for one in held}
            try:
                await self._finished(tasks, context)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await saver.settled()
                left = [one for task, one in tasks.items() if task.cancelled() or task.exception() is not None]
                await asyncio.to_thread(self._release, left)
        for task in tasks:
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error  # the store itself: nothing of an article ends up here
        return Counter(
            task.result() if not task.cancelled() else End.LOST if context.lost(one.claim) else None
            for task, one in tasks.items()
        )

    async def _finished(self, tasks: dict[asyncio.Task[End], Held], context: Context) -> None:
        pending = set(tasks)
        while pending and not self._stop.is_set():
            _, pending = await asyncio.wait(pending, timeout=_LOOK_UP_SECONDS, return_when=asyncio.FIRST_EXCEPTION)
            for task in pending:
                if context.lost(tasks[task].claim):
                    task.cancel()  # its claim is another's: what it would save is not taken
            if any(task.done() and not task.cancelled() and task.exception() is not None for task in tasks):
                return

    def _release(self, held: list[Held]) -> None:
        """Give back what has no answer; what is another's by now stays there."""
        if held:
            now = self._graph.clock.now_ms()
            self._graph.run(Unit.of([one.release(now) for one in held]))

    async def _wait(self) -> bool:
        """Wait for an article that backs off. False when there is none, or it is time to stop."""
        now = self._graph.clock.now_ms()
        rows = await asyncio.to_thread(self._graph.read, f"{ROLE}.waiting", topic=self._topic, now=now)
        due = rows[0]["due"]
        if due is None:
            return False
        while (left := due - self._graph.clock.now_ms()) > 0 and not self._stop.is_set():
            await asyncio.to_thread(self._graph.clock.sleep, min(_LOOK_UP_SECONDS, left / 1000))
        return not self._stop.is_set()

    def _time_phase(self, phase: str, seconds: float) -> None:
        self.seconds_by_phase[phase] += seconds  # type: ignore[assignment]  # a Counter adds any numbers

    def _open_embedder(self) -> Embedder | None:
        """Kept from run to run: it takes half a second to open."""
        if not self._embedder_opened:
            self._embedder, self._embedder_opened = open_news_embedder(self._settings), True
        return self._embedder

    def _note(self, run: ProcessorRun) -> None:
        last = self._graph.read(f"{ROLE}.runs", topic=self._topic, limit=1)
        noted = {
            "id": next_run_id(self._topic, last), "topic": self._topic, "at": moment(self._graph.clock.now_ms()),
            "seconds": run.seconds, "loaded": run.loaded, "processed": run.processed, "removed": run.removed,
            "moved_to_end": run.moved_to_end, "remaining": run.remaining,
        }  # fmt: skip
        self._graph.run(Unit.of([Step(f"{ROLE}.note_run", noted)]))


class _Opener:
    """Opens the workshop when there is something to work on, and closes it in the end."""

    def __init__(self, graph: Graph, settings: NewsSettings, embedder: Callable[[], Embedder | None]) -> None:
        self._graph, self._settings, self._embedder = graph, settings, embedder
        self._stack = AsyncExitStack()
        self._shop: Workshop | None = None

    async def shop(self) -> Workshop:
        if self._shop is None:
            embedder = await asyncio.to_thread(self._embedder)
            opening = open_workshop(self._graph, self._settings, embedder)
            self._shop = await self._stack.enter_async_context(opening)
        return self._shop

    async def aclose(self) -> None:
        await self._stack.aclose()


def _apart(rows: list[Row]) -> list[Row]:
    """An article that has lost its processor twice is worked on alone, so that it can't take others down with it."""
    if rows and is_suspect(rows[0]):
        return rows[:1]
    return [row for row in rows if not is_suspect(row)]
