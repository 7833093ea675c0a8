"""The tables of every entity, version by version, from the .cypher files beside this one."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Traversable
    from pathlib import Path

    from graphvine.schema.files import Migration, SchemaFile

__all__ = ["Migration", "load", "migrations"]


def __getattr__(name: str) -> Any:
    if name == "Migration":
        from graphvine.schema.files import Migration

        return Migration
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def migrations(dialect: str = "kuzu") -> dict[str, tuple[Migration, ...]]:
    """The migrations of each entity, entities in the order in which they are to be applied."""
    return dict(_migrations(dialect))


@cache
def _migrations(dialect: str) -> dict[str, tuple[Migration, ...]]:
    from importlib.resources import files

    return _load(files(__name__), "schema", dialect)


def load(folder: Path, dialect: str = "kuzu") -> dict[str, tuple[Migration, ...]]:
    """The migrations of a folder; a file in the dialect's sub-folder replaces the one of the same name."""
    return _load(folder, folder.name, dialect)


def _load(folder: Traversable, shown: str, dialect: str) -> dict[str, tuple[Migration, ...]]:
    from graphvine.schema.order import in_order

    found = _read(folder, shown)
    if dialect.isidentifier():
        found.update(_read(folder / dialect, f"{shown}/{dialect}"))
    return {file.entity: file.migrations for file in in_order(found.values())}


def _read(folder: Traversable, shown: str) -> dict[str, SchemaFile]:
    from graphvine.queries.parse import read_files
    from graphvine.schema.files import read_schema

    return {name: read_schema(text, file) for name, file, text in read_files(folder, shown)}
