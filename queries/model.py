"""What the query files say, once they are proved: blocks, machines, entities, and the library of all."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphvine.queries.errors import ParameterError, UnknownBlock, did_you_mean

if TYPE_CHECKING:
    from graphvine.queries.compile import Statement


@dataclass(frozen=True, slots=True)
class Slot:
    """A parameter, or one field of each element of a list parameter."""

    parameter: str
    field: str | None = None

    def __str__(self) -> str:
        return f"{self.parameter}.{self.field}" if self.field else self.parameter


@dataclass(frozen=True, slots=True)
class Move:
    """From any of the sources (None creates the row) through the path, to its last state."""

    sources: tuple[str | None, ...]
    path: tuple[str, ...]
    line: int = field(compare=False, default=0)

    @property
    def target(self) -> str:
        return self.path[-1]

    @property
    def stays(self) -> bool:
        return self.sources == self.path

    def steps(self, source: str | None) -> list[tuple[str | None, str]]:
        """The single steps from one of its sources."""
        return [(source, self.path[0]), *zip(self.path, self.path[1:], strict=False)]

    def __str__(self) -> str:
        return " -> ".join([" | ".join(source or "" for source in self.sources), *self.path]).strip()


@dataclass(frozen=True, slots=True)
class By:
    """How a block names its rows: one, or a list of row numbers or of rows, maybe with the bounds of their numbers."""

    parameter: str
    lo: str = ""
    hi: str = ""

    def __str__(self) -> str:
        return f"{self.parameter} between {self.lo} and {self.hi}" if self.lo else self.parameter


@dataclass(frozen=True, slots=True)
class Block:
    """One named statement."""

    entity: str
    name: str
    file: str
    line: int
    text: str
    parameters: tuple[str, ...]
    purpose: str
    writes: bool
    # The line that the statement begins on.
    text_line: int = 0
    moves: tuple[Move, ...] = ()
    role: str = ""
    guard: bool = False
    held: tuple[Slot, ...] = ()
    number: tuple[Slot, ...] = ()
    ready: bool = False
    readies: str = ""
    transition: str = ""
    manual: bool = False
    processors: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    beyond: str = ""
    # Why it needs no lock on a server, though it writes where something is so that may change.
    unlocked: str = ""
    # The list that its text unwinds, '' where it unwinds none.
    unwound: str = ""
    # Hints, by which the block is compiled for a dialect (compile.py).
    by: tuple[By, ...] = ()
    table: str = ""
    literals: tuple[str, ...] = ()
    floors: tuple[str, ...] = ()
    locks: str = ""

    @property
    def full_name(self) -> str:
        return f"{self.entity}.{self.name}"

    @property
    def batch(self) -> By | None:
        """How it names many rows by their numbers, between two bounds."""
        return next((by for by in self.by if by.lo), None)

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Raise ParameterError unless these are exactly the declared parameters."""
        if len(parameters) == len(self.parameters) and all(name in parameters for name in self.parameters):
            return
        missing = tuple(name for name in self.parameters if name not in parameters)
        unknown = tuple(str(name) for name in parameters if name not in self.parameters)
        parts = []
        if missing:
            parts.append("needs " + ", ".join(f"${name}" for name in missing))
        if unknown:
            hint = did_you_mean(unknown[0], missing or self.parameters)
            parts.append("does not know " + ", ".join(f"${name}" for name in unknown) + hint)
        message = f"{self.full_name} {' and '.join(parts)}"
        raise ParameterError(self.full_name, self.file, self.line, message, missing, unknown)


@dataclass(frozen=True, slots=True)
class State:
    name: str
    initial: bool
    final: bool
    claimed: bool
    beyond: str


@dataclass(frozen=True, slots=True)
class Transition:
    """One step between two states; source None is the creation of the row."""

    source: str | None
    target: str
    block: str
    name: str
    manual: bool
    processors: tuple[str, ...]
    criteria: tuple[str, ...]
    beyond: str
    purpose: str


@dataclass(frozen=True)
class Machine:
    """The states of an entity and every move between them, read from its blocks."""

    entity: str
    label: str
    column: str
    key: str
    document: str
    states: tuple[State, ...]
    moves: tuple[Transition, ...]
    # The column by which rows are claimed first, '' where they are claimed in the order of arrival.
    order: str
    # The states of a row whose work is done: what progress counts.
    done: tuple[str, ...]
    roles: Mapping[tuple[str, str | None], Block] = field(repr=False, compare=False)
    # The line of its file that names the states.
    states_line: int = field(repr=False, compare=False, default=1)

    @property
    def initial(self) -> State:
        return next(state for state in self.states if state.initial)

    def state(self, name: str) -> State | None:
        return next((state for state in self.states if state.name == name), None)

    def by_role(self, role: str, state: str | None) -> Block | None:
        """The block that plays this role for rows in this state."""
        return self.roles.get((role, state))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the states and the moves: it changes when the machine does."""
        import hashlib
        import json

        from graphvine.queries.render import as_json

        drawn = as_json(self, fingerprint=False)
        canonical = json.dumps([drawn["states"], drawn["moves"]], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


@dataclass(frozen=True)
class Entity:
    """One query file."""

    name: str
    file: str
    blocks: Mapping[str, Block]
    machine: Machine | None

    @cached_property
    def locks(self) -> dict[str, Block]:
        """The blocks that lock rows, by the parameter that names them."""
        return {block.locks: block for block in self.blocks.values() if block.locks}


@dataclass(frozen=True)
class Library:
    """Every block of every entity, for one dialect."""

    dialect: str
    entities: Mapping[str, Entity]
    # Where the entities stand that are not this package's own.
    folders: tuple[Path, ...] = ()

    @cached_property
    def _blocks(self) -> dict[str, Block]:
        return {block.full_name: block for entity in self.entities.values() for block in entity.blocks.values()}

    @property
    def machines(self) -> dict[str, Machine]:
        """The entities that have a life of their own, by pipeline name."""
        return {name: entity.machine for name, entity in self.entities.items() if entity.machine}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of every statement: two processes that share a store must mean the same by a name."""
        import hashlib

        digest = hashlib.sha256()
        for name, block in sorted(self._blocks.items()):
            digest.update(f"{name}({','.join(block.parameters)})\0{block.text}\0".encode())
        return digest.hexdigest()

    @cached_property
    def statements(self) -> Mapping[str, Statement]:
        """Every block compiled for this dialect, by its full name."""
        from graphvine.queries.compile import Statements

        return Statements(self)

    def statement(self, block: Block) -> Statement:
        """What is sent for this block."""
        return self.statements[block.full_name]

    def without(self, entities: Collection[str]) -> Library:
        """The same without these entities."""
        kept = {name: one for name, one in self.entities.items() if name not in entities}
        return Library(self.dialect, kept, self.folders)

    def block(self, full_name: str) -> Block:
        """The block of this name, such as "article.claim"."""
        try:
            return self._blocks[full_name]
        except KeyError:
            raise UnknownBlock(full_name, did_you_mean(full_name, self._blocks)) from None
