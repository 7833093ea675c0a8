"""The machine of an upload against its document: states, transitions, processors and criteria by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphvine.queries import Machine, library
from graphvine.workers.uploads.processors import CRITERIA, MAX_RETRIES, PROCESSORS
from graphvine.workers.uploads.settings import UploadSettings
from tests.machines.documents import UPLOAD, UPLOAD_TRANSITIONS, left_out, unexplained


@pytest.fixture(scope="module")
def machine() -> Machine:
    found = library().entities["upload"].machine
    assert found is not None
    return found


def test_all_of_the_document_is_in_the_machine(machine: Machine) -> None:
    assert left_out(machine, UPLOAD) == []


def test_what_is_beyond_the_document_says_why(machine: Machine) -> None:
    assert unexplained(machine, UPLOAD) == []


def test_one_state_is_beyond_the_document(machine: Machine) -> None:
    beyond = {state.name for state in machine.states if state.beyond}
    assert beyond == {"removed"}
    assert {state.name for state in machine.states} == UPLOAD.states | beyond
    assert len(machine.states) == 9


def test_the_machine_stands_on_the_document_s_names(machine: Machine) -> None:
    assert (machine.label, machine.column, machine.key) == ("Upload", "state", "upload_id")
    assert machine.document == UPLOAD.name
    assert machine.initial.name == UPLOAD.initial
    assert {state.name for state in machine.states if state.final} == UPLOAD.final | {"removed"}


def test_no_state_means_claimed(machine: Machine) -> None:
    assert not [state.name for state in machine.states if state.claimed]


@pytest.mark.parametrize("name", UPLOAD_TRANSITIONS)
def test_a_transition_s_own_block_tells_what_the_document_tells(machine: Machine, name: str) -> None:
    told = UPLOAD_TRANSITIONS[name]
    own = [step for step in machine.moves if step.block == name]
    assert len(own) == 1
    step = own[0]
    assert (step.source, step.target, step.name) in UPLOAD.steps
    assert (step.name, step.manual, step.processors, step.criteria) == (
        name, told.manual, told.processors, told.criteria,
    )  # fmt: skip


def test_all_processors_and_criteria_of_the_document_can_be_run() -> None:
    assert set(PROCESSORS) == {name for told in UPLOAD_TRANSITIONS.values() for name in told.processors}
    assert set(CRITERIA) == {name for told in UPLOAD_TRANSITIONS.values() for name in told.criteria}
    assert (len(UPLOAD_TRANSITIONS), len(PROCESSORS), len(CRITERIA)) == (10, 8, 6)


def test_the_constants_are_the_document_s() -> None:
    assert UploadSettings().max_retries == MAX_RETRIES == 3
    assert UploadSettings().max_file_size == 8 << 30


@pytest.mark.parametrize("step", sorted(UPLOAD.steps, key=str), ids=lambda step: f"{step[2]}-{step[0]}-{step[1]}")
def test_a_step_taken_out_of_the_machine_is_missed(machine: Machine, step: tuple[str | None, str, str]) -> None:
    without = tuple(move for move in machine.moves if (move.source, move.target, move.name) != step)
    assert left_out(replace(machine, moves=without), UPLOAD) == [f"{step[2]}: {step[0]} -> {step[1]}"]
