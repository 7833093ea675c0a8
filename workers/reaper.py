"""The reaper: looks after the rows of every pipeline that no worker looks after."""

from __future__ import annotations

from graphvine.graph import Graph
from graphvine.reaper import Reaped


class Reaper:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def run_once(self) -> dict[str, Reaped]:
        """One pass over all pipelines."""
        return {pipeline: self._graph.reap(pipeline) for pipeline in self._graph.library.machines}
