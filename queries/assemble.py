"""Files to entities: shared blocks filled in, an entity's own in their place, a dialect's in the place of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphvine.queries.contract import Queue, check_claims, check_contract, expanded, queue_of, with_misaligned
from graphvine.queries.declare import Declared, declared_block, declared_machine, declared_name, transitions_of
from graphvine.queries.errors import QueryFileError, did_you_mean
from graphvine.queries.model import Block, Entity, Machine, State, Transition
from graphvine.queries.parse import RawBlock, RawFile

_Layers = Sequence[Mapping[str, RawBlock]]

# What the layers above act on: a replacement that differed here would be another block.
_SAME = ("parameters", "moves", "role", "guard", "held", "number", "ready")


def assemble(base: RawFile, dialect: RawFile | None = None, shared: Sequence[RawFile] = ()) -> Entity:
    """Make an entity of a file, with the blocks of its dialect, and the shared ones where it has a machine.

    Without `shared` it may lack parts of the claim contract.
    """
    name, declared = declared_name(base), declared_machine(base)
    if dialect is not None:
        _of_the_same(dialect, base, name, declared)
    files = [base, *([dialect] if dialect is not None else [])]
    if declared is None:
        blocks, steps = _layered(name, [], [file.blocks for file in files])
        for block in blocks.values():
            if block.moves:
                advice = "has a move, but the file declares no machine: add `// machine:` on top"
                raise QueryFileError(block.file, block.moves[0].line, f"block {block.name!r} {advice}")
        return Entity(name, base.file, blocks, None)
    queue = queue_of(declared, base.blocks.values())
    place = (base.file, declared.line)
    if shared:
        check_claims(name, queue, place)
    layers = [[expanded(file, name, declared, queue) for file in several] for several in (shared, files)]
    blocks, steps = _layered(name, *layers)
    for block in blocks.values():
        _states_exist(block, declared)
    machine = Machine(
        entity=name,
        label=declared.label,
        column=declared.column,
        key=declared.key,
        document=declared.document,
        states=_states(declared, queue),
        moves=steps,
        order=declared.order,
        done=declared.done,
        roles=_roles(blocks),
        states_line=base.header["states"].line,
    )
    if shared:
        check_contract(machine, blocks, queue, place)
    return Entity(name, base.file, blocks, machine)


def _layered(entity: str, shared: _Layers, own: _Layers) -> tuple[dict[str, Block], tuple[Transition, ...]]:
    """The last layer's block of each name; the entity's own first, in the order of its files."""
    layers = [*shared, *own]
    raws: dict[str, RawBlock] = {}
    for layer in (*own, *layers):
        raws |= layer
    with_misaligned(raws)
    blocks: dict[str, Block] = {}
    steps: list[Transition] = []
    for name, raw in raws.items():
        raw.check_parameters()
        block = blocks[name] = declared_block(entity, raw)
        # The machine is one for all dialects, so its steps are those of the block where it first stands.
        first = next(layer[name] for layer in layers if name in layer)
        if raw is not first and (raw.file, raw.line) != (first.file, first.line):
            _same(block, declared_block(entity, first))
        steps += transitions_of(first, declared_block(entity, first) if first is not raw else block)
    return blocks, tuple(steps)


def _same(block: Block, other: Block) -> None:
    for what in _SAME:
        if getattr(block, what) != getattr(other, what):
            place = f"{other.file}:{other.line}"
            message = f"block {block.name!r} replaces the one of {place}, but differs from it in: {what}"
            raise QueryFileError(block.file, block.line, message)


def _of_the_same(dialect: RawFile, base: RawFile, name: str, declared: Declared | None) -> None:
    if "pipeline" in dialect.header and declared_name(dialect) != name:
        line = dialect.header["pipeline"].line
        raise QueryFileError(dialect.file, line, f"the pipeline is {name!r} in {base.file}")
    own = declared_machine(dialect)
    if own is not None and (
        declared is None
        or (own.label, own.column, own.key, own.states)
        != (declared.label, declared.column, declared.key, declared.states)
    ):
        raise QueryFileError(dialect.file, own.line, f"the machine differs from the one in {base.file}")


def _states(declared: Declared, queue: Queue) -> tuple[State, ...]:
    return tuple(
        State(name, "*" in marks, "!" in marks, name in queue.claimed, declared.beyond.get(name, ""))
        for name, marks in declared.states.items()
    )


def _states_exist(block: Block, declared: Declared) -> None:
    for move in block.moves:
        for state in (*move.sources, *move.path):
            if state is not None and state not in declared.states:
                hint = did_you_mean(state, declared.states)
                message = f"moves by {state!r}, which is not a state of {declared.label}{hint}"
                raise QueryFileError(block.file, move.line, f"block {block.name!r} {message}")


def _roles(blocks: Mapping[str, Block]) -> dict[tuple[str, str | None], Block]:
    roles: dict[tuple[str, str | None], Block] = {}
    for block in blocks.values():
        for move in block.moves:
            for source in move.sources:
                other = roles.setdefault((block.role, source), block)
                if other is not block:
                    place = repr(source) if source else "new rows"
                    message = f"plays the role {block.role!r} for {place}, as block {other.name!r} does"
                    raise QueryFileError(block.file, move.line, f"block {block.name!r} {message}")
    return roles
