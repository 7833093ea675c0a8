"""What the heads of a file and its blocks declare, as typed values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from graphvine.queries.errors import QueryFileError, did_you_mean, shorten
from graphvine.queries.model import Block, By, Move, Slot, Transition
from graphvine.queries.parse import RawBlock, RawFile, Said
from graphvine.queries.read import IDENTIFIER

_MACHINE = re.compile(r"([A-Za-z_]\w*)\.([A-Za-z_]\w*)", re.ASCII)
_STATE = re.compile(r"([A-Za-z_]\w*)([*!]{0,2})", re.ASCII)
_SLOT = re.compile(r"([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?", re.ASCII)

_UNWOUND = re.compile(r"\bUNWIND\s+\$(\w+)", re.IGNORECASE)
_BY = re.compile(r"(\w+)(?: between (\w+) and (\w+))?", re.ASCII)
_DEFAULT = re.compile(r"(\w+) = ([^,]+)")

MAX_STATES = 100
# Final, but not what anybody wanted.
_NOT_DONE = ("failed", "skipped", "excluded")
_NO_COLUMN = "is not the name of a column"
_OF_A_MACHINE = ("states", "key", "order", "retry_count", "failed_at", "searched", "defaults", "done")


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
    key_is_number: bool
    order: str
    retry_count: str
    failed_at: str
    searched: tuple[str, ...]
    # The states of a row whose work is done.
    done: tuple[str, ...]
    # Columns that every row has, and what a row that was made by hand gets there.
    defaults: dict[str, str]


def _refuse(file: str, line: int, message: str) -> NoReturn:
    raise QueryFileError(file, line, message)


def declared_name(raw: RawFile) -> str:
    """What the entity is called on the command line and before the dot of its blocks' names."""
    said = raw.header.get("pipeline", Said(raw.name, 1))
    if not IDENTIFIER.fullmatch(said.value):
        name = shorten(said.value)
        _refuse(raw.file, said.line, f"{name!r} is no name for a pipeline: use letters, digits and `_`")
    return said.value


def declared_machine(raw: RawFile) -> Declared | None:
    """Read the machine of a file; a file without one holds plain blocks only."""
    said = raw.header.get("machine")
    if said is None:
        alone: dict[str, Said] = {key: raw.header[key] for key in _OF_A_MACHINE if key in raw.header}
        alone |= {f"beyond {shorten(state)}": reason for state, reason in raw.beyond_states.items()}
        for what, stray in alone.items():
            _refuse(raw.file, stray.line, f"`// {what}:` needs a `// machine: Label.column` beside it")
        return None
    match = _MACHINE.fullmatch(said.value)
    if not match:
        _refuse(raw.file, said.line, f"`// machine: {shorten(said.value)}` is not of the form Label.column")
    for needed in ("key", "states"):
        if needed not in raw.header:
            _refuse(raw.file, said.line, f"the machine has no `// {needed}:` line: add it")
    key, _, kind = raw.header["key"].value.partition(" ")
    if kind not in ("", "INT64", "STRING"):
        _refuse(raw.file, raw.header["key"].line, f"`// key: {shorten(raw.header['key'].value)}` {_NO_COLUMN}")
    for column in ("key", "order", "retry_count", "failed_at"):
        said = raw.header.get(column)
        if said is not None and not IDENTIFIER.fullmatch(said.value if column != "key" else key):
            _refuse(raw.file, said.line, f"`// {column}: {shorten(said.value)}` {_NO_COLUMN}")
    states = _states(raw, raw.header["states"])
    for state, reason in raw.beyond_states.items():
        if state not in states:
            hint = did_you_mean(state, states)
            _refuse(raw.file, reason.line, f"`// beyond {shorten(state)}:` names no state{hint}")

    def of(name: str, otherwise: str = "") -> str:
        return raw.header[name].value if name in raw.header else otherwise

    return Declared(
        label=match.group(1),
        column=match.group(2),
        key=key,
        document=of("document"),
        states=states,
        beyond={state: reason.value for state, reason in raw.beyond_states.items()},
        line=raw.header["machine"].line,
        key_is_number=kind == "INT64",
        order=of("order"),
        retry_count=of("retry_count", "retry_count"),
        failed_at=of("failed_at", "failed_at"),
        searched=_listed(of("searched")),
        done=_done(raw, states),
        defaults=_defaults(raw),
    )


