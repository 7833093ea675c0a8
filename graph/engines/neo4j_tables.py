"""What is in a Neo4j database, as tables: those that the schema files declare, and what else is found there."""

from __future__ import annotations

from graphvine.engines.protocol import Engine
from graphvine.records import TableInfo
from graphvine.schema.tables import tables as declared_tables

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
    for name, table in declared_tables().items():
        if table.entity not in engine.library.entities:
            continue
        columns = list(table.columns.items())
        more = [(column, kind) for column, kind in seen.pop(name, []) if column not in table.columns]
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
