"""The machine of an article against its document: all of it is there, and what is beyond it says why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphvine.queries import Machine, library
from tests.machines.documents import ARTICLE, left_out, unexplained


@pytest.fixture(scope="module")
def machine() -> Machine:
    found = library().entities["article"].machine
    assert found is not None
    return found


def test_all_of_the_document_is_in_the_machine(machine: Machine) -> None:
    assert left_out(machine, ARTICLE) == []


def test_what_is_beyond_the_document_says_why(machine: Machine) -> None:
    assert unexplained(machine, ARTICLE) == []


def test_the_machine_stands_on_the_document_s_columns(machine: Machine) -> None:
    assert (machine.label, machine.column, machine.key) == ("Article", "expansion_state", "title")
    assert machine.document == ARTICLE.name


def test_initial_and_final_states_are_the_document_s(machine: Machine) -> None:
    assert machine.initial.name == ARTICLE.initial
    final = {state.name for state in machine.states if state.final and state.name in ARTICLE.states}
    assert final == ARTICLE.final


def test_only_claimed_is_entered_by_a_claim(machine: Machine) -> None:
    assert [state.name for state in machine.states if state.claimed] == ["claimed"]


@pytest.mark.parametrize("step", sorted(ARTICLE.steps, key=str), ids=lambda step: f"{step[2]}-{step[0]}-{step[1]}")
def test_a_step_taken_out_of_the_machine_is_missed(machine: Machine, step: tuple[str | None, str, str]) -> None:
    without = tuple(move for move in machine.moves if (move.source, move.target, move.name) != step)
    assert left_out(replace(machine, moves=without), ARTICLE) == [f"{step[2]}: {step[0]} -> {step[1]}"]


def test_a_state_taken_out_of_the_machine_is_missed(machine: Machine) -> None:
    without = tuple(state for state in machine.states if state.name != "loaded")
    assert left_out(replace(machine, states=without), ARTICLE) == ["state loaded"]


def test_a_move_or_state_that_loses_its_reason_is_found(machine: Machine) -> None:
    states = tuple(replace(state, beyond="") for state in machine.states)
    moves = tuple(replace(move, beyond=" ") for move in machine.moves)
    found = unexplained(replace(machine, states=states, moves=moves), ARTICLE)
    assert "state excluded" in found
    assert "requeue: failed -> discovered (without a name)" in found


def test_a_step_under_a_wrong_name_is_found(machine: Machine) -> None:
    moves = tuple(replace(move, name="nap") if move.block == "claim" else move for move in machine.moves)
    assert "claim: discovered -> claimed (nap)" in unexplained(replace(machine, moves=moves), ARTICLE)
