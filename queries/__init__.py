"""Every statement of Graphvine by name, from the .cypher files beside this one.

What the loader is made of is imported when it is used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from graphvine.queries.errors import GraphvineError, ParameterError, QueryFileError, UnknownBlock

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
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


# The file of the blocks that every pipeline has.
SHARED = "claimable"


def __getattr__(name: str) -> Any:
    if name in __all__:
        from graphvine.queries import model

        return getattr(model, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def library(dialect: str = "kuzu", *folders: Path) -> Library:
    """Every block of the package for this dialect, and of further folders; read once."""
    return _library(dialect, folders)


@cache
def _library(dialect: str, folders: tuple[Path, ...]) -> Library:
    from dataclasses import replace
    from importlib.resources import files

    from graphvine.queries.library_cache import cached

    named = [(files(__name__), "queries"), *((folder, f"{folder.parent.name}/{folder.name}") for folder in folders)]
    return replace(cached(named, dialect, lambda: _load(named, dialect)), folders=folders)


def load(*folders: Path, dialect: str = "kuzu", contract: bool = True) -> Library:
    """The blocks of the .cypher files in these folders alone, and of their sub-folders for the dialect.

    The shared blocks of the claim contract come from the package, as for its own files. Without the contract the files
    are taken as they are: nothing is shared, and nothing missed.
    """
    return _load([(folder, folder.name) for folder in folders], dialect, contract)


def _load(folders: list[tuple[Traversable, str]], dialect: str, contract: bool = True) -> Library:
    from graphvine.queries.assemble import assemble
    from graphvine.queries.model import Library

    shared = _shared(dialect) if contract else []
    entities: dict[str, Entity] = {}
    for folder, shown in folders:
        base = _parsed(folder, shown)
        replacing = _parsed(folder / dialect, f"{shown}/{dialect}") if dialect.isidentifier() else {}
        for name in sorted({*base, *replacing}):
            first, second = (base[name], replacing.get(name)) if name in base else (replacing[name], None)
            entity = assemble(first, second, shared)
            if entity.name in entities:
                other = entities[entity.name].file
                raise QueryFileError(first.file, 1, f"the pipeline {entity.name!r} has a file already: {other}")
            entities[entity.name] = entity
    return Library(dialect, entities)


@cache
def _shared(dialect: str) -> list[RawFile]:
    """The blocks that every pipeline has, for all engines and for this dialect."""
    from importlib.resources import files

    from graphvine.queries.parse import parse
    from graphvine.queries.read import decode

    own = files(__name__)
    found = []
    for folder, shown in ((own, "queries"), (own / dialect, f"queries/{dialect}")):
        source, file = folder / f"{SHARED}.cypher", f"{shown}/{SHARED}.cypher"
        if source.is_file():
            found.append(parse(decode(source.read_bytes(), file), file, SHARED, shared=True))
    return found


def _parsed(folder: Traversable, shown: str) -> dict[str, RawFile]:
    from graphvine.queries.parse import parse
    from graphvine.queries.read import read_files

    found = read_files(folder, shown)
    return {name: parse(text, file, name) for name, file, text in found if name != SHARED}
