"""How a unit is carried out: guards first, the rest for what they found, numbers filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from graphvine.errors import GraphvineError, ParameterError, UnknownBlock
from graphvine.queries import Block, Library, library
from graphvine.records import Row, Step, Unit, UnitResult
from graphvine.units import carry_out, check, join

SPAN = {"lo": 1, "hi": 9, "token": 5}


@pytest.fixture(scope="module")
def blocks() -> Library:
    return library()


def finishing(*seqs: int) -> Step:
    return Step("article.finish", {"seqs": list(seqs), **SPAN, "at": None})


def discovering(*claims: int) -> Step:
    rows = [{"claim": claim, "title": f"of {claim}", "depth": 1, "seq": 0} for claim in claims]
    return Step("article.discover", {"rows": rows, "now": 0})


class Recorder:
    """Stands where an engine would: the claims in `held` are still good."""

    def __init__(self, *held: int) -> None:
        self.held = set(held)
        self.ran: list[tuple[str, dict[str, Any]]] = []

    def run(self, block: Block, parameters: Mapping[str, Any]) -> list[Row]:
        self.ran.append((block.full_name, dict(parameters)))
        return [{"seq": seq} for seq in parameters.get("seqs", []) if seq in self.held]

    def number(self, block: Block, count: int) -> range:
        return range(100, 100 + count)

    def carry_out(self, blocks: Library, *steps: Step) -> UnitResult:
        return carry_out(Unit.of(steps), blocks, self.run, self.number)


def test_what_belongs_to_a_lost_claim_is_left_out(blocks: Library) -> None:
    recorder = Recorder(1, 3)
    result = recorder.carry_out(blocks, finishing(1, 2, 3), discovering(1, 2, 3))
    assert result.held == {1, 3}
    assert [row["title"] for row in recorder.ran[1][1]["rows"]] == ["of 1", "of 3"]


def test_a_unit_that_is_one_claim_s_work_is_nothing_without_it(blocks: Library) -> None:
    for held, ran in (((), ["article.finish"]), ((1,), ["article.finish", "article.discover"])):
        recorder = Recorder(*held)
        unit = Unit.of([finishing(1), discovering(0)], if_held=True)
        result = carry_out(unit, blocks, recorder.run, recorder.number)
        assert [name for name, _ in recorder.ran] == ran and len(result.rows) == 2


def test_what_belongs_to_no_claim_stays(blocks: Library) -> None:
    recorder = Recorder()
    recorder.carry_out(blocks, finishing(1), discovering(0, 1))
    assert [row["title"] for row in recorder.ran[1][1]["rows"]] == ["of 0"]


def test_a_step_with_nothing_left_is_not_run_and_answers_nothing(blocks: Library) -> None:
    recorder = Recorder()
    note = dict.fromkeys(blocks.block("article.note_failure").parameters) | {"seq": 1}
    result = recorder.carry_out(blocks, finishing(1), discovering(1), Step("article.note_failure", note), finishing())
    assert [name for name, _ in recorder.ran] == ["article.finish"]
    assert result.rows == ([], [], [], [])


def test_guards_add_up(blocks: Library) -> None:
    recorder = Recorder(1, 2)
    result = recorder.carry_out(blocks, finishing(1), finishing(2), discovering(1, 2))
    assert result.held == {1, 2} and len(recorder.ran[2][1]["rows"]) == 2


def test_numbers_are_filled_in_and_the_caller_s_rows_stay_as_they_are(blocks: Library) -> None:
    step = discovering(0, 0, 0)
    recorder = Recorder()
    recorder.carry_out(blocks, step)
    assert [row["seq"] for row in recorder.ran[0][1]["rows"]] == [100, 101, 102]
    assert [row["seq"] for row in step.parameters["rows"]] == [0, 0, 0]


def test_only_what_is_left_gets_numbers(blocks: Library) -> None:
    recorder = Recorder(2)
    recorder.carry_out(blocks, finishing(1, 2), discovering(1, 2))
    assert [row["seq"] for row in recorder.ran[1][1]["rows"]] == [100]


def test_parameters_are_checked_before_anything_runs(blocks: Library) -> None:
    check(Unit.of([finishing(1), discovering(1)]), blocks)
    with pytest.raises(ParameterError):
        check(Unit.of([finishing(1), Step("article.discover", {"rows": []})]), blocks)
    with pytest.raises(UnknownBlock):
        check(Unit.of([Step("article.finnish", {})]), blocks)


@pytest.mark.parametrize(
    "value",
    ["\ud800", ["x", "\udfff"], [{"a": "\ud800"}], {"a": {"b": ["\ud800"]}}, [{"a": 1 << 70, "b": ["é", "\ud800"]}]],
)
def test_half_a_character_is_refused_where_it_stands(blocks: Library, value: Any) -> None:
    step = Step("article.discover", {"rows": value, "now": 0})
    with pytest.raises(GraphvineError, match=r"article\.discover, rows.*surrogate"):
        check(Unit.of([step]), blocks)


def test_steps_of_one_block_become_one(blocks: Library) -> None:
    first, second = discovering(1), discovering(2, 3)
    (joined,) = join([first, second], library())
    assert [row["claim"] for row in joined.parameters["rows"]] == [1, 2, 3]
    assert len(first.parameters["rows"]) == 1, "the caller's own are left alone"


def test_steps_that_differ_in_more_than_rows_stay_apart() -> None:
    later = Step("article.discover", {**discovering(2).parameters, "now": 7})
    assert len(join([discovering(1), later], library())) == 2
    assert len(join([finishing(1), finishing(2)], library())) == 2


def test_bounds_widen_when_steps_join() -> None:
    def describing(claim: int) -> Step:
        return Step("article.describe", {"rows": [{"claim": claim}], "lo": claim, "hi": claim})

    (joined,) = join([describing(5), describing(2), describing(9)], library())
    assert (joined.parameters["lo"], joined.parameters["hi"]) == (2, 9)


def test_joined_steps_keep_the_order_of_their_blocks() -> None:
    def linking(claim: int) -> Step:
        return Step("article.link", {"rows": [{"claim": claim}]})

    found = join([discovering(1), linking(1), discovering(2), linking(2)], library())
    assert [step.block for step in found] == ["article.discover", "article.link"]
