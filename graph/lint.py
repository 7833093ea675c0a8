"""The proof of a folder of query files: the package's own, or those of a pipeline that lives elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from graphvine.queries import QueryFileError, library, load
from graphvine.queries.model import Library
from graphvine.queries.proof import problems
from graphvine.schema.tables import tables

DIALECTS = ("kuzu", "neo4j")


@dataclass(frozen=True, slots=True)
class Linted:
    """What was checked, and each fault with its file and line."""

    pipelines: tuple[str, ...]
    blocks: int
    faults: tuple[QueryFileError, ...]


def lint(folder: Path) -> Linted:
    """Prove the query files of a folder for every dialect.

    The folder holds the files themselves, or `queries/` with them; their tables stand in `schema/` beside the queries.
    """
    queries = folder / "queries" if (folder / "queries").is_dir() else folder
    names: dict[str, None] = {}
    faults: dict[str, QueryFileError] = {}
    blocks: set[str] = set()
    for dialect in DIALECTS:
        try:
            own = load(queries, dialect=dialect)
            found = problems(_whole(own), {table.name: table.columns for table in tables(*_schema(queries)).values()})
        except QueryFileError as error:
            found = [error]
        else:
            names |= dict.fromkeys(own.entities)
            blocks |= {block.full_name for entity in own.entities.values() for block in entity.blocks.values()}
        faults |= {str(error): error for error in found}
    return Linted(tuple(names), len(blocks), tuple(faults.values()))


def _whole(own: Library) -> Library:
    """With the blocks of the package that others are compiled with."""
    return Library(own.dialect, {"graph": library(own.dialect).entities["graph"], **own.entities})


def _schema(queries: Path) -> list[Path]:
    schema = queries.parent / "schema"
    is_ours = (schema / "graph.cypher").is_file() and (queries / "claimable.cypher").is_file()
    is_ours = is_ours or schema.resolve() == Path(str(files("graphvine.schema"))).resolve()
    return [schema] if schema.is_dir() and not is_ours else []
