"""A block that lacks a hint is refused, and so is one that can't bear it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from graphvine.queries import Block, Entity, Library, QueryFileError, library
from graphvine.queries.proof.hints import prove_hints
from graphvine.schema.tables import tables

COLUMNS = {table.name: table.columns for table in tables().values()}
EMPTY: dict[str, Any] = {"by": (), "table": "", "literals": (), "floors": ()}


def hinted() -> Iterator[Any]:
    """Each block with each of its hints, in the dialects in which it stands."""
    for entity in library().entities.values():
        for block in entity.blocks.values():
            for hint in EMPTY:
                if getattr(block, hint):
                    yield pytest.param(block, hint, id=f"{block.full_name}-{hint}")


def refused(block: Block, dialect: str) -> bool:
    whole = library(dialect)
    entity = whole.entities[block.entity]
    blocks = {**entity.blocks, block.name: block}
    changed = Library(
        dialect, {**whole.entities, entity.name: Entity(entity.name, entity.file, blocks, entity.machine)}
    )
    try:
        prove_hints(block, changed, COLUMNS)
    except QueryFileError as error:
        return (error.file, error.line) == (block.file, block.line)
    return False


@pytest.mark.parametrize(("block", "hint"), list(hinted()))
def test_no_hint_can_be_left_out(block: Block, hint: str) -> None:
    without = replace(block, **{hint: EMPTY[hint]})
    assert not refused(block, "kuzu")
    assert refused(without, "kuzu") or refused(without, "neo4j")


def test_a_renamed_parameter_needs_its_hint_like_any_other() -> None:
    block = library().block("article.claim")
    renamed = replace(
        block, text=block.text.replace("$seqs", "$numbers").replace("$lo", "$from"), by=(), parameters=("numbers",)
    )
    with pytest.raises(QueryFileError, match="say `// by: numbers between from and hi`"):
        prove_hints(renamed, library(), COLUMNS)
