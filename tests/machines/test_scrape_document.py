"""The machine of a scraped page against its document: all of it is there, and what is beyond it says why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphvine.queries import Machine, library
from tests.machines.documents import SCRAPE_ITEM, left_out, unexplained


@pytest.fixture(scope="module")
def machine() -> Machine:
    found = library().entities["scrape_item"].machine
    assert found is not None
    return found


def test_all_of_the_document_is_in_the_machine(machine: Machine) -> None:
    assert left_out(machine, SCRAPE_ITEM) == []


def test_what_is_beyond_the_document_says_why(machine: Machine) -> None:
    assert unexplained(machine, SCRAPE_ITEM) == []


def test_the_machine_stands_on_the_document_s_words(machine: Machine) -> None:
    assert (machine.label, machine.column, machine.document) == ("ScrapeItem", "state", SCRAPE_ITEM.name)
    assert machine.initial.name == SCRAPE_ITEM.initial
    assert {state.name for state in machine.states if state.final and not state.beyond} == SCRAPE_ITEM.final


def test_scraping_and_summarizing_are_entered_by_a_claim(machine: Machine) -> None:
    assert [state.name for state in machine.states if state.claimed] == ["scraping", "summarizing"]


def test_nothing_leaves_completed_but_by_a_person(machine: Machine) -> None:
    assert [move.block for move in machine.moves if move.source == "completed"] == ["again_in"]


@pytest.mark.parametrize("step", sorted(SCRAPE_ITEM.steps, key=str), ids=lambda step: f"{step[2]}-{step[0]}-{step[1]}")
def test_a_step_taken_out_of_the_machine_is_missed(machine: Machine, step: tuple[str | None, str, str]) -> None:
    without = tuple(move for move in machine.moves if (move.source, move.target, move.name) != step)
    assert left_out(replace(machine, moves=without), SCRAPE_ITEM) == [f"{step[2]}: {step[0]} -> {step[1]}"]
