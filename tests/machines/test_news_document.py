"""The machine of a news article against its document: its steps are there, and the states, which it has not, say why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphvine.queries import Machine, library
from tests.machines.documents import NEWS_ARTICLE, left_out, unexplained


@pytest.fixture(scope="module")
def machine() -> Machine:
    found = library().entities["news_article"].machine
    assert found is not None
    return found


def test_all_of_the_document_is_in_the_machine(machine: Machine) -> None:
    assert left_out(machine, NEWS_ARTICLE) == []


def test_what_is_beyond_the_document_says_why(machine: Machine) -> None:
    assert unexplained(machine, NEWS_ARTICLE) == []
    assert all(state.beyond for state in machine.states), "the document has flags and a queue, no states"


def test_the_machine_stands_on_the_document_s_words(machine: Machine) -> None:
    assert (machine.label, machine.key, machine.document) == ("NewsArticle", "id", NEWS_ARTICLE.name)
    assert machine.initial.name == NEWS_ARTICLE.initial
    assert {state.name for state in machine.states if state.final} >= NEWS_ARTICLE.final


def test_only_processing_is_entered_by_a_claim(machine: Machine) -> None:
    assert [state.name for state in machine.states if state.claimed] == ["processing"]


def test_nothing_leaves_processed(machine: Machine) -> None:
    assert [move for move in machine.moves if move.source == "processed"] == []


@pytest.mark.parametrize("step", sorted(NEWS_ARTICLE.steps, key=str), ids=lambda step: f"{step[2]}-{step[0]}-{step[1]}")
def test_a_step_taken_out_of_the_machine_is_missed(machine: Machine, step: tuple[str | None, str, str]) -> None:
    without = tuple(move for move in machine.moves if (move.source, move.target, move.name) != step)
    assert left_out(replace(machine, moves=without), NEWS_ARTICLE) == [f"{step[2]}: {step[0]} -> {step[1]}"]
