"""The proof of a whole machine: who claims, who may let go, what is reachable, and where nothing is stuck."""

from __future__ import annotations

from collections.abc import Mapping

from graphvine.queries.declare import Declared, declared_move
from graphvine.queries.errors import QueryFileError
from graphvine.queries.facts import Facts
from graphvine.queries.model import Block, Machine, Move, State, Transition
from graphvine.queries.parse import RawBlock, RawFile, Said
from graphvine.queries.prove import refuse

# A claimed row is let go by its holder, by its token, or by the reaper, by the age of its heartbeat.
_KEYS_TO_A_CLAIM = ("token", "tokens", "cutoff")


def prove_machine(
    raw: RawFile,
    entity: str,
    declared: Declared,
    blocks: Mapping[str, Block],
    facts: Mapping[str, Facts],
    transitions: tuple[Transition, ...],
) -> Machine:
    """Raise QueryFileError unless the machine holds together."""
    claimed = _claimed(blocks, facts, stays=False)
    _claims_are_guarded(blocks, facts, claimed, _claimed(blocks, facts, stays=True))
    line = raw.header["states"].line
    _all_reachable(raw.file, line, declared, transitions)
    _nothing_stuck(raw.file, line, declared, transitions)
    states = tuple(
        State(name, "*" in marks, "!" in marks, name in claimed, declared.beyond.get(name, ""))
        for name, marks in declared.states.items()
    )
    return Machine(
        entity=entity,
        label=declared.label,
        column=declared.column,
        key=declared.key,
        document=declared.document,
        states=states,
        moves=transitions,
        roles=_roles(blocks),
    )


def transitions_of(raw: RawFile, head: RawBlock, block: Block) -> tuple[Transition, ...]:
    """The single steps of a block's moves.

    Of several names in `// transition: a, b` the last belongs to the last step, so that
    `claimed -> loaded -> processed` and `loaded -> processed` can share a block.
    """
    names = [name.strip() for name in block.transition.split(",")] if block.transition else []
    longest = max((len(move.path) for move in block.moves), default=0)
    if len(names) > longest:
        line = head.values["transition"][0].line
        refuse(block, line, f"names {len(names)} transitions, but its moves have at most {longest} steps")
    reasons = _reasons(raw, head, block)
    found: dict[tuple[str | None, str], Transition] = {}
    for move in block.moves:
        for source in move.sources:
            for at, (start, end) in enumerate(_steps(source, move)):
                back = len(move.path) - at
                name = names[-back] if back <= len(names) else ""
                step = Transition(
                    source=start,
                    target=end,
                    block=block.name,
                    name=name,
                    manual=block.manual,
                    processors=block.processors,
                    criteria=block.criteria,
                    beyond=reasons.get((start, end), block.beyond),
                    purpose=block.purpose,
                )
                found.setdefault((start, end), step)
    return tuple(found.values())


def _steps(source: str | None, move: Move) -> list[tuple[str | None, str]]:
    return [(source, move.path[0]), *zip(move.path, move.path[1:], strict=False)]


def _reasons(raw: RawFile, head: RawBlock, block: Block) -> dict[tuple[str | None, str], str]:
    """The reasons that are given for one step of several."""
    made = {step for move in block.moves for source in move.sources for step in _steps(source, move)}
    reasons: dict[tuple[str | None, str], str] = {}
    for about, said in head.beyond_moves.items():
        move = declared_move(raw, Said(about, said.line))
        for source in move.sources:
            if len(move.path) != 1 or (source, move.target) not in made:
                refuse(block, said.line, f"gives a reason for `{about}`, which is not a step of its moves")
            reasons[source, move.target] = said.value
    return reasons


def _claimed(blocks: Mapping[str, Block], facts: Mapping[str, Facts], *, stays: bool) -> set[str]:
    """The states that a claim enters, or (stays) those in which rows are claimed where they stand."""
    return {
        move.target
        for name, block in blocks.items()
        if any(one.column == "lease" and one.value == "$token" for one in facts[name].assigned)
        for move in block.moves
        if move.stays == stays
    }


def _claims_are_guarded(
    blocks: Mapping[str, Block], facts: Mapping[str, Facts], claimed: set[str], claimed_in_place: set[str]
) -> None:
    for name, block in blocks.items():
        known = facts[name]
        clears = any(one.column == "lease" and one.value != "$token" for one in known.assigned)
        keyed = any(key in known.parameters for key in _KEYS_TO_A_CLAIM)
        for move in block.moves:
            for source in move.sources:
                if source is None or keyed or (move.stays and not clears):
                    continue
                lets_go = f"lets go of rows in {source!r}, which"
                if source in claimed:
                    refuse(block, move.line, f"{lets_go} are claimed: guard it by $token, $tokens or $cutoff")
                if source in claimed_in_place and "lease" not in known.looked_at:
                    refuse(block, move.line, f"{lets_go} may be claimed: guard it by $token or by their lease")


def _all_reachable(file: str, line: int, declared: Declared, transitions: tuple[Transition, ...]) -> None:
    ways: dict[str, set[str]] = {}
    reached = {state for state, marks in declared.states.items() if "*" in marks}
    for step in transitions:
        if step.source is None:
            reached.add(step.target)
        else:
            ways.setdefault(step.source, set()).add(step.target)
    open_ends = list(reached)
    while open_ends:
        for target in ways.get(open_ends.pop(), set()) - reached:
            reached.add(target)
            open_ends.append(target)
    for state in declared.states:
        if state not in reached:
            raise QueryFileError(file, line, f"no move leads to state {state!r}: add one, or take the state out")


def _nothing_stuck(file: str, line: int, declared: Declared, transitions: tuple[Transition, ...]) -> None:
    left = {step.source for step in transitions if step.source != step.target}
    for state, marks in declared.states.items():
        if "!" not in marks and state not in left:
            raise QueryFileError(
                file, line, f"no move leads out of state {state!r}: add one, or mark it as final, {state}!"
            )


def _roles(blocks: Mapping[str, Block]) -> dict[tuple[str, str | None], Block]:
    roles: dict[tuple[str, str | None], Block] = {}
    for block in blocks.values():
        for move in block.moves:
            for source in move.sources:
                other = roles.setdefault((block.role, source), block)
                if other is not block:
                    place = repr(source) if source else "new rows"
                    refuse(
                        block,
                        move.line,
                        f"plays the role {block.role!r} for {place}, as block {other.name!r} does",
                    )
    return roles
