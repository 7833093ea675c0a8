"""The graph of items as tests look at it."""

from __future__ import annotations

from typing import Any

from graphvine.graph import Graph
from graphvine.queries.compile import with_lists
from graphvine.schema.tables import tables

_ALL = 10_000_000
# What must not depend on the order of arrival. Times of the run and row numbers may.
SAME = (
    "hnId", "state", "type", "by", "time", "title", "text", "plain", "url", "score", "descendants", "parent", "poll",
    "kids", "parts", "deleted", "dead", "extra", "sourceType", "fetchedAt", "hash", "story", "wants", "failedIn", "raw",
    "last_error",
)  # fmt: skip


def row(graph: Graph, id: int) -> dict[str, Any]:
    found = graph.query("MATCH (a:HNItem {hnId: $id}) RETURN a", {"id": id}).rows
    assert len(found) == 1, f"{len(found)} items {id}"
    # Where nothing is declared, a column without a value is not there at all.
    return {name: found[0][0].get(name) for name in tables()["HNItem"].columns}


def states(graph: Graph) -> dict[int, str]:
    return dict(map(tuple, graph.query("MATCH (a:HNItem) RETURN a.hnId, a.state", max_rows=_ALL).rows))


def edges(graph: Graph, kind: str = "PARENT_OF") -> list[tuple[int, int]]:
    text = f"MATCH (a:HNItem)-[l:{kind}]->(b:HNItem) WHERE l.gone = 0 RETURN a.hnId, b.hnId"
    return sorted(map(tuple, graph.query(text, max_rows=_ALL).rows))


def whole(graph: Graph) -> tuple[dict[int, tuple[Any, ...]], list[tuple[int, int]], list[tuple[int, int]]]:
    """Everything that two graphs must share to be the same."""
    lists = tables()["HNItem"].lists  # kept by each engine in its own way
    asked = ", ".join(f"as_list(a.{name}, {lists[name]})" if name in lists else f"a.{name}" for name in SAME)
    shown = with_lists(asked, graph.engine.dialect)
    rows = graph.query(f"MATCH (a:HNItem) RETURN {shown}", max_rows=_ALL).rows
    by_id = {
        found[0]: tuple(tuple(value or ()) if name in lists else value for name, value in zip(SAME, found, strict=True))
        for found in rows
    }
    assert len(by_id) == len(rows), "an item stands there twice"
    return by_id, edges(graph), edges(graph, "OPTION_OF")
