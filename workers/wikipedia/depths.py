"""Depth is the length of the shortest known way from a seed: when a shorter one is found, it is passed on."""

from __future__ import annotations

from graphvine.graph import Graph
from graphvine.records import Step, Unit

_ROWS_AT_ONCE = 20_000


def lower(graph: Graph, keys: list[str], depth: int) -> int:
    """These lie at this depth at most. Returns how many lay deeper."""
    rows = [{"key": key, "depth": depth} for key in keys]
    return _lower(graph, rows) if rows else 0


def pass_on(graph: Graph) -> int:
    """Let no article lie deeper than one step behind those that link to it. Returns how many were moved.

    Safe to be killed anywhere: each step is right by itself, and the next run goes on.
    """
    moved = 0
    while True:
        rows = [
            *graph.read("article.too_deep", limit=_ROWS_AT_ONCE),
            *graph.read("article.redirects_too_deep", limit=_ROWS_AT_ONCE),
        ]
        if not rows:
            return moved
        nearest: dict[str, int] = {}
        for row in rows:
            nearest[row["key"]] = min(row["depth"], nearest.get(row["key"], row["depth"]))
        step = _lower(graph, [{"key": key, "depth": depth} for key, depth in nearest.items()])
        if not step:
            return moved
        moved += step


def _lower(graph: Graph, rows: list[dict[str, object]]) -> int:
    result = graph.run(Unit.of([Step("article.lower_depth", {"rows": rows})]))
    lowered = len(result.rows[0])
    if lowered:
        graph.door.window("article").drop()
    return lowered
