"""Every statement of Graphvine by name, from the .cypher files beside this one, proved when they are loaded.

What the loader is made of is imported when it is used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from graphvine.queries.errors import GraphvineError, ParameterError, QueryFileError, UnknownBlock

if TYPE_CHECKING:
    from importlib.abc import Traversable
    from pathlib import Path

    from graphvine.queries.model import Block, Entity, Library, Machine, Move, Slot, State, Transition
    from graphvine.queries.parse import RawFile

__all__ = [
    "Block",
    "Entity",
    "GraphvineError",
    "Library",
    "Machine",
    "Move",
    "ParameterError",
    "QueryFileError",
    "Slot",
    "State",
    "Transition",
    "UnknownBlock",
    "library",
    "load",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from graphvine.queries import model

        return getattr(model, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def library(dialect: str = "kuzu") -> Library:
    """Every block of the package for this dialect; read and proved once."""
    return _library(dialect)


@cache
def _library(dialect: str) -> Library:
    from importlib.resources import files

    return _load(files(__name__), "queries", dialect)


def load(folder: Path, dialect: str = "kuzu") -> Library:
    """The blocks of the .cypher files in a folder, and of its sub-folder for the dialect."""
    return _load(folder, folder.name, dialect)


def _load(folder: Traversable, shown: str, dialect: str) -> Library:
    from graphvine.queries.assemble import assemble
    from graphvine.queries.model import Library

    base = _parsed(folder, shown)
    replacing = _parsed(folder / dialect, f"{shown}/{dialect}") if dialect.isidentifier() else {}
    entities: dict[str, Entity] = {}
    for name in sorted({*base, *replacing}):
        first, second = (base[name], replacing.get(name)) if name in base else (replacing[name], None)
        entity = assemble(first, second)
        if entity.name in entities:
            other = entities[entity.name].file
            raise QueryFileError(first.file, 1, f"the pipeline {entity.name!r} has a file already: {other}")
        entities[entity.name] = entity
    return Library(dialect, entities)


def _parsed(folder: Traversable, shown: str) -> dict[str, RawFile]:
    from graphvine.queries.parse import parse, read_files

    return {name: parse(text, file, name) for name, file, text in read_files(folder, shown)}
