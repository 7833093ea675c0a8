"""Every setting of the core and of the pipelines, with its value and where that comes from; and changing one."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from graphvine.errors import SettingsError, did_you_mean
from graphvine.settings import FILE, PREFIX, Settings, checked, describe, section
from graphvine.workers.registry import pipelines

Row = dict[str, Any]


def listing(graph: str | None) -> list[Row]:
    """One row a setting; `graph` is what --graph said."""
    rows: list[Row] = []
    for kind, table in _kinds():
        rows += _section(kind, table, {"graph": graph} if graph is not None and table is None else {})
    return rows


def _kinds() -> Iterator[tuple[type[msgspec.Struct], str | None]]:
    """Every class of settings with its table in graphvine.toml; the core has none."""
    from graphvine.engines.http.engine import HttpSettings
    from graphvine.engines.neo4j.address import Neo4jSettings
    from graphvine.workers.search.settings import TABLE as SEARCH
    from graphvine.workers.search.settings import SearchSettings
    from graphvine.workers.serve.settings import TABLE, ServeSettings

    yield Settings, None
    for pipeline in pipelines().values():
        if pipeline.settings is not None:
            yield pipeline.settings(), pipeline.settings_table or pipeline.name
    yield from ((SearchSettings, SEARCH), (ServeSettings, TABLE), (Neo4jSettings, "neo4j"), (HttpSettings, "http"))


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
    path = Path(FILE)
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def _default(value: Any) -> Any:
    return None if value is msgspec.NODEFAULT else value


def chosen(rows: list[Row], names: Sequence[str], *, changed: bool) -> list[Row]:
    """Those of these names, or of these tables; with `changed` those that are not the default."""
    known = [row["name"] for row in rows]
    for name in names:
        if name not in known and not any(one.startswith(f"{name}.") for one in known):
            raise SettingsError(f"there is no setting {name!r}{did_you_mean(name, known)}")
    return [
        row for row in rows
        if (not names or any(row["name"] == name or row["name"].startswith(f"{name}.") for name in names))
        and (not changed or row["source"] != "default")
    ]  # fmt: skip


def change(name: str, text: str | None) -> Any:
    """Write a setting into graphvine.toml, or take it out (None). Returns the value as it is checked."""
    rows = listing(None)
    chosen(rows, [name], changed=False)
    if name not in [row["name"] for row in rows]:
        raise SettingsError(f"{name!r} is a table of settings: name one of them, such as {name}.{'...'}")
    table, _, short = name.rpartition(".")
    value = None
    if text is not None:
        kind = next(kind for kind, found in _kinds() if (found or "") == table)
        value = checked(kind, short, _read(text), "the command", strict=False)
    path = Path(FILE)
    old = path.read_text("utf-8") if path.exists() else ""
    new = _edited(old, table, short, None if text is None else _toml(value))
    tomllib.loads(new)
    part = path.with_name(f".{FILE}.part")
    part.write_text(new, "utf-8")
    part.replace(path)
    return value


def _read(text: str) -> Any:
    """A list or a table is written as JSON; anything else is taken as it is."""
    if text[:1] in "[{" and text:
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(inner)}" for name, inner in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _edited(text: str, table: str, name: str, value: str | None) -> str:
    """The file with this one line changed, added or taken out; the rest stays as somebody wrote it."""
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if line.lstrip().startswith("[")]
    first, last = 0, heads[0] if heads else len(lines)
    if table:
        at = next(
            (
                number
                for number in heads
                if re.fullmatch(rf"\[\s*{re.escape(table)}\s*\]\s*(#.*)?", lines[number].strip())
            ),
            None,
        )
        if at is None:
            if value is None:
                return text
            return "\n".join([*lines, *([""] if lines else []), f"[{table}]", f"{name} = {value}"]) + "\n"
        first, last = at + 1, next((number for number in heads if number > at), len(lines))
    found = [n for n in range(first, last) if re.match(rf"\s*{re.escape(name)}\s*=", lines[n])]
    if found:
        lines[found[0] : found[0] + 1] = [] if value is None else [f"{name} = {value}"]
    elif value is not None:
        while last > first and not lines[last - 1].strip():
            last -= 1
        lines.insert(last, f"{name} = {value}")
    return "\n".join(lines) + "\n" if lines else ""
