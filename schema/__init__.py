"""The tables of every entity, version by version, from the .cypher files beside this one."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from graphvine.schema.files import Migration, SchemaFile

__all__ = ["Migration", "load", "migrations"]


def __getattr__(name: str) -> Any:
    if name == "Migration":
        from graphvine.schema.files import Migration

        return Migration
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def migrations(dialect: str = "kuzu", *folders: Path) -> dict[str, tuple[Migration, ...]]:
    """The migrations of each entity, of the package and of further folders, in the order to apply them."""
    return dict(_migrations(dialect, folders))


@cache
def _migrations(dialect: str, folders: tuple[Path, ...]) -> dict[str, tuple[Migration, ...]]:
    from importlib.resources import files

    return _load(
        [(files(__name__), "schema"), *((folder, f"{folder.parent.name}/{folder.name}") for folder in folders)], dialect
    )


def load(*folders: Path, dialect: str = "kuzu") -> dict[str, tuple[Migration, ...]]:
    """The migrations of these folders alone; a file in the dialect's sub-folder replaces the one of the same name."""
    return _load([(folder, folder.name) for folder in folders], dialect)


def _load(folders: list[tuple[Traversable, str]], dialect: str) -> dict[str, tuple[Migration, ...]]:
    from graphvine.schema.files import in_order

    found: list[SchemaFile] = []
    for folder, shown in folders:
        files = _read(folder, shown)
        if dialect.isidentifier():
            files.update(_read(folder / dialect, f"{shown}/{dialect}"))
        found += files.values()
    return {file.entity: file.migrations for file in in_order(found)}


def _read(folder: Traversable, shown: str) -> dict[str, SchemaFile]:
    from graphvine.queries.read import read_files
    from graphvine.schema.files import read_schema

    return {name: read_schema(text, file) for name, file, text in read_files(folder, shown)}
