"""The collector looks less often while items come in, and as often as before after it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from graphvine.graph import Graph
from graphvine.workers.hn.ingest.ingest import take_in
from graphvine.workers.hn.ingest.prefetch import collecting_less


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_the_last_of_several_puts_it_back() -> None:
    gc.set_threshold(700, 10, 10)
    with collecting_less():
        with collecting_less():
            assert gc.get_threshold()[0] > 700
        assert gc.get_threshold()[0] > 700
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("chosen", [(0, 10, 10), (1_000_000, 5, 5)])
def test_who_chose_less_keeps_it(chosen: tuple[int, int, int]) -> None:
    gc.set_threshold(*chosen)
    with collecting_less():
        assert gc.get_threshold() == chosen
    assert gc.get_threshold() == chosen


def test_items_come_in_with_it_and_leave_it_as_it_was(graph: Graph) -> None:
    gc.set_threshold(700, 10, 10)
    seen = []

    def watch(taken: object) -> None:
        seen.append(gc.get_threshold()[0])

    take_in(graph, [{"id": 1, "type": "story", "title": "a"}], "SINGLE_POST", progress=watch)
    assert seen == [50_000] and gc.get_threshold() == (700, 10, 10)
