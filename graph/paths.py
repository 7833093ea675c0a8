"""The shortest way between two nodes of a kind, along the relationships that the kind has among its own."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from graphvine.communities import kinds
from graphvine.neighbourhood import NoSuchNode, around
from graphvine.pipelines import tables

if TYPE_CHECKING:
    from graphvine.graph import Graph

LONGEST = 8
_SECONDS = 10.0


def shortest(graph: Graph, label: str, key: str, to: str) -> dict[str, Any]:
    """The nodes from one to the other, in order, and what joins each to the next; neither where there is no way."""
    known = kinds(graph)
    if label not in known:
        raise NoSuchNode(f"no kind of row {label!r} is joined among its own: there are {', '.join(known)}")
    machine, relations = known[label]
    for one in (key, to):
        around(graph, label, one, 1)  # refuses a key that is not there
    is_number = tables(graph.library)[label].columns[machine.key].startswith("INT")
    first, last = (int(one) if is_number else one for one in (key, to))
    names = "|".join(one.name for one in relations)
    found = [first] if first == last else _keys(graph, label, machine.key, names, first, last)
    joined = _edges(graph, label, machine.key, names, found)
    nodes = [around(graph, label, str(one), 1)["node"] for one in found]
    edges = [edge for pair in pairwise(found) for edge in joined if {*pair} == {edge[1], edge[2]}]
    return {
        "nodes": nodes,
        "edges": [
            {"type": name, "source": {"label": label, "key": str(one)}, "target": {"label": label, "key": str(other)}}
            for name, one, other in edges
        ],
    }


def _keys(graph: Graph, label: str, key: str, names: str, first: Any, last: Any) -> list[Any]:
    a, b = f"(a:{label} {{{key}: $first}})", f"(b:{label} {{{key}: $last}})"
    if graph.engine.dialect == "kuzu":
        holds = "(r, n | WHERE r.gone IS NULL OR r.gone = 0)"
        text = (
            f"MATCH p = {a}-[:{names}* SHORTEST 1..{LONGEST} {holds}]-{b} RETURN properties(nodes(p), '{key}') LIMIT 1"
        )
    else:
        holds = "all(r IN relationships(p) WHERE r.gone IS NULL OR r.gone = 0)"
        text = (
            f"MATCH p = shortestPath({a}-[:{names}*..{LONGEST}]-{b}) WHERE {holds}"
            f" RETURN [n IN nodes(p) | n.{key}] LIMIT 1"
        )
    rows = graph.query(text, {"first": first, "last": last}, max_rows=1, timeout_seconds=_SECONDS, isolated=True).rows
    return list(rows[0][0]) if rows else []


def _edges(graph: Graph, label: str, key: str, names: str, keys: list[Any]) -> list[tuple[str, Any, Any]]:
    """What joins these rows, each kind once for two of them."""
    kind = "label(r)" if graph.engine.dialect == "kuzu" else "type(r)"
    text = (
        f"MATCH (a:{label})-[r:{names}]->(b:{label}) WHERE a.{key} IN $keys AND b.{key} IN $keys"
        f" AND (r.gone IS NULL OR r.gone = 0) RETURN DISTINCT {kind}, a.{key}, b.{key}"
    )
    if len(keys) < 2:
        return []
    rows = graph.query(text, {"keys": keys}, max_rows=1_000, timeout_seconds=_SECONDS, isolated=True).rows
    return sorted((str(row[0]), row[1], row[2]) for row in rows)
