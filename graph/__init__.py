"""Graphvine grows a knowledge graph from seeds and never loses its place.

    import graphvine

    with graphvine.open("wiki.kuzu") as graph:
        graph.seed("article", ["Vine"])
        print(graph.status())

Names are loaded when they are used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphvine.backup import restore
    from graphvine.errors import ClaimLost, GraphvineError
    from graphvine.graph import Graph, open
    from graphvine.outcomes import Done, GiveUp, Postpone, Retry
    from graphvine.queue import WorkQueueManager
    from graphvine.records import Claim, Step, Unit
    from graphvine.settings import Settings

__all__ = [
    "Claim", "ClaimLost", "Done", "GiveUp", "Graph", "GraphvineError", "Postpone", "Retry", "Settings", "Step", "Unit",
    "WorkQueueManager", "open", "restore",
]  # fmt: skip
__version__ = "0.1.0"

_HOMES = {
    "Claim": "records", "ClaimLost": "errors", "Done": "outcomes", "GiveUp": "outcomes", "Graph": "graph",
    "GraphvineError": "errors", "Postpone": "outcomes", "Retry": "outcomes",
    "Settings": "settings", "Step": "records", "Unit": "records",
    "WorkQueueManager": "queue", "open": "graph", "restore": "backup",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"graphvine.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'graphvine' has no attribute {name!r}")
