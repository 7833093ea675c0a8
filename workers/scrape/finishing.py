"""The end of a batch: it is marked as finished, then its hook runs, kill or no kill."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

from graphvine.clock import NEVER, moment
from graphvine.graph import Graph
from graphvine.records import Row, Step, Unit
from graphvine.workers.scrape import PIPELINE
from graphvine.workers.scrape.batches import Batch, counts
from graphvine.workers.scrape.errors import BatchLost
from graphvine.workers.scrape.events import ScrapeEvent
from graphvine.workers.scrape.hook import BatchResults, Hook, call
from graphvine.workers.scrape.leadership import Leadership
from graphvine.workers.scrape.settings import ScrapeSettings

_MESSAGE_CHARACTERS = 2_000


class Finishing:
    def __init__(self, graph: Graph, batch: Batch, leadership: Leadership, settings: ScrapeSettings) -> None:
        self._graph, self._batch, self._leadership, self._settings = graph, batch, leadership, settings
        self._ours: dict[str, Any] = {"batch": batch.name, "lease": leadership.lease}

    def reopen(self) -> bool:
        """A batch that was finished and has pages to work on again has another round."""
        return bool(self._run("reopen_batch", never=NEVER))

    def finish(self, hook: Hook | None) -> bool:
        """Mark the batch as finished; False when pages have come in that are not at rest."""
        row = self._row()
        if row["status"] == "finished":
            return True
        return bool(
            self._run(
                "finish_batch", batch_seq=self._batch.seq, never=NEVER, at=self._at,
                hook="pending" if hook is not None else "none",
                hook_key=f"{PIPELINE}/{self._batch.name}/{row['round']}",
            )
        )  # fmt: skip

    async def run_hook(self, hook: Hook | None, tell: Callable[[ScrapeEvent], None], stop: threading.Event) -> None:
        """Call the hook where it is due, some times at most."""
        row = await asyncio.to_thread(self._row)
        if hook is None or row["status"] != "finished" or row["hook"] not in ("pending", "failed"):
            return
        results = BatchResults(self._graph, self._batch.name, row["hook_key"], self._batch.seq)
        for attempt in range(1, self._settings.hook_tries + 1):
            try:
                steps = await self._call(hook, results)
                await asyncio.to_thread(self._done, row["hook_key"], steps)
            except BatchLost:
                raise
            except Exception as error:
                over = attempt >= self._settings.hook_tries
                await asyncio.to_thread(self._failed, row["hook_key"], error, over)
                tell(ScrapeEvent("hook_failed", self._batch.name, error=f"{type(error).__name__}: {error}"))
                if over or stop.is_set():
                    return
                await asyncio.sleep(min(self._graph.settings.backoff_seconds * 2 ** (attempt - 1), 60))
            else:
                tell(ScrapeEvent("hook_finished", self._batch.name))
                return

    def event(self) -> ScrapeEvent:
        return ScrapeEvent("batch_finished", self._batch.name, counts=counts(self._graph, self._batch))

    async def _call(self, hook: Hook, results: BatchResults) -> Sequence[Step]:
        """Call the hook while the batch is kept ours; a batch that is lost ends the waiting for it."""
        calling, beating = asyncio.create_task(call(hook, results)), asyncio.create_task(self._beat())
        try:
            await asyncio.wait({calling, beating}, return_when=asyncio.FIRST_COMPLETED)
            if beating.done():
                beating.result()  # raises
            return calling.result()
        finally:
            beating.cancel()
            calling.cancel()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._settings.manager_seconds / 4)
            await asyncio.to_thread(self._leadership.renew)

    def _done(self, key: str, steps: Sequence[Step]) -> None:
        done = Step(f"{PIPELINE}.hook_done", {**self._ours, "hook_key": key, "at": self._at})
        # What the hook wants written is written where its mark is: by the leader alone, and once.
        if not self._graph.run(Unit.of([done, *steps], if_held=True)).held:
            raise BatchLost(self._batch.name)

    def _failed(self, key: str, error: Exception, over: bool) -> None:
        said = f"{type(error).__name__}: {error}"[:_MESSAGE_CHARACTERS].encode("utf-8", "replace").decode()
        self._run("hook_failed", hook_key=key, at=self._at, error=said, hook="failed" if over else "pending")

    def _row(self) -> Row:
        return self._graph.read(f"{PIPELINE}.batch", batch=self._batch.name)[0]

    def _run(self, block: str, **given: Any) -> list[Row]:
        return self._graph.run(Unit.of([Step(f"{PIPELINE}.{block}", {**self._ours, **given})])).rows[0]

    @property
    def _at(self) -> Any:
        return moment(self._graph.clock.now_ms())
