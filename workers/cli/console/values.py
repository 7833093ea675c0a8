"""Values of a result as text for a cell: nodes, relationships and paths in Cypher's own drawing."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from typing import Any

from graphvine.workers.cli.output import plain

# Keys with which the engines mark nodes, relationships and paths.
_INTERNAL = {"_id", "_label", "_src", "_dst"}


def cell(value: Any) -> str:
    """The value as people read it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, dict):
        return _drawn(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_inner(item) for item in value)}]"
    return str(plain(value)) if isinstance(value, bytes) else str(value)


def field(value: Any) -> Any:
    """The value as a field of a CSV file: nothing for NULL, JSON for what has parts."""
    if value is None:
        return ""
    if isinstance(value, dict | list | tuple):
        return json.dumps(plain(value), ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str | int | float) else plain(value)


def _drawn(value: dict[str, Any]) -> str:
    if "_nodes" in value and "_rels" in value:
        return _path(value["_nodes"], value["_rels"])
    if "_label" in value:
        inside = f":{value['_label']}{_properties(value)}"
        return f"[{inside}]" if "_src" in value else f"({inside})"
    return "{" + _pairs(value) + "}"


def _path(nodes: list[dict[str, Any]], steps: list[dict[str, Any]]) -> str:
    text = _drawn(nodes[0]) if nodes else "()"
    for before, step, after in zip(nodes, steps, nodes[1:], strict=False):
        forward = step.get("_src") == before.get("_id")
        text += f"-{_drawn(step)}->{_drawn(after)}" if forward else f"<-{_drawn(step)}-{_drawn(after)}"
    return text


def _properties(value: dict[str, Any]) -> str:
    known = {name: inner for name, inner in value.items() if name not in _INTERNAL and inner is not None}
    return " {" + _pairs(known) + "}" if known else ""


def _pairs(value: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {_inner(inner)}" for name, inner in value.items())


def _inner(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else cell(value)
