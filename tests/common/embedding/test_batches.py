"""Batches hold every text once, stay within the budget, and waste little on padding."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphvine.workers.common.embedding.light import plan_batches


@given(st.lists(st.integers(0, 512), max_size=200), st.integers(1, 4096))
def test_every_text_once_and_within_the_budget(lengths: list[int], budget: int) -> None:
    batches = plan_batches(lengths, budget)
    assert sorted(position for batch in batches for position in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[position] for position in batch) <= budget


def test_texts_of_like_length_stand_together() -> None:
    lengths = [10, 250] * 50
    batches = plan_batches(lengths, 1000)
    padded = sum(len(batch) * max(lengths[position] for position in batch) for batch in batches)
    assert padded <= 1.05 * sum(lengths)
