"""Rows that are kept by column read like a list of dicts, and are checked and numbered like one."""

from __future__ import annotations

import pytest

from graphvine.queries import library
from graphvine.records import Step, Unit
from graphvine.table import Table, as_dicts, column
from graphvine.units import BadText, carry_out, check

ROWS = [{"hnId": 1, "text": "a"}, {"hnId": 2, "text": None}, {"hnId": 3, "text": "ü"}]


def table() -> Table:
    return Table({name: [row[name] for row in ROWS] for name in ("hnId", "text")})


def test_it_reads_like_a_list_of_dicts() -> None:
    assert list(table()) == ROWS
    assert len(table()) == 3 and table()[1] == ROWS[1] and table()[-1] == ROWS[-1]
    assert list(table()[1:]) == ROWS[1:]
    assert column(table(), "hnId") == column(ROWS, "hnId") == [1, 2, 3]


def test_columns_of_two_lengths_are_no_table() -> None:
    with pytest.raises(ValueError, match=r"one length, not \[1, 2\]"):
        Table({"a": [1], "b": [1, 2]})


def test_who_knows_only_dicts_gets_them() -> None:
    assert as_dicts({"rows": table(), "at": 7}) == {"rows": ROWS, "at": 7}
    given = {"rows": ROWS}
    assert as_dicts(given) is given


def step(rows: Table) -> Step:
    return Step("hn_item.touch", {"rows": rows, "first_id": 1})


@pytest.mark.parametrize("place", [0, 1_500])
def test_half_a_character_is_refused_wherever_it_stands(place: int) -> None:
    texts = ["sound"] * 2_000
    check(Unit.of([step(Table({"text": texts}))]), library("kuzu"))
    texts[place] = "a\ud800"
    with pytest.raises(BadText, match=rf"rows\[{place}\], text"):
        check(Unit.of([step(Table({"text": texts}))]), library("kuzu"))


def test_fresh_numbers_leave_the_callers_own_alone() -> None:
    mine, ran = Table({"hnId": [7, 8], "seq": [0, 0]}), []
    unit = Unit.of([Step("hn_item.take_in", {"rows": mine, "first_id": 7, "at": None, "never": 0})])
    carry_out(
        unit,
        library("kuzu"),
        lambda block, parameters: ran.append(parameters["rows"]) or [],  # type: ignore[func-returns-value]
        lambda block, count: range(100, 100 + count),
    )
    assert list(ran[0]) == [{"hnId": 7, "seq": 100}, {"hnId": 8, "seq": 101}]
    assert column(mine, "seq") == [0, 0]