def _done(raw: RawFile, states: dict[str, str]) -> tuple[str, ...]:
    said = raw.header.get("done")
    if said is None:
        return tuple(state for state, marks in states.items() if "!" in marks and state not in _NOT_DONE)
    for state in _listed(said.value):
        if state not in states:
            _refuse(raw.file, said.line, f"`// done: {shorten(state)}` names no state{did_you_mean(state, states)}")
    return _listed(said.value)


def _defaults(raw: RawFile) -> dict[str, str]:
    said = raw.header.get("defaults")
    found: dict[str, str] = {}
    for part in _listed(said.value) if said is not None else ():
        match = _DEFAULT.fullmatch(part)
        if match is None and said is not None:
            _refuse(raw.file, said.line, f"`{shorten(part)}` is no default: write `column = value`")
        if match is not None:
            found[match[1]] = match[2]
    return found


def _states(raw: RawFile, said: Said) -> dict[str, str]:
    states: dict[str, str] = {}
    for part in said.value.split():
        match = _STATE.fullmatch(part)
        if not match:
            advice = "write its name, then `*` if initial and `!` if final"
            _refuse(raw.file, said.line, f"{shorten(part)!r} is not a state: {advice}")
        if match.group(1) in states:
            _refuse(raw.file, said.line, f"state {match.group(1)!r} is declared twice")
        states[match.group(1)] = match.group(2)
    if len(states) > MAX_STATES:
        _refuse(raw.file, said.line, f"a machine has at most {MAX_STATES} states, this one {len(states)}")
    initial = [state for state, marks in states.items() if "*" in marks]
    if len(initial) != 1:
        found = f"these are marked: {', '.join(initial)}" if initial else "none is marked with `*`"
        _refuse(raw.file, said.line, f"a machine has exactly one initial state, and {found}")
    return states


def declared_block(entity: str, head: RawBlock) -> Block:
    """The block as its head declares it."""
    unwound = _UNWOUND.search(head.bare)
    return Block(
        entity=entity,
        name=head.name,
        file=head.file,
        line=head.line,
        text=head.text,
        parameters=head.parameters,
        purpose=" ".join(head.purpose),
        writes=head.writes,
        text_line=head.text_line,
        moves=declared_moves(head),
        role=head.first("role") or head.name,
        guard="guard" in head.flags,
        held=_slots(head, "held"),
        number=_slots(head, "number"),
        ready="ready" in head.flags,
        readies=head.first("readies") or "",
        transition=head.first("transition"),
        manual="manual" in head.flags,
        processors=_listed(head.first("processors")),
        criteria=_listed(head.first("criteria")),
        beyond=head.first("beyond"),
        unlocked=head.first("unlocked"),
        unwound=unwound[1] if unwound else "",
        by=tuple(_by(head, said) for said in head.values.get("by", ())),
        table="".join(_named(head, "table")[:1]),
        literals=_named(head, "literal"),
        floors=_named(head, "floor"),
        locks="".join(_named(head, "locks")[:1]),
    )


def declared_moves(head: RawBlock) -> tuple[Move, ...]:
    """The moves of a block; `// stays: a | b` is short for `a -> a` and `b -> b`."""
    stays = [
        Said(f"{state.strip()} -> {state.strip()}", said.line)
        for said in head.values.get("stays", ())
        for state in said.value.split("|")
    ]
    return tuple(declared_move(head.file, said) for said in (*head.values.get("move", ()), *stays))


