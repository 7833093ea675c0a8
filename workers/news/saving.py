"""Writes what several articles have ready at the same moment in one transaction; each learns whether its claim held."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from graphvine.graph import Graph
from graphvine.records import Step, Unit
from graphvine.units import join
from graphvine.workers.news import PIPELINE

# A phase is saved while the claim is held, so before what ends the claim; the rest is carried out for what held.
_GUARDS = (
    "save_content", "save_summary", "save_sentiment", "count_timeout", "count_summary", "count_sentiment", "complete",
    "retry", "fail", "release",
)  # fmt: skip
_RANK = {f"{PIPELINE}.{name}": rank for rank, name in enumerate(_GUARDS)}


class Saver:
    """For one event loop. While a transaction is written, whatever else comes waits for the next, together."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._waiting: list[tuple[int, Sequence[Step], asyncio.Future[bool]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def save(self, seq: int, steps: Sequence[Step]) -> bool:
        """Carry out the steps of one claim. False when the claim is no longer ours: nothing was written for it."""
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((seq, steps, future))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return await asyncio.shield(future)

    async def settled(self) -> None:
        """Wait until everything is written."""
        while self._writing is not None:
            await asyncio.gather(self._writing, return_exceptions=True)

    async def _write(self) -> None:
        try:
            while self._waiting:
                group, self._waiting = self._waiting, []
                try:
                    result = await asyncio.to_thread(self._graph.run, Unit.of(_ordered(group)))
                except Exception as error:
                    for _, _, future in group:
                        future.set_exception(error)
                else:
                    for seq, _, future in group:
                        future.set_result(seq in result.held)
        finally:
            self._writing = None


def _ordered(group: Sequence[tuple[int, Sequence[Step], asyncio.Future[bool]]]) -> list[Step]:
    steps = join(step for _, several, _ in group for step in several)
    return sorted(steps, key=lambda step: _RANK.get(step.block, len(_RANK)))
