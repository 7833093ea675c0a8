"""The machine of an item of Hacker News against its document: states, transitions, processors and criteria by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphvine.queries import Machine, library
from graphvine.workers.hn.ingest.processors import CRITERIA, PROCESSORS, automatic
from tests.machines.documents import HN_ITEM, HN_TRANSITIONS, left_out, unexplained


@pytest.fixture(scope="module")
def machine() -> Machine:
    found = library().entities["hn_item"].machine
    assert found is not None
    return found


def test_all_of_the_document_is_in_the_machine(machine: Machine) -> None:
    assert left_out(machine, HN_ITEM) == []


def test_what_is_beyond_the_document_says_why(machine: Machine) -> None:
    assert unexplained(machine, HN_ITEM) == []


def test_no_state_is_beyond_the_document(machine: Machine) -> None:
    assert {state.name for state in machine.states} == HN_ITEM.states
    assert len(machine.states) == 8


def test_the_machine_stands_on_the_document_s_names(machine: Machine) -> None:
    assert (machine.label, machine.column, machine.key) == ("HNItem", "state", "hnId")
    assert machine.document == HN_ITEM.name
    assert machine.initial.name == HN_ITEM.initial
    assert {state.name for state in machine.states if state.final} == HN_ITEM.final


def test_no_state_means_claimed(machine: Machine) -> None:
    assert not [state.name for state in machine.states if state.claimed]


@pytest.mark.parametrize("name", HN_TRANSITIONS)
def test_a_transition_s_own_block_tells_what_the_document_tells(machine: Machine, name: str) -> None:
    told = HN_TRANSITIONS[name]
    own = [step for step in machine.moves if step.block == name]
    assert own
    for step in own:
        assert (step.name, step.manual, step.processors, step.criteria) == (
            name, told.manual, told.processors, told.criteria,
        )  # fmt: skip


def test_the_cascade_runs_the_document_s_chain(machine: Machine) -> None:
    chain = automatic(machine)
    assert [step.name for step in chain] == [name for name, told in HN_TRANSITIONS.items() if not told.manual]
    assert [step.source for step in chain] == [machine.initial.name, *(step.target for step in chain[:-1])]
    assert chain[-1].target == "completed"


def test_every_processor_and_criterion_of_the_chain_can_be_run(machine: Machine) -> None:
    chain = automatic(machine)
    assert {name for step in chain for name in step.processors} == set(PROCESSORS)
    assert {name for step in chain for name in step.criteria} == set(CRITERIA)


@pytest.mark.parametrize("step", sorted(HN_ITEM.steps, key=str), ids=lambda step: f"{step[2]}-{step[0]}-{step[1]}")
def test_a_step_taken_out_of_the_machine_is_missed(machine: Machine, step: tuple[str | None, str, str]) -> None:
    without = tuple(move for move in machine.moves if (move.source, move.target, move.name) != step)
    assert left_out(replace(machine, moves=without), HN_ITEM) == [f"{step[2]}: {step[0]} -> {step[1]}"]
