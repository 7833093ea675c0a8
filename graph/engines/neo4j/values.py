"""Values and tables of Neo4j in the shapes that every engine gives: aware UTC times, nodes as dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from graphvine.engines.protocol import Engine
from graphvine.pipelines import tables as declared_tables
from graphvine.records import Row, TableInfo

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


def rows_of(names: Sequence[str], lists: list[list[Any]]) -> list[Row]:
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


# There is no list of columns to ask for, and looking at every node would take as long as the graph is large.
_LOOKED_AT = 200
# What the engine keeps for itself.
OWN_PROPERTY, OWN_LABEL = "lock", "Lock"


def tables(engine: Engine) -> list[TableInfo]:
    """Declared tables with their declared columns, there or not; then what others have put into the database."""
    labels = _column(engine, "CALL db.labels() YIELD label RETURN label")
    types = _column(engine, "CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType")
    found = {name: ("NODE", f"(n:{quoted(name)})") for name in labels if name != OWN_LABEL}
    found |= {name: ("REL", f"()-[n:{quoted(name)}]->()") for name in types}
    seen = {name: _properties(engine, pattern) for name, (_, pattern) in found.items()}
    infos = []
    for name, table in declared_tables(engine.library).items():
        if table.entity not in engine.library.entities:
            continue
        columns = list(table.values.items())
        more = [(column, kind) for column, kind in seen.pop(name, []) if column not in table.values]
        infos.append(TableInfo(name, table.kind, columns + more))
    infos += [TableInfo(name, found[name][0], columns) for name, columns in seen.items()]
    return sorted(infos, key=lambda info: info.name)


def quoted(name: str) -> str:
    """A name that stands in a statement as itself, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def _properties(engine: Engine, pattern: str) -> list[tuple[str, str]]:
    text = (
        f"MATCH {pattern} WITH n LIMIT {_LOOKED_AT} UNWIND keys(n) AS name WITH name, n[name] AS value"
        " RETURN name, head(collect(valueType(value))) AS type ORDER BY name"
    )
    rows = engine.query(text, {}, max_rows=None, timeout_seconds=None).rows
    return [(name, str(kind).removesuffix(" NOT NULL")) for name, kind in rows if name != OWN_PROPERTY]


def _column(engine: Engine, text: str) -> list[str]:
    return [row[0] for row in engine.query(text, {}, max_rows=None, timeout_seconds=None).rows]
