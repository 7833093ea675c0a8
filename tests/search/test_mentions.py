"""Which articles a text names, and which addresses are of the same page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.workers.search.edges import normalised
from graphvine.workers.search.mentions import MAX_MENTIONS, Title, Titles


def named(text: str, *titles: str | Title) -> list[str]:
    return Titles(one if isinstance(one, Title) else Title(one) for one in titles).named_in(text)


def test_the_longest_title_at_each_place_counts() -> None:
    text = "I read the New York Times in New York."
    assert named(text, "New York", "New York Times", "York") == ["New York Times", "New York"]


def test_only_whole_words_in_the_same_case_count() -> None:
    assert named("the Ivys, an ivy, unIvy, Ivy", "Ivy") == ["Ivy"]
    assert named("an Ivy-clad wall, so Ivy's", "Ivy") == ["Ivy"]


def test_a_word_at_the_beginning_of_a_sentence_is_no_name() -> None:
    assert named("Light is a wave. Light it. (Light)", "Light") == []
    assert named("They saw Light there. Virginia creeper grows.", "Light", "Virginia creeper") == [
        "Light",
        "Virginia creeper",
    ]


def test_what_is_ambiguous_is_left_out() -> None:
    assert named("on Mercury now", "Mercury (planet)", "Mercury (element)") == []
    assert named("on Mercury now", "Mercury (planet)") == ["Mercury (planet)"]
    assert named("on Mercury now", "Mercury", Title("Mercury", "disambiguation")) == []
    assert named("in 2012, The end", "2012", "The") == []


def test_a_redirect_names_its_target() -> None:
    assert named("in NYC today", Title("NYC", "redirect", "New York City"), "New York City") == ["New York City"]
    assert named("in NYC today", Title("NYC", "redirect")) == []


def test_mentions_are_bounded() -> None:
    titles = [f"Title {number}x" for number in range(200)]
    assert len(named(" and ".join(titles), *titles)) == MAX_MENTIONS
    assert named("nothing") == []


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=20), max_size=20))
def test_any_text_and_any_titles(text: str, titles: list[str]) -> None:
    clean = [title for title in titles if title.isprintable()]
    assert set(named(text, *clean)) <= set(clean)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://www.Example.org/a/?utm_source=x&id=1#top", "example.org/a?id=1"),
        ("http://example.org:80/a", "example.org/a"),
        ("http://example.org:8080/", "example.org:8080"),
        ("ftp://example.org/a", ""), ("http://[bad", ""), ("http://example.org:x/", ""), ("", ""), ("  ", ""),
    ],
)  # fmt: skip
def test_addresses_of_the_same_page_are_the_same(url: str, address: str) -> None:
    assert normalised(url) == address
