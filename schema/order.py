"""The order in which entities get their tables: `graph` first, then by name, each after those it names."""

from __future__ import annotations

from collections.abc import Iterable

from graphvine.queries.errors import QueryFileError, did_you_mean, shorten
from graphvine.schema.files import SchemaFile

FIRST = "graph"


def in_order(files: Iterable[SchemaFile]) -> list[SchemaFile]:
    """Sort files; QueryFileError when an entity is there twice, waits for a stranger, or for itself."""
    known: dict[str, SchemaFile] = {}
    for file in files:
        if file.entity in known:
            other = known[file.entity].file
            raise QueryFileError(file.file, file.line, f"entity {file.entity!r} has a file already: {other}")
        known[file.entity] = file
    for file in known.values():
        for other, line in file.after.items():
            if other not in known:
                hint = did_you_mean(other, known)
                raise QueryFileError(file.file, line, f"`// after: {shorten(other)}` names no entity{hint}")
    waiting = sorted(known.values(), key=lambda file: (file.entity != FIRST, file.entity))
    done: dict[str, SchemaFile] = {}
    while waiting:
        free = next((file for file in waiting if file.after.keys() <= done.keys()), None)
        if free is None:
            stuck = waiting[0]
            circle = ", ".join(file.entity for file in waiting)
            line = max(stuck.after.values())
            message = f"these entities wait for each other: {circle}; take out an `// after:`"
            raise QueryFileError(stuck.file, line, message)
        waiting.remove(free)
        done[free.entity] = free
    return list(done.values())
