"""What lies around a node, of any kind: for drawing and walking the graph, and for MCP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from graphvine.errors import GraphvineError
from graphvine.pipelines import tables
from graphvine.schema.tables import Table

if TYPE_CHECKING:
    from graphvine.graph import Graph

# Shown of a node: what is short. Vectors and long texts are for their own routes.
_LONGEST = 300
_SECONDS = 10.0
_HIDDEN = frozenset({"Receipt", "SchemaVersion"})
_NAMES = ("title", "name", "by", "url", "path", "message")
_ALIAS = "shown_"
_NEO4J = ("|", "type(r)", "labels(m)[0]")
# Of neighbours: name and state.
_WORTH = frozenset({*_NAMES, "expansion_state", "expansion_depth", "state", "type", "score", "kind", "status"})


class NoSuchNode(GraphvineError):
    """There is no node of this kind with this key, or no such kind."""


def around(graph: Graph, label: str, key: str, limit: int) -> dict[str, Any]:
    """The node with this key, and up to `limit` relationships of it, in both directions."""
    declared = tables(graph.library)
    table = declared.get(label)
    if table is None or table.kind != "NODE" or label in _HIDDEN or table.entity not in graph.library.entities:
        raise NoSuchNode(f"there is no kind of node {label!r}")
    value: Any = key
    if table.columns[table.key].startswith("INT"):
        if not (key.isascii() and key.isdigit() and len(key) <= 18):
            raise NoSuchNode(f"{table.key} of {label} is a whole number, not {key!r}")
        value = int(key)
    shown = [column for column, kind in table.columns.items() if "[" not in kind and kind != "BLOB"]
    columns = ", ".join(f"n.{column}" for column in shown)
    found = _rows(graph, f"MATCH (n:{label} {{{table.key}: $key}}) RETURN {columns}", value, 1)
    if not found:
        raise NoSuchNode(f"there is no {label} {key!r}")
    nodes = {(label, str(value)): _node(table, dict(zip(shown, found[0], strict=True)))}
    edges: list[dict[str, Any]] = []
    outgoing, incoming = (list(_beside(graph, table, value, outward, limit)) for outward in (True, False))
    # Where there are too many, neither direction crowds out the other.
    outgoing = outgoing[: max(limit - len(incoming), (limit + 1) // 2)]
    for outward, beside in ((True, outgoing), (False, incoming[: limit - len(outgoing)])):
        for name, node in beside:
            nodes.setdefault((node["label"], node["key"]), node)
            ends = [{"label": label, "key": str(value)}, {"label": node["label"], "key": node["key"]}]
            source, target = ends if outward else reversed(ends)
            edges.append({"type": name, "source": source, "target": target})
    degree = [one for outward in (True, False) for one in _degree(graph, table, value, outward)]
    return {"node": nodes[label, str(value)], "nodes": list(nodes.values()), "edges": edges, "degree": degree}


def _degree(graph: Graph, table: Table, key: Any, outward: bool) -> Iterator[dict[str, Any]]:
    """How many relationships of each kind a node has in one direction, however many are listed."""
    joining = _joining(graph, table, outward)
    if not joining:
        return
    kind = "label(r)" if graph.engine.dialect == "kuzu" else "type(r)"
    names, holds = "|".join(one.name for one in joining), _holds(joining)
    way = f"-[r:{names}]->" if outward else f"<-[r:{names}]-"
    node = f"(n:{table.name} {{{table.key}: $key}})"
    text = f"MATCH {node}{way}(m){holds} RETURN {kind} AS how, count(*) AS many ORDER BY how"
    for name, many in _rows(graph, text, key, len(joining)):
        yield {"type": name, "outward": outward, "count": many}


def _joining(graph: Graph, table: Table, outward: bool) -> list[Table]:
    return [
        one for one in tables(graph.library).values()
        if one.kind == "REL" and (one.source if outward else one.target) == table.name
        and one.entity in graph.library.entities
    ]  # fmt: skip


def _holds(joining: list[Table]) -> str:
    return " WHERE (r.gone IS NULL OR r.gone = 0)" if any("gone" in one.columns for one in joining) else ""


def _beside(graph: Graph, table: Table, key: Any, outward: bool, most: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is joined to a node in one direction: the relationship's name, and the other node."""
    declared, joining = tables(graph.library), _joining(graph, table, outward)
    others = {
        (one.target if outward else one.source): declared[one.target if outward else one.source] for one in joining
    }
    if not others:
        return
    columns = _common(list(others.values()))
    names = "|".join(one.name for one in joining)
    way = f"-[r:{names}]->" if outward else f"<-[r:{names}]-"
    holds = _holds(joining)
    # In Kuzu `m:A:B` is either of the two, and a label has one name.
    bar, kind, label_of = (":", "label(r)", "label(m)") if graph.engine.dialect == "kuzu" else _NEO4J
    returned = ", ".join(f"m.{column} AS {_ALIAS}{place}" for place, column in enumerate(columns))
    keys = {one.key for one in others.values()}
    # In one order, whatever order the engine's threads find them in: a drawing stays as it is when drawn again.
    order = ["how", "what", *(f"{_ALIAS}{place}" for place, column in enumerate(columns) if column in keys)]
    text = (
        f"MATCH (n:{table.name} {{{table.key}: $key}}){way}(m:{bar.join(others)}){holds}"
        f" RETURN DISTINCT {kind} AS how, {label_of} AS what, {returned} ORDER BY {', '.join(order)} LIMIT {most}"
    )
    for name, label, *values in _rows(graph, text, key, most):
        yield name, _node(others[label], dict(zip(columns, values, strict=True)))


def _common(others: list[Table]) -> list[str]:
    """Keys and what is worth showing, of several kinds of nodes; a name that means two things is left out."""
    kinds: dict[str, set[str]] = {}
    for table in others:
        for column, kind in table.columns.items():
            if column == table.key or column in _WORTH:
                kinds.setdefault(column, set()).add(kind)
    keys = {table.key for table in others}
    return sorted(column for column, found in kinds.items() if len(found) == 1 or column in keys)


def _rows(graph: Graph, text: str, key: Any, most: int) -> list[list[Any]]:
    look_up = getattr(graph.engine, "look_up", None)  # prepared once: a quarter of what a typed query costs
    if look_up is not None:
        rows: list[list[Any]] = look_up(text, key)
        return rows
    return graph.query(text, {"key": key}, max_rows=max(most, 1), timeout_seconds=_SECONDS).rows


def _node(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    short = {name: _short(value) for name, value in row.items() if value is not None}
    name = next((str(row[c]) for c in _NAMES if row.get(c)), str(row[table.key]))
    return {"label": table.name, "key": str(row[table.key]), "name": name[:_LONGEST], "properties": short}


def _short(value: Any) -> Any:
    return value[:_LONGEST] if isinstance(value, str) else value