def declared_move(file: str, said: Said) -> Move:
    """Read `a | b -> c -> d`; nothing before the first arrow means that the row is created."""
    first, *path = [part.strip() for part in said.value.split("->")]
    named = [source.strip() for source in first.split("|")] if first else []
    shown = shorten(said.value)
    if not path or not all(IDENTIFIER.fullmatch(name) for name in (*named, *path)):
        _refuse(file, said.line, f"`{shown}` is no move: write `a -> b`, `a | b -> c`, `a -> b -> c` or `-> a`")
    if len(set(named)) < len(named):
        _refuse(file, said.line, f"the move `{shown}` names a source twice")
    if len(path) > 1 and (path[0] in named or len(set(path)) < len(path)):
        _refuse(file, said.line, f"the move `{shown}` passes through a state twice")
    return Move(tuple(named) or (None,), tuple(path), said.line)


def _slots(head: RawBlock, key: str) -> tuple[Slot, ...]:
    slots = []
    for said in head.values.get(key, ()):
        for part in _listed(said.value):
            match = _SLOT.fullmatch(part)
            if not match:
                advice = "write a parameter, or a field of its elements: rows.seq"
                _refuse(head.file, said.line, f"`// {key}: {shorten(part)}` says nothing: {advice}")
            _is_parameter(head, key, Said(part, said.line), match.group(1))
            if key == "number" and not match.group(2):
                _refuse(head.file, said.line, f"`// number: {part}` must name the field to fill: {part}.seq")
            slots.append(Slot(match.group(1), match.group(2)))
    return tuple(slots)


def _by(head: RawBlock, said: Said) -> By:
    match = _BY.fullmatch(said.value)
    if match is None:
        advice = "write a parameter, or `seqs between lo and hi`"
        _refuse(head.file, said.line, f"`// by: {shorten(said.value)}` says nothing: {advice}")
    for name in match.groups():
        if name is not None:
            _is_parameter(head, "by", said, name)
    return By(match[1], match[2] or "", match[3] or "")


def _named(head: RawBlock, key: str) -> tuple[str, ...]:
    """The parameters that a hint names."""
    names = [(name, said) for said in head.values.get(key, ()) for name in _listed(said.value)]
    for name, said in names:
        _is_parameter(head, key, said, name)
    return tuple(name for name, _ in names)


def _is_parameter(head: RawBlock, key: str, said: Said, name: str) -> None:
    if name not in head.parameters:
        hint = did_you_mean(name, head.parameters)
        _refuse(head.file, said.line, f"`// {key}: {shorten(name)}` names no parameter of block {head.name!r}{hint}")


def _listed(value: str) -> tuple[str, ...]:
    return tuple(part for part in (part.strip() for part in value.split(",")) if part)


def transitions_of(head: RawBlock, block: Block) -> tuple[Transition, ...]:
    """The single steps of a block's moves.

    Of several names in `// transition: a, b` the last belongs to the last step, so that
    `claimed -> loaded -> processed` and `loaded -> processed` can share a block.
    """
    names = [name.strip() for name in block.transition.split(",")] if block.transition else []
    longest = max((len(move.path) for move in block.moves), default=0)
    if len(names) > longest:
        line = head.values["transition"][0].line
        head.refuse(line, f"names {len(names)} transitions, but its moves have at most {longest} steps")
    reasons = _reasons(head, block)
    found: dict[tuple[str | None, str], Transition] = {}
    for move in block.moves:
        for source in move.sources:
            for at, (start, end) in enumerate(move.steps(source)):
                back = len(move.path) - at
                step = Transition(
                    source=start,
                    target=end,
                    block=block.name,
                    name=names[-back] if back <= len(names) else "",
                    manual=block.manual,
                    processors=block.processors,
                    criteria=block.criteria,
                    beyond=reasons.get((start, end), block.beyond),
                    purpose=block.purpose,
                )
                found.setdefault((start, end), step)
    return tuple(found.values())


def _reasons(head: RawBlock, block: Block) -> dict[tuple[str | None, str], str]:
    """The reasons that are given for one step of several."""
    made = {step for move in block.moves for source in move.sources for step in move.steps(source)}
    reasons: dict[tuple[str | None, str], str] = {}
    for about, said in head.beyond_moves.items():
        move = declared_move(head.file, Said(about, said.line))
        for source in move.sources:
            if len(move.path) != 1 or (source, move.target) not in made:
                head.refuse(said.line, f"gives a reason for `{about}`, which is not a step of its moves")
            reasons[source, move.target] = said.value
    return reasons
