"""Finishes a batch and calls its hook (phase 0.5): at least once, always with the same key.

The steps that a hook returns are written in the transaction that marks it as done: they take effect exactly once.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from graphvine.clock import NEVER, moment
from graphvine.failures import backoff, clean_text
from graphvine.graph import Graph
from graphvine.records import Row, Step, Unit
from graphvine.workers.scrape import NAME
from graphvine.workers.scrape.batches import Batch, BatchLease, Result, counts, results
from graphvine.workers.scrape.errors import BatchLost, HookBroken
from graphvine.workers.scrape.events import ScrapeEvent
from graphvine.workers.scrape.settings import ScrapeSettings


@dataclass(frozen=True, slots=True)
class BatchResults:
    """The argument of a hook. `key` is the same for every attempt in one round of a batch: it is an idempotency key.

    `claim` is for blocks that are carried out for held claims only (`rows.claim`).
    """

    graph: Graph
    batch: str
    key: str
    claim: int

    def items(self) -> Iterator[Result]:
        """Every page with its state, title, summary or error, in the order of arrival."""
        return results(self.graph, Batch(self.batch, self.claim))


# May be async; it returns None, or steps that are written together with the mark that it is done.
Hook = Callable[[BatchResults], Any]


def find_hook(given: Hook | None, settings: ScrapeSettings) -> Hook | None:
    """The hook that was passed, or the one in the settings."""
    if given is not None:
        return given
    if settings.hook and settings.hook_command:
        raise HookBroken("scrape.hook and scrape.hook_command are both set: choose one")
    if settings.hook:
        return _imported(settings.hook)
    if settings.hook_command:
        words = shlex.split(settings.hook_command)
        return _Command(words, settings.hook_seconds) if words else None
    return None


async def call(hook: Hook, batch: BatchResults) -> Sequence[Step]:
    """Call a hook, outside the event loop's thread unless it is async; returns the steps to be written."""
    if inspect.iscoroutinefunction(hook):
        returned = await hook(batch)
    else:
        returned = await asyncio.to_thread(hook, batch)
        if inspect.isawaitable(returned):  # an object that is called like an async function
            returned = await returned
    steps = list(returned) if returned is not None else []
    odd = next((step for step in steps if not isinstance(step, Step)), None)
    if odd is not None:
        raise HookBroken(f"the hook returned {type(odd).__name__}: return None, or a list of Step")
    return steps


def _imported(name: str) -> Hook:
    module, _, function = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise HookBroken(f"scrape.hook: {name!r} can't be imported ({error}): write package.module:function") from None
    if not callable(found):
        raise HookBroken(f"scrape.hook: {name!r} is not callable")
    hook: Hook = found
    return hook


class _Command:
    """A program that gets the results as JSON lines, and the key in GRAPHVINE_HOOK_KEY."""

    def __init__(self, words: list[str], seconds: float) -> None:
        self._words, self._seconds = words, seconds

    def __call__(self, batch: BatchResults) -> None:
        lines = "".join(json.dumps(asdict(result), ensure_ascii=False) + "\n" for result in batch.items())
        environment = {**os.environ, "GRAPHVINE_HOOK_KEY": batch.key, "GRAPHVINE_HOOK_BATCH": batch.batch}
        try:
            done = subprocess.run(
                self._words, input=lines.encode(), env=environment, timeout=self._seconds, check=False,
                stdout=sys.stderr.fileno(),  # our own standard output may be read by a program
            )  # fmt: skip
        except FileNotFoundError:
            raise HookBroken(f"scrape.hook_command: there is no program {self._words[0]!r}") from None
        except subprocess.TimeoutExpired:
            raise HookBroken(f"scrape.hook_command did not end within {self._seconds:g} s") from None
        if done.returncode != 0:
            raise HookBroken(f"scrape.hook_command ended with status {done.returncode}")


class BatchEnd:
    """The end of a batch: marked as finished under the manager's lease, then the hook."""

    def __init__(self, graph: Graph, batch: Batch, lease: BatchLease, settings: ScrapeSettings) -> None:
        self._graph, self._batch, self._lease, self._settings = graph, batch, lease, settings
        self._ours: dict[str, Any] = {"batch": batch.name, "lease": lease.token}

    def reopen(self) -> bool:
        """Start another round of a finished batch that has pages to work on again."""
        return bool(self._run("reopen_batch", never=NEVER))

    def finish(self, hook: Hook | None) -> bool:
        """Mark the batch as finished; False when pages were added that are not."""
        row = self._row()
        if row["status"] == "finished":
            return True
        return bool(
            self._run(
                "finish_batch", batch_seq=self._batch.seq, never=NEVER, at=self._at,
                hook="pending" if hook is not None else "none",
                hook_key=f"{NAME}/{self._batch.name}/{row['round']}",
            )
        )  # fmt: skip

    async def run_hook(self, hook: Hook | None, emit: Callable[[ScrapeEvent], None], stop: threading.Event) -> None:
        """Call the hook if it is due, up to `hook_tries` times."""
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
                emit(ScrapeEvent("hook_failed", self._batch.name, error=f"{type(error).__name__}: {error}"))
                if over or stop.is_set():
                    return
                await asyncio.sleep(min(backoff(self._graph.settings, attempt), 60))
            else:
                emit(ScrapeEvent("hook_finished", self._batch.name))
                return

    def event(self) -> ScrapeEvent:
        return ScrapeEvent("batch_finished", self._batch.name, counts=counts(self._graph, self._batch))

    async def _call(self, hook: Hook, results: BatchResults) -> Sequence[Step]:
        """Call the hook while the lease is renewed; BatchLost when it is not ours any longer."""
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
            await asyncio.to_thread(self._lease.renew)

    def _done(self, key: str, steps: Sequence[Step]) -> None:
        done = Step(f"{NAME}.hook_done", {**self._ours, "hook_key": key, "at": self._at})
        # The steps of the hook are written together with its mark: by the manager with the lease, and once.
        if not self._graph.run(Unit.of([done, *steps], if_held=True)).held:
            raise BatchLost(self._batch.name)

    def _failed(self, key: str, error: Exception, over: bool) -> None:
        message = clean_text(f"{type(error).__name__}: {error}")
        self._run("hook_failed", hook_key=key, at=self._at, error=message, hook="failed" if over else "pending")

    def _row(self) -> Row:
        return self._graph.read(f"{NAME}.batch", batch=self._batch.name)[0]

    def _run(self, block: str, **given: Any) -> list[Row]:
        return self._graph.run(Unit.of([Step(f"{NAME}.{block}", {**self._ours, **given})])).rows[0]

    @property
    def _at(self) -> Any:
        return moment(self._graph.clock.now_ms())
