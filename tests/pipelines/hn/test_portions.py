"""Portions: every item once and in order, never more than fits."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from graphvine.workers.hn.ingest.prefetch import portions

ITEMS = st.lists(st.one_of(st.fixed_dictionaries({"text": st.text(max_size=30)}), st.just("no item"), st.none()))


@given(items=ITEMS, most=st.integers(1, 5), characters=st.integers(1, 40))
def test_nothing_is_lost_and_nothing_is_too_large(items: list[Any], most: int, characters: int) -> None:
    found = list(portions(items, most, characters))
    assert [item for portion in found for item in portion] == items
    for portion in found:
        lengths = [len(item["text"]) if isinstance(item, dict) else 0 for item in portion]
        assert 1 <= len(portion) <= most
        assert sum(lengths[:-1]) < characters, "it ended with the item that filled it"


def test_a_long_item_has_a_portion_of_its_own() -> None:
    long, short = {"id": 1, "text": "x" * 100}, {"id": 2, "text": "x"}
    assert list(portions([long, short, short, long], 10, 50)) == [[long], [short, short, long]]
