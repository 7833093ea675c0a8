"""What the query files say, once they are proved: blocks, machines, entities, and the library of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from graphvine.queries.errors import ParameterError, UnknownBlock, did_you_mean


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

    def __str__(self) -> str:
        return " -> ".join([" | ".join(source or "" for source in self.sources), *self.path]).strip()


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
    moves: tuple[Move, ...] = ()
    role: str = ""
    guard: bool = False
    held: tuple[Slot, ...] = ()
    number: tuple[Slot, ...] = ()
    ready: bool = False
    transition: str = ""
    manual: bool = False
    processors: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    beyond: str = ""

    @property
    def full_name(self) -> str:
        return f"{self.entity}.{self.name}"

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
    roles: Mapping[tuple[str, str | None], Block] = field(repr=False, compare=False)

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


@dataclass(frozen=True)
class Library:
    """Every block of every entity, for one dialect."""

    dialect: str
    entities: Mapping[str, Entity]

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

    def block(self, full_name: str) -> Block:
        """The block of this name, such as "article.claim"."""
        try:
            return self._blocks[full_name]
        except KeyError:
            raise UnknownBlock(full_name, did_you_mean(full_name, self._blocks)) from None
