"""Fusion of rankings, and the search that uses it."""

from __future__ import annotations

import pytest

from graphvine.search import fuse
from graphvine.search.index import SearchIndex
from tests.search.samples import ids, section, unit_vectors


def test_what_both_rankings_like_comes_first() -> None:
    assert [key for key, _ in fuse([["a", "b", "c"], ["c", "b", "d"]])] == ["c", "b", "a", "d"]
    assert fuse([]) == fuse([[], []]) == []
    ((key, score),) = fuse([["x"]])
    assert (key, score) == ("x", pytest.approx(1 / 61))


def test_equals_keep_the_order_of_the_first_ranking() -> None:
    assert [key for key, _ in fuse([["a"], ["b"]])] == ["a", "b"]


def test_hybrid_joins_words_and_nearness(index: SearchIndex) -> None:
    vectors = unit_vectors(4)
    index.apply(
        [
            section("both", "grapes", vector=vectors[0], author="ann"),
            section("near", "nothing", vector=0.9 * vectors[0] + 0.1 * vectors[1]),
            section("word", "grapes and grapes", vector=-vectors[0]),
            section("words only", "grapes"),
        ],
        [],
        1,
    )
    found = index.hybrid("grapes", vectors[0])
    assert ids(found)[0] == "both"
    assert set(ids(found)) == {"both", "near", "word", "words only"}
    assert found.hits[0].snippet is not None
    assert found.hits[0].snippet.marks == ((0, 6),)
    assert ids(index.hybrid("grapes", vectors[0], filters={"author": "ann"})) == ["both"]
    assert ids(index.hybrid("grapes", vectors[0], limit=2)) + ids(
        index.hybrid("grapes", vectors[0], limit=2, offset=2)
    ) == ids(found)
    assert ids(index.hybrid("", vectors[0], limit=1)) == ["both"]
