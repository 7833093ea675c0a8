"""What the heads of a file and its blocks declare, as typed values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from graphvine.queries.errors import QueryFileError, did_you_mean, shorten
from graphvine.queries.model import Block, Move, Slot
from graphvine.queries.parse import IDENTIFIER, RawBlock, RawFile, Said

_MACHINE = re.compile(r"([A-Za-z_]\w*)\.([A-Za-z_]\w*)", re.ASCII)
_STATE = re.compile(r"([A-Za-z_]\w*)([*!]{0,2})", re.ASCII)
_SLOT = re.compile(r"([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?", re.ASCII)

MAX_STATES = 100


@dataclass(frozen=True, slots=True)
class Declared:
    """The machine as the head of its file declares it."""

    label: str
    column: str
    key: str
    document: str
    # Each state's marks: `*` initial, `!` final.
    states: dict[str, str]
    beyond: dict[str, str]
    line: int


def _refuse(raw: RawFile, line: int, message: str) -> NoReturn:
    raise QueryFileError(raw.file, line, message)


def declared_name(raw: RawFile) -> str:
    """What the entity is called on the command line and before the dot of its blocks' names."""
    said = raw.header.get("pipeline", Said(raw.name, 1))
    if not IDENTIFIER.fullmatch(said.value):
        name = shorten(said.value)
        _refuse(raw, said.line, f"{name!r} is no name for a pipeline: use letters, digits and `_`")
    return said.value


def declared_machine(raw: RawFile) -> Declared | None:
    """Read the machine of a file; a file without one holds plain blocks only."""
    said = raw.header.get("machine")
    if said is None:
        alone: dict[str, Said] = {key: raw.header[key] for key in ("states", "key") if key in raw.header}
        alone |= {f"beyond {shorten(state)}": reason for state, reason in raw.beyond_states.items()}
        for what, stray in alone.items():
            _refuse(raw, stray.line, f"`// {what}:` needs a `// machine: Label.column` beside it")
        return None
    match = _MACHINE.fullmatch(said.value)
    if not match:
        _refuse(raw, said.line, f"`// machine: {shorten(said.value)}` is not of the form Label.column")
    for needed in ("key", "states"):
        if needed not in raw.header:
            _refuse(raw, said.line, f"the machine has no `// {needed}:` line: add it")
    key = raw.header["key"]
    if not IDENTIFIER.fullmatch(key.value):
        _refuse(raw, key.line, f"`// key: {shorten(key.value)}` is not the name of a column")
    states = _states(raw, raw.header["states"])
    for state, reason in raw.beyond_states.items():
        if state not in states:
            hint = did_you_mean(state, states)
            _refuse(raw, reason.line, f"`// beyond {shorten(state)}:` names no state{hint}")
    document = raw.header["document"].value if "document" in raw.header else ""
    beyond = {state: reason.value for state, reason in raw.beyond_states.items()}
    return Declared(match.group(1), match.group(2), key.value, document, states, beyond, said.line)


def _states(raw: RawFile, said: Said) -> dict[str, str]:
    states: dict[str, str] = {}
    for part in said.value.split():
        match = _STATE.fullmatch(part)
        if not match:
            advice = "write its name, then `*` if initial and `!` if final"
            _refuse(raw, said.line, f"{shorten(part)!r} is not a state: {advice}")
        if match.group(1) in states:
            _refuse(raw, said.line, f"state {match.group(1)!r} is declared twice")
        states[match.group(1)] = match.group(2)
    if len(states) > MAX_STATES:
        _refuse(raw, said.line, f"a machine has at most {MAX_STATES} states, this one {len(states)}")
    initial = [state for state, marks in states.items() if "*" in marks]
    if len(initial) != 1:
        found = f"these are marked: {', '.join(initial)}" if initial else "none is marked with `*`"
        _refuse(raw, said.line, f"a machine has exactly one initial state, and {found}")
    return states


def declared_block(raw: RawFile, entity: str, head: RawBlock, writes: bool) -> Block:
    """The block as its head declares it."""
    return Block(
        entity=entity,
        name=head.name,
        file=raw.file,
        line=head.line,
        text=head.text,
        parameters=head.parameters,
        purpose=" ".join(head.purpose),
        writes=writes,
        moves=tuple(declared_move(raw, said) for said in head.values.get("move", ())),
        role=head.first("role") or head.name,
        guard="guard" in head.flags,
        held=_slots(raw, head, "held"),
        number=_slots(raw, head, "number"),
        ready="ready" in head.flags,
        transition=head.first("transition"),
        manual="manual" in head.flags,
        processors=_listed(head.first("processors")),
        criteria=_listed(head.first("criteria")),
        beyond=head.first("beyond"),
    )


def declared_move(raw: RawFile, said: Said) -> Move:
    """Read `a | b -> c -> d`; nothing before the first arrow means that the row is created."""
    first, *path = [part.strip() for part in said.value.split("->")]
    named = [source.strip() for source in first.split("|")] if first else []
    shown = shorten(said.value)
    if not path or not all(IDENTIFIER.fullmatch(name) for name in (*named, *path)):
        _refuse(raw, said.line, f"`{shown}` is no move: write `a -> b`, `a | b -> c`, `a -> b -> c` or `-> a`")
    if len(set(named)) < len(named):
        _refuse(raw, said.line, f"the move `{shown}` names a source twice")
    if len(path) > 1 and (path[0] in named or len(set(path)) < len(path)):
        _refuse(raw, said.line, f"the move `{shown}` passes through a state twice")
    return Move(tuple(named) or (None,), tuple(path), said.line)


def _slots(raw: RawFile, head: RawBlock, key: str) -> tuple[Slot, ...]:
    slots = []
    for said in head.values.get(key, ()):
        for part in _listed(said.value):
            match = _SLOT.fullmatch(part)
            if not match:
                advice = "write a parameter, or a field of its elements: rows.seq"
                _refuse(raw, said.line, f"`// {key}: {shorten(part)}` says nothing: {advice}")
            if match.group(1) not in head.parameters:
                hint = did_you_mean(match.group(1), head.parameters)
                _refuse(raw, said.line, f"`// {key}: {part}` names no parameter of block {head.name!r}{hint}")
            if key == "number" and not match.group(2):
                _refuse(raw, said.line, f"`// number: {part}` must name the field to fill: {part}.seq")
            slots.append(Slot(match.group(1), match.group(2)))
    return tuple(slots)


def _listed(value: str) -> tuple[str, ...]:
    return tuple(part for part in (part.strip() for part in value.split(",")) if part)
