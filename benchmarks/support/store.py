"""Stores full of articles, made once by the engine's bulk load and copied for each run."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from support.cache import cached, copy_folder
from support.contender import Unavailable

FILE = "graph.kuzu"
PACKAGES = {"kuzu": "kuzu", "ladybug": "ladybug"}
_ROWS_OF_A_LOAD = 1_000_000


def article_columns(numbers: range) -> dict[str, list[Any]]:
    """Articles that wait to be claimed, as growth breadth first leaves them: depth rises with the number."""
    rows = len(numbers)
    return {
        "title": [f"Article {number}" for number in numbers],
        "expansion_state": ["discovered"] * rows,
        "expansion_depth": [len(str(number)) - 1 for number in numbers],
        "retry_count": [0] * rows,
        "seq": list(numbers),
        "due": [0] * rows,
        "lease": [0] * rows,
        "lost_claims": [0] * rows,
        "failure_count": [0] * rows,
    }


def where_of(engine: str, folder: Path) -> str:
    """What graphvine.open takes for the store in this folder."""
    path = str(folder / FILE)
    return path if engine == "kuzu" else f"{engine}:{path}"


def fill(where: str, rows: int) -> None:
    """Load the articles into an empty store; one that holds articles already is refused."""
    import graphvine

    with graphvine.open(where) as graph:
        present = sum(status.total for status in graph.status())
        if present:
            raise Unavailable(f"{where} holds {present} rows already: the benchmark wants an empty store")
        for first in range(1, rows + 1, _ROWS_OF_A_LOAD):  # one load of ten million would need a pool of several GB
            graph.engine.bulk_load("Article", article_columns(range(first, min(first + _ROWS_OF_A_LOAD, rows + 1))))


def empty(where: str) -> None:
    """Take out what an earlier fill put into a server."""
    import graphvine

    with graphvine.open(where) as graph:
        graph.execute("MATCH (a:Article) CALL (a) { DETACH DELETE a } IN TRANSACTIONS OF 10000 ROWS")


def fresh_store(engine: str, rows: int, folder: Path) -> str:
    """Put a copy of a store with `rows` articles into `folder`; what graphvine.open takes for it."""
    try:
        release = version(PACKAGES[engine])
    except ModuleNotFoundError:
        raise Unavailable(f"{engine} not measured: pip install 'graphvine[{engine}]'") from None
    name = f"articles-{engine}-{release}-{schema_hash()}-{rows}"
    copy_folder(cached(name, lambda building: fill(where_of(engine, building), rows)), folder)
    return where_of(engine, folder)


def schema_hash() -> str:
    """Names the cached stores, so that a change of the schema makes new ones."""
    digest = hashlib.sha256()
    for file in sorted(files("graphvine.schema").iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".cypher"):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
