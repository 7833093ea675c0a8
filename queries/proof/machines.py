"""The proof of a whole machine: who claims, who may let go, what is reachable, and where nothing is stuck."""

from __future__ import annotations

from collections.abc import Mapping

from graphvine.queries.errors import QueryFileError
from graphvine.queries.model import Block, Entity, Machine
from graphvine.queries.proof.blocks import refuse
from graphvine.queries.proof.facts import Facts

# A claimed row is let go by its holder, by its token, or by the reaper, by the age of its heartbeat.
_KEYS_TO_A_CLAIM = ("token", "tokens", "cutoff")


def prove_machine(entity: Entity, facts: Mapping[str, Facts]) -> None:
    """Raise QueryFileError unless the machine holds together."""
    machine, blocks = entity.machine, entity.blocks
    if machine is None:
        return
    in_place = _claimed(blocks, facts, stays=True)
    claimed = _claimed(blocks, facts, stays=False)
    _claims_are_known(machine, blocks, facts)
    _claims_are_guarded(blocks, facts, claimed, in_place)
    _all_reachable(entity.file, machine)
    _nothing_stuck(entity.file, machine)


def _claims_are_known(machine: Machine, blocks: Mapping[str, Block], facts: Mapping[str, Facts]) -> None:
    for name, block in blocks.items():
        for move in block.moves:
            state = machine.state(move.target)
            if _claims(facts[name]) and not move.stays and state is not None and not state.claimed:
                advice = "give it the role `claim`, or a name of its own to the state"
                refuse(block, move.line, f"claims rows by entering {move.target!r}, which no claim enters: {advice}")


def _claimed(blocks: Mapping[str, Block], facts: Mapping[str, Facts], *, stays: bool) -> set[str]:
    """The states that a claim enters, or (stays) those in which rows are claimed where they stand."""
    return {
        move.target
        for name, block in blocks.items()
        if _claims(facts[name])
        for move in block.moves
        if move.stays == stays
    }


def _claims(facts: Facts) -> bool:
    return any(one.column == "lease" and one.value == "$token" for one in facts.assigned)


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


def _all_reachable(file: str, machine: Machine) -> None:
    ways: dict[str, set[str]] = {}
    reached = {machine.initial.name}
    for step in machine.moves:
        if step.source is None:
            reached.add(step.target)
        else:
            ways.setdefault(step.source, set()).add(step.target)
    open_ends = list(reached)
    while open_ends:
        for target in ways.get(open_ends.pop(), set()) - reached:
            reached.add(target)
            open_ends.append(target)
    for state in machine.states:
        if state.name not in reached:
            message = f"no move leads to state {state.name!r}: add one, or take the state out"
            raise QueryFileError(file, machine.states_line, message)


def _nothing_stuck(file: str, machine: Machine) -> None:
    left = {step.source for step in machine.moves if step.source != step.target}
    for state in machine.states:
        if not state.final and state.name not in left:
            message = f"no move leads out of state {state.name!r}: add one, or mark it as final, {state.name}!"
            raise QueryFileError(file, machine.states_line, message)
