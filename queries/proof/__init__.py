"""The proof of query files: what a block says of itself is what its text does, and every machine holds together.

It reads every token, so it is run by `graphvine lint` and by the tests, and not when a process starts.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphvine.queries.errors import QueryFileError
from graphvine.queries.model import Entity, Library
from graphvine.queries.proof.blocks import prove_block
from graphvine.queries.proof.facts import Facts, facts_of
from graphvine.queries.proof.hints import Columns, prove_hints
from graphvine.queries.proof.machines import prove_machine
from graphvine.queries.tokens import code


def problems(library: Library, columns: Columns | None = None) -> list[QueryFileError]:
    """What does not hold: the first thing of each block, of each machine whose blocks hold, and the hints that lack.

    `columns` are the kinds of the columns of each table: a hint may be needed by the kind of a key.
    """
    found = list(_all_problems(library))
    for entity in library.entities.values():
        for block in entity.blocks.values():
            try:
                prove_hints(block, library, columns or {})
            except QueryFileError as error:
                found.append(error)
    return found


def prove(library: Library) -> None:
    """Raise the first thing that does not hold, hints aside."""
    for error in _all_problems(library):
        raise error


def _all_problems(library: Library) -> Iterator[QueryFileError]:
    for entity in library.entities.values():
        yield from _problems(entity)


def _problems(entity: Entity) -> Iterator[QueryFileError]:
    facts: dict[str, Facts] = {}
    sound = True
    for name, block in entity.blocks.items():
        try:
            facts[name] = facts_of(code(block.text, block.file, block.text_line), block.file)
            prove_block(block, facts[name], entity.machine)
        except QueryFileError as error:
            sound = False
            yield error
    if sound:
        try:
            prove_machine(entity, facts)
        except QueryFileError as error:
            yield error
