"""Files to entities: each block proved, a dialect's blocks put in the place of those they replace."""

from __future__ import annotations

from graphvine.queries.declare import Declared, declared_block, declared_machine, declared_name
from graphvine.queries.errors import QueryFileError
from graphvine.queries.facts import Facts, facts_of
from graphvine.queries.machines import prove_machine, transitions_of
from graphvine.queries.model import Block, Entity, Transition
from graphvine.queries.parse import RawFile
from graphvine.queries.prove import prove_block, refuse

# What the layers above act on: a replacement that differed here would be another block.
_SAME_IN_EVERY_DIALECT = ("parameters", "moves", "role", "guard", "held", "number", "ready")


def assemble(base: RawFile, dialect: RawFile | None = None) -> Entity:
    """Prove a file, with the blocks of its dialect in it, and make an entity of it."""
    work = _Assembly(base)
    work.add(base)
    if dialect is not None:
        work.replace(dialect)
    return work.entity()


class _Assembly:
    def __init__(self, base: RawFile) -> None:
        self.base = base
        self.name = declared_name(base)
        self.declared = declared_machine(base)
        self.blocks: dict[str, Block] = {}
        self.facts: dict[str, Facts] = {}
        self.transitions: dict[str, tuple[Transition, ...]] = {}

    def add(self, raw: RawFile) -> None:
        for head in raw.blocks.values():
            facts = facts_of(head.tokens, raw.file)
            block = declared_block(raw, self.name, head, facts.writes)
            prove_block(block, facts, self.declared)
            steps = transitions_of(raw, head, block)
            other = self.blocks.get(block.name)
            if other is not None:
                _same(block, other)
                # The machine is one for all dialects, so its steps are told once, in the base.
                steps = self.transitions[block.name]
            self.blocks[block.name] = block
            self.facts[block.name] = facts
            self.transitions[block.name] = steps

    def replace(self, raw: RawFile) -> None:
        if "pipeline" in raw.header and declared_name(raw) != self.name:
            line = raw.header["pipeline"].line
            raise QueryFileError(raw.file, line, f"the pipeline is {self.name!r} in {self.base.file}")
        own = declared_machine(raw)
        if own is not None and not _same_machine(own, self.declared):
            raise QueryFileError(raw.file, own.line, f"the machine differs from the one in {self.base.file}")
        self.add(raw)

    def entity(self) -> Entity:
        machine = None
        if self.declared is not None:
            steps = tuple(step for steps in self.transitions.values() for step in steps)
            machine = prove_machine(self.base, self.name, self.declared, self.blocks, self.facts, steps)
        return Entity(self.name, self.base.file, self.blocks, machine)


def _same(block: Block, other: Block) -> None:
    for what in _SAME_IN_EVERY_DIALECT:
        if getattr(block, what) != getattr(other, what):
            place = f"{other.file}:{other.line}"
            refuse(block, block.line, f"replaces the one of {place}, but differs from it in: {what}")


def _same_machine(own: Declared, base: Declared | None) -> bool:
    return base is not None and (own.label, own.column, own.key, own.states) == (
        base.label, base.column, base.key, base.states
    )  # fmt: skip
