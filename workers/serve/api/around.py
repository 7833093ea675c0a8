"""What lies around a node, of any kind: for drawing the graph and walking it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from graphvine.schema.tables import Table, tables
from graphvine.workers.serve.answers import Json, Missing
from graphvine.workers.serve.room import Room

# Shown of a node: what is short. Vectors and long texts are for their own routes.
_LONGEST = 300
_SECONDS = 10.0
_HIDDEN = frozenset({"Receipt", "SchemaVersion"})


def router(room: Room) -> APIRouter:
    made = APIRouter(tags=["graph"])

    @made.get("/neighbourhood", summary="A node, its neighbours, and what joins them", response_model=dict[str, Any])
    def neighbourhood(
        label: Annotated[str, Query(max_length=100)], key: Annotated[str, Query(min_length=1, max_length=2_000)],
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> Json:  # fmt: skip
        return Json(around(room, label, key, limit))

    return made


def around(room: Room, label: str, key: str, limit: int) -> dict[str, Any]:
    """The node with this key, and up to `limit` relationships of it, in both directions."""
    declared = tables()
    table = declared.get(label)
    if table is None or table.kind != "NODE" or label in _HIDDEN or table.entity not in room.graph.library.entities:
        raise Missing(f"there is no kind of node {label!r}")
    value: Any = key
    if table.columns[table.key].startswith("INT"):
        if not (key.isascii() and key.isdigit() and len(key) <= 18):
            raise Missing(f"{table.key} of {label} is a whole number, not {key!r}")
        value = int(key)
    found = _rows(room, f"MATCH (n:{label}) WHERE n.{table.key} = $key RETURN {_shown('n', table)}", value, 1)
    if not found:
        raise Missing(f"there is no {label} {key!r}")
    nodes = {(label, str(value)): _node(table, found[0])}
    edges: list[dict[str, Any]] = []
    joining = [
        one for one in declared.values()
        if one.kind == "REL" and label in (one.source, one.target) and one.entity in room.graph.library.entities
    ]  # fmt: skip
    for relationship in joining:
        for outward in (True, False):
            if (relationship.source if outward else relationship.target) != label or len(edges) >= limit:
                continue
            other = declared[relationship.target if outward else relationship.source]
            where = " AND r.gone = 0" if "gone" in relationship.columns else ""
            pattern = f"(n:{label})-[r:{relationship.name}]->(m:{other.name})"
            if not outward:
                pattern = f"(m:{other.name})-[r:{relationship.name}]->(n:{label})"
            text = (
                f"MATCH {pattern} WHERE n.{table.key} = $key{where} RETURN DISTINCT {_shown('m', other)} LIMIT {limit}"
            )
            for row in _rows(room, text, value, limit - len(edges)):
                node = _node(other, row)
                nodes.setdefault((other.name, node["key"]), node)
                ends = [{"label": label, "key": str(value)}, {"label": other.name, "key": node["key"]}]
                source, target = ends if outward else reversed(ends)
                edges.append({"type": relationship.name, "source": source, "target": target})
    return {"node": nodes[label, str(value)], "nodes": list(nodes.values()), "edges": edges}


def _rows(room: Room, text: str, key: Any, most: int) -> list[dict[str, Any]]:
    return room.graph.query(text, {"key": key}, max_rows=max(most, 1), timeout_seconds=_SECONDS).as_dicts()


def _shown(name: str, table: Table) -> str:
    plain = [column for column, kind in table.columns.items() if "[" not in kind and not kind.startswith("BLOB")]
    return ", ".join(f"{name}.{column} AS {column}" for column in plain)


def _node(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    short = {name: _short(value) for name, value in row.items() if value is not None}
    name = next((str(row[c]) for c in ("title", "name", "by", "url") if row.get(c)), str(row[table.key]))
    return {"label": table.name, "key": str(row[table.key]), "name": name[:_LONGEST], "properties": short}


def _short(value: Any) -> Any:
    return value[:_LONGEST] if isinstance(value, str) else value
