"""The proof of one block: what it says about itself is what its text does."""

from __future__ import annotations

from typing import NoReturn

from graphvine.queries.errors import QueryFileError
from graphvine.queries.model import Block, Machine
from graphvine.queries.proof.facts import Assigned, Facts


def refuse(block: Block, line: int, message: str) -> NoReturn:
    raise QueryFileError(block.file, line, f"block {block.name!r} {message}")


def prove_block(block: Block, facts: Facts, machine: Machine | None) -> None:
    """Raise QueryFileError at the first thing that does not hold."""
    for clock, line in facts.clocks:
        refuse(block, line, f"asks the engine for {clock}: pass times and random values as parameters")
    for name, line in facts.unwound_fields:
        advice = f"project it first, WITH {name} AS a name of its own, and use that"
        refuse(block, line, f"matches a node by {name} of an unwound row, which reads the whole table: {advice}")
    if facts.writes != block.writes:
        refuse(block, block.line, "uses the name of a clause that writes for something else: choose another name")
    _returns(block, facts)
    if machine is None:
        return
    _made_by_a_move(block, facts, machine)
    if block.moves:
        _moves(block, facts, machine)
    else:
        _leaves_state_alone(block, facts, machine)


def _returns(block: Block, facts: Facts) -> None:
    reasons = {"has a move": block.moves, "is a guard": block.guard, "is marked `ready`": block.ready or block.readies}
    for why, holds in reasons.items():
        if holds and "seq" not in facts.returned:
            refuse(block, block.line, f"{why}, so it must RETURN the number of each row: `a.seq AS seq`")
    if (block.ready or block.readies) and not block.writes:
        refuse(block, block.line, "is marked `ready` but writes nothing, so no row becomes claimable by it")


def _made_by_a_move(block: Block, facts: Facts, machine: Machine) -> None:
    if any(None in move.sources for move in block.moves):
        return
    for label, line in facts.made:
        if label == machine.label.lower():
            refuse(block, line, f"may make a {machine.label}: declare it with `// move: -> state`, or MATCH it")


def _moves(block: Block, facts: Facts, machine: Machine) -> None:
    if not block.writes:
        refuse(block, block.line, "has a move but writes nothing: add the SET, or take out `// move:`")
    targets = {move.target for move in block.moves}
    assigned: set[str] = set()
    for one in _of_state(facts, machine):
        if one.words is None:
            advice = "write the state as a word in quotes, or as a CASE of such words"
            refuse(block, one.line, f"sets {machine.column} to what can't be proved: {advice}")
        for word in sorted(one.words - targets):
            named = ", ".join(sorted(targets))
            refuse(block, one.line, f"sets {machine.column} to {word!r}, but its moves end in: {named}")
        assigned |= one.words
    _nothing_replaced(block, facts, machine)
    for move in block.moves:
        if move.target not in assigned and not move.stays:
            never = f"but never sets {machine.column} to {move.target!r}"
            refuse(block, move.line, f"says `move: {move}` {never}")
    sources = {source for move in block.moves for source in move.sources if source is not None}
    for two in facts.compared:
        if two.column == machine.column.lower() and facts.may_be(two.variable, machine.label):
            for word in sorted(two.words - sources):
                named = ", ".join(sorted(sources)) or "nothing, it creates rows"
                looks = f"looks for {machine.column} {word!r}"
                refuse(block, two.line, f"{looks}, but its moves start from: {named}")


def _leaves_state_alone(block: Block, facts: Facts, machine: Machine) -> None:
    for one in _of_state(facts, machine):
        advice = "declare it with `// move: from -> to`"
        refuse(block, one.line, f"sets {machine.column} without a move: {advice}")
    _nothing_replaced(block, facts, machine)


def _of_state(facts: Facts, machine: Machine) -> list[Assigned]:
    column, label = machine.column.lower(), machine.label
    return [one for one in facts.assigned if one.column == column and facts.may_be(one.variable, label)]


def _nothing_replaced(block: Block, facts: Facts, machine: Machine) -> None:
    for variable, line in facts.replaced:
        if facts.may_be(variable, machine.label):
            advice = f"set its columns one by one, so that {machine.column} is seen"
            refuse(block, line, f"writes all columns of `{variable}` at once: {advice}")
