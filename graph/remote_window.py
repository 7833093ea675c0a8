"""What comes next in a queue, where another process owns the store: that one knows, and is asked."""

from __future__ import annotations

from collections.abc import Collection

from graphvine.engines.protocol import ServedEngine
from graphvine.errors import GraphvineError
from graphvine.records import Row


class RemoteWindows:
    def __init__(self, engine: ServedEngine, pipeline: str) -> None:
        self._engine, self._pipeline = engine, pipeline

    def take(
        self, count: int, now: int, states: Collection[str] | None = None, max_depth: int | None = None
    ) -> list[Row]:
        raise GraphvineError("rows are chosen by the process that serves the graph: claim them")

    def offer(self, rows: list[Row], now: int) -> None:
        """The process that wrote them knows."""

    def tried(self, asked: list[Row], taken: Collection[int]) -> None:
        """It knows that too."""

    def drop(self) -> None:
        self._engine.forget(self._pipeline)

    def next_due(self, now: int, states: Collection[str] | None = None) -> int | None:
        """When a row that is backing off comes due; None when none is."""
        return self._engine.next_due(self._pipeline, now, states)
