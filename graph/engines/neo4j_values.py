"""Values of Neo4j in the shapes that every engine gives: times aware and in UTC, nodes as dictionaries."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from graphvine.records import Row

_PLAIN = (str, int, float, bool, bytes, type(None))


def plain(value: Any) -> Any:
    """The same value on every engine."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return _of_the_driver(value)


def rows_of(names: list[str], lists: list[list[Any]]) -> list[Row]:
    """Rows from the list of lists in which they travelled."""
    simple = all(isinstance(value, _PLAIN) for row in lists for value in row)
    if simple:
        return [dict(zip(names, row, strict=True)) for row in lists]
    return [{name: plain(value) for name, value in zip(names, row, strict=True)} for row in lists]


def _of_the_driver(value: Any) -> Any:
    from neo4j.graph import Node, Path, Relationship
    from neo4j.time import Date, DateTime, Duration, Time

    if isinstance(value, DateTime):
        native = value.to_native()
        return native.replace(tzinfo=UTC) if native.tzinfo is None else native.astimezone(UTC)
    if isinstance(value, Date | Time):
        return value.to_native()
    if isinstance(value, Duration):
        return value.iso_format()
    if isinstance(value, Node):
        return {"_id": value.element_id, "_label": ":".join(sorted(value.labels)), **plain(dict(value.items()))}
    if isinstance(value, Relationship):
        ends = {"_src": _id(value.start_node), "_dst": _id(value.end_node)}
        return {**ends, "_label": value.type, "_id": value.element_id, **plain(dict(value.items()))}
    if isinstance(value, Path):
        return {"_nodes": [plain(node) for node in value.nodes], "_rels": [plain(one) for one in value.relationships]}
    return str(value)


def _id(node: Any) -> str | None:
    return None if node is None else str(node.element_id)
