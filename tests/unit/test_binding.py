"""How parameters go into a statement: bounds and keys written out, numbers without a gap by their ends, rows as columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.engines.kuzu.binding import FEWEST_ROWS, bind
from graphvine.queries import Block, QueryFileError, library
from graphvine.queries.compile import compile_kuzu
from graphvine.queries.model import By

TEXT = "MATCH (a:Article) WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token SET a.due = 0"
BATCH = (By("seqs", "lo", "hi"),)


def block(text: str, **hints: Any) -> Block:
    return replace(library().block("article.counts"), text=text, writes="SET" in text, **hints)


def bound(text: str, given_: Mapping[str, Any], **hints: Any) -> tuple[str, Mapping[str, Any], bool]:
    return bind(compile_kuzu(block(text, **hints)), given_)


def test_numbers_without_a_gap_are_told_by_their_ends() -> None:
    text, parameters, once = bound(TEXT, {"seqs": [12, 10, 11], "lo": 10, "hi": 12, "token": 5}, by=BATCH)
    assert "a.seq >= 0 AND a.seq <= 8192 AND a.seq >= $seqs_first AND a.seq <= $seqs_last" in text
    assert parameters == {"seqs_first": 10, "seqs_last": 12, "token": 5} and not once


@pytest.mark.parametrize("seqs", [[10, 12], [10, 10, 12], [10, 11, 13], [9, 11, 12], []])
def test_others_stay_a_list(seqs: list[int]) -> None:
    text, parameters, _ = bound(TEXT, {"seqs": seqs, "lo": 10, "hi": 12, "token": 5}, by=BATCH)
    assert "$seqs" in text and parameters["seqs"] == seqs


def test_a_list_that_is_used_otherwise_stays() -> None:
    used = TEXT + " RETURN size($seqs) AS many"
    text, parameters, _ = bound(used, {"seqs": [10, 11], "lo": 10, "hi": 11, "token": 5}, by=BATCH)
    assert "a.seq IN $seqs" in text and parameters["seqs"] == [10, 11]


def test_without_the_hint_nothing_is_written_out() -> None:
    given_ = {"seqs": [10, 11], "lo": 10, "hi": 11, "token": 5}
    assert bound(TEXT, given_) == (TEXT, given_, False)


def test_a_parameter_s_name_means_nothing() -> None:
    text = TEXT.replace("$lo", "$from").replace("$hi", "$upto").replace("$seqs", "$numbers")
    given_ = {"numbers": [1, 2], "from": 1, "upto": 2, "token": 5}
    made, parameters, _ = bound(text, given_, by=(By("numbers", "from", "upto"),))
    assert "a.seq >= 0 AND a.seq <= 8192 AND a.seq >= $numbers_first" in made
    assert parameters == {"numbers_first": 1, "numbers_last": 2, "token": 5}


@given(st.lists(st.integers(0, 40), min_size=1, max_size=12))
def test_the_same_rows_are_meant(seqs: list[int]) -> None:
    _, parameters, _ = bound(TEXT, {"seqs": seqs, "lo": min(seqs), "hi": max(seqs), "token": 5}, by=BATCH)
    if "seqs" in parameters:
        assert parameters["seqs"] == seqs
    else:
        assert set(range(parameters["seqs_first"], parameters["seqs_last"] + 1)) == set(seqs)


def test_literals_are_written_out() -> None:
    """Kuzu skips rows by what is written out; other pairs of bounds keep their parameters, and so their plan."""
    text = "MATCH (a:HNItem) WHERE a.hnId >= $first_id AND a.hnId <= $last_id AND a.score > $score RETURN a"
    made = bound(text, {"first_id": 5, "last_id": 70, "score": 1}, literals=("first_id", "last_id"))
    assert made == (text.replace("$first_id", "5").replace("$last_id", "70"), {"score": 1}, True)
    asked = {"first_id": "5", "last_id": "70", "score": 1}
    assert bound(text, asked, literals=("first_id", "last_id")) == (text, asked, False)


ROWS = "UNWIND $rows AS r WITH r.`index` AS `index`, r.id AS id CREATE (:Row {`index`: `index`, id: id})"


def test_a_name_in_backticks_is_a_name() -> None:
    made, parameters, once = bound(ROWS, {"rows": [{"index": 1, "id": None}]}, table="rows")
    assert made.startswith("LOAD FROM $rows WITH column_index AS `index`, NULL AS id") and once
    assert parameters["rows"].column_names == ["column_index"]


def test_a_few_rows_stay_a_list_and_many_become_columns() -> None:
    rows = [{"index": number, "id": "x"} for number in range(FEWEST_ROWS)]
    assert bound(ROWS, {"rows": rows[1:]}, table="rows") == (ROWS, {"rows": rows[1:]}, False)
    assert bound(ROWS, {"rows": rows}, table="rows")[0].startswith("LOAD FROM $rows")
    mixed = [*rows, {"index": "one", "id": "x"}]
    assert bound(ROWS, {"rows": mixed}, table="rows")[0] == ROWS


@pytest.mark.parametrize(
    ("text", "hints", "sentence"),
    [
        ("MATCH (a:Row) RETURN a", {"table": "rows"}, r"can't take \$rows as a table: begin with UNWIND \$rows"),
        (ROWS + " RETURN r.id AS id", {"table": "rows"}, r"can't take \$rows as a table"),
        ("MATCH (a:Row) RETURN a", {"by": BATCH}, r"has a hint for \$lo, which is not in its text"),
        ("MATCH (a:Row) RETURN a", {"literals": ("id",)}, r"has a hint for \$id, which is not in its text"),
    ],
)
def test_a_hint_that_the_text_does_not_bear_is_refused(text: str, hints: dict[str, Any], sentence: str) -> None:
    with pytest.raises(QueryFileError, match=sentence):
        compile_kuzu(block(text, **hints))


@pytest.mark.parametrize("pipeline", sorted(library("kuzu").machines))
def test_what_opening_asks_for_is_bounded_by_numbers_written_out(pipeline: str) -> None:
    """Kuzu skips stretches of rows by a literal alone: otherwise the first claim and the reaper read whole tables."""
    found = library("kuzu")
    ordered = bool(found.machines[pipeline].order)
    ready = found.statements[f"{pipeline}.{'ready_at' if ordered else 'ready_between'}"]
    text, left, _ = bind(ready, {"now": 1, "lease": 0, "depth": 2, "lo": 70, "hi": 90, "limit": 10})
    assert "a.seq >= 70 AND a.seq <= 90" in text and not {"lo", "hi"} & left.keys()
    for name in ("stale", "oldest_heartbeat"):
        assert "WHERE a.lease > 0" in bind(found.statements[f"{pipeline}.{name}"], {})[0]
