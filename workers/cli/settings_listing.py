"""Every setting of the core and of the pipelines, with its value and where that comes from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from graphvine.errors import did_you_mean
from graphvine.settings import FILE, PREFIX, Settings, describe, section
from graphvine.workers.registry import pipelines

Row = dict[str, Any]


def listing(graph: str | None) -> list[Row]:
    """One row a setting; `graph` is what --graph said."""
    rows = list(_section(Settings, None, {"graph": graph} if graph is not None else {}))
    for pipeline in pipelines().values():
        if pipeline.settings is not None:
            rows += _section(pipeline.settings(), pipeline.settings_table or pipeline.name, {})
    from graphvine.workers.serve.settings import TABLE, ServeSettings

    return [*rows, *_section(ServeSettings, TABLE, {})]


def unknown_variables(rows: Sequence[Row]) -> Iterator[str]:
    """Sentences about variables that look like settings and are none."""
    known = [row["variable"] for row in rows]
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in known:
            yield f"{name} is not a setting{did_you_mean(name, known)}"


def _section(kind: type[msgspec.Struct], table: str | None, given: dict[str, Any]) -> Iterator[Row]:
    in_file = _file().get(table, {}) if table is not None else _file()
    for row in describe(kind, section(kind, table, given)):
        name = row["name"]
        variable = f"{PREFIX}{table + '_' if table else ''}{name}".upper()
        if name in given:
            source = f"--{name}"
        elif variable in os.environ:
            source = variable
        else:
            source = FILE if name in in_file else "default"
        shown = f"{table}.{name}" if table else name
        yield {
            "name": shown, "value": row["value"], "source": source, "default": _default(row["default"]),
            "variable": variable, "help": row["help"],
        }  # fmt: skip


def _file() -> dict[str, Any]:
    import tomllib

    path = Path(FILE)
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def _default(value: Any) -> Any:
    return None if value is msgspec.NODEFAULT else value
