"""Vectors as text: nothing is lost, and what an engine has written as a list is read too."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from graphvine.queries import library
from graphvine.vectors import as_stored, pack, unpack

SINGLES = some.floats(width=32, allow_nan=False)
HALVES = some.floats(width=16, allow_nan=False)


@given(some.lists(SINGLES | HALVES, max_size=40))
def test_no_number_of_32_bits_is_changed(numbers: list[float]) -> None:
    assert unpack(pack(numbers)) == numbers


@given(some.lists(HALVES, min_size=1, max_size=40))
def test_16_bits_are_enough_for_what_is_stored(numbers: list[float]) -> None:
    text = pack(numbers)
    assert text is not None and len(text) <= 1 + 4 * (2 * len(numbers) + 2) // 3
    assert unpack(text) == numbers


def test_what_is_missing_stays_missing() -> None:
    assert pack(None) is None and unpack(None) is None
    assert pack([]) == "" and unpack("") == []
    assert as_stored([]) == []


def test_a_list_as_an_engine_writes_it_is_read() -> None:
    assert unpack("[1.500000,-2.000000]") == [1.5, -2.0] and unpack("[]") == []


def test_rounding_keeps_the_likeness() -> None:
    chance = np.random.default_rng(7)
    one, other = chance.normal(size=(2, 384))
    one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
    rounded = np.array(as_stored([one, other]))
    assert abs(float(rounded[0] @ rounded[1]) - float(one @ other)) < 1e-3


def test_every_block_that_keeps_or_reads_a_vector_is_known() -> None:
    statements = library("kuzu").statements
    assert {name for name, one in statements.items() if one.packs} == {
        "article.add_sections", "article.replace_sections", "news_article.save_vectors", "section.embed_even",
        "section.embed_odd", "vector.embed_even", "vector.embed_odd",
    }  # fmt: skip
    assert {name for name, one in statements.items() if one.unpacks} >= {
        "article.sections_after", "article.sections_after_odd", "article.section_vectors",
    }  # fmt: skip
    assert not any(one.packs or one.unpacks for one in library("neo4j").statements.values())
