"""Numbers without a gap become their two ends, all others stay a list, and bounds become literals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.engines.bounds import with_literal_bounds
from graphvine.engines.literals import with_keys

TEXT = "MATCH (a:Article) WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token SET a.due = 0"


def test_numbers_without_a_gap_are_told_by_their_ends() -> None:
    text, parameters = with_literal_bounds(TEXT, {"seqs": [12, 10, 11], "lo": 10, "hi": 12, "token": 5})
    assert "a.seq >= 0 AND a.seq <= 8192 AND a.seq >= $seqs_first AND a.seq <= $seqs_last" in text
    assert parameters == {"seqs_first": 10, "seqs_last": 12, "token": 5}


@pytest.mark.parametrize("seqs", [[10, 12], [10, 10, 12], [10, 11, 13], [9, 11, 12], []])
def test_others_stay_a_list(seqs: list[int]) -> None:
    text, parameters = with_literal_bounds(TEXT, {"seqs": seqs, "lo": 10, "hi": 12, "token": 5})
    assert "$seqs" in text and parameters["seqs"] == seqs


def test_a_list_that_is_used_otherwise_stays() -> None:
    used = TEXT + " RETURN size($seqs) AS many"
    text, parameters = with_literal_bounds(used, {"seqs": [10, 11], "lo": 10, "hi": 11, "token": 5})
    assert "a.seq IN $seqs" in text and parameters["seqs"] == [10, 11]


@given(st.lists(st.integers(0, 40), min_size=1, max_size=12))
def test_the_same_rows_are_meant(seqs: list[int]) -> None:
    given_ = {"seqs": seqs, "lo": min(seqs), "hi": max(seqs), "token": 5}
    _, parameters = with_literal_bounds(TEXT, given_)
    if "seqs" in parameters:
        assert parameters["seqs"] == seqs
    else:
        assert set(range(parameters["seqs_first"], parameters["seqs_last"] + 1)) == set(seqs)


def test_a_stretch_of_keys_is_written_out() -> None:
    """Kuzu skips rows by what is written out; other pairs of bounds keep their parameters, and so their plan."""
    text = "MATCH (a:HNItem) WHERE a.hnId >= $first_id AND a.hnId <= $last_id AND a.score > $score RETURN a"
    made = with_keys(text, {"first_id": 5, "last_id": 70, "score": 1})
    assert made == (text.replace("$first_id", "5").replace("$last_id", "70"), {"score": 1})
    assert with_keys(text, {"first_id": "5", "last_id": 70, "score": 1}) is None
    by_ends = "MATCH (a:Article) WHERE a.seq >= $seqs_first AND a.seq <= $seqs_last RETURN a"
    assert with_keys(by_ends, {"seqs_first": 1, "seqs_last": 2}) is None
