"""Phase 0.5: what happens when a batch is done. It is called at least once, always with the same key.

A callable that returns steps has them written in the unit that marks it as done: then they take effect exactly once.
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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from graphvine.graph import Graph
from graphvine.records import Step
from graphvine.workers.scrape.batches import Batch, Result, results
from graphvine.workers.scrape.errors import HookBroken
from graphvine.workers.scrape.settings import ScrapeSettings


@dataclass(frozen=True, slots=True)
class BatchResults:
    """What a hook is given. `key` is the same for every try of one round of a batch: by it a second call is known.

    `claim` is for blocks that carry out only what belongs to a held claim (`rows.claim`).
    """

    graph: Graph
    batch: str
    key: str
    claim: int

    def items(self) -> Iterator[Result]:
        """Every page with its state, title, summary or error, in the order of arrival."""
        return results(self.graph, Batch(self.batch, self.claim))


# May be async; what it returns is None, or the steps to be written with the mark that it is done.
Hook = Callable[[BatchResults], Any]


def find_hook(given: Hook | None, settings: ScrapeSettings) -> Hook | None:
    """The callable that was given, or the one that the settings name."""
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
    """Call it once, outside the event loop's thread unless it is async; returns what it wants written."""
    if inspect.iscoroutinefunction(hook):
        wanted = await hook(batch)
    else:
        wanted = await asyncio.to_thread(hook, batch)
        if inspect.isawaitable(wanted):  # an object that is called like an async function
            wanted = await wanted
    steps = list(wanted) if wanted is not None else []
    odd = next((step for step in steps if not isinstance(step, Step)), None)
    if odd is not None:
        raise HookBroken(f"the hook returned {type(odd).__name__}: return None, or a list of Step")
    return steps


def _imported(name: str) -> Hook:
    module, _, function = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise HookBroken(f"scrape.hook: {name!r} can't be found ({error}): write package.module:function") from None
    if not callable(found):
        raise HookBroken(f"scrape.hook: {name!r} can't be called")
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
