"""Passages: about equal, cut between sentences, nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.workers.wikipedia.passages import count_words, passages, sentences

TEXTS = st.text(max_size=2_000) | st.lists(
    st.sampled_from(
        ["word", "Dr.", "end.", "end! ", "\n\n", "\n", " ", "葡萄は。", "x" * 450, "e.g.", "(see p. 5).", "«?»"]
    ),
    max_size=300,
).map(" ".join)


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_short_text_stays_whole() -> None:
    assert passages("One. Two. Three.") == ["One. Two. Three."]
    assert passages("") == []
    assert passages(" \n ") == []


def test_passages_are_about_equal_and_end_with_sentences() -> None:
    text = " ".join(f"Sentence number {number} has seven words here." for number in range(100))
    found = passages(text, 180)
    assert [count_words(passage) for passage in found] == [175, 175, 175, 175]
    assert all(passage.endswith("here.") for passage in found)


def test_a_sentence_that_is_too_long_is_cut() -> None:
    found = passages("word " * 500, 180)
    assert [count_words(passage) for passage in found] == [180, 180, 140]


def test_a_word_without_end_is_cut() -> None:
    assert max(map(len, passages("x" * 100_000, 180))) <= 180 * 200


def test_scripts_without_spaces_are_cut_too() -> None:
    found = passages("葡萄は蔓性の植物である。" * 200, 180)
    assert len(found) > 5
    assert all(passage.endswith("。") for passage in found)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two.", 2),
        ("Dr. Smith came. He left.", 2),
        ("It is 3.5 m tall. Good.", 2),
        ("See J. Doe et al. for more, e.g. this one. End.", 3),
        ("Really?! Yes. \"So.\" Then.", 4),
        ("line one\nline two", 2),
        ("no end", 1),
    ],
)  # fmt: skip
def test_sentences(text: str, count: int) -> None:
    assert len(list(sentences(text))) == count


@given(TEXTS, st.integers(1, 60))
def test_nothing_is_lost_and_no_passage_is_too_long(text: str, limit: int) -> None:
    found = passages(text, limit)
    assert squeezed("".join(found)) == squeezed(text)
    assert all(1 <= count_words(passage) <= limit for passage in found)
    assert all(passage == passage.strip() for passage in found)


@given(TEXTS)
def test_sentences_put_together_are_the_text(text: str) -> None:
    assert "".join(sentences(text)) == text


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="max_words"):
        passages("text", 0)
