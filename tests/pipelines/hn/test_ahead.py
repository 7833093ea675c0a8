"""The next batch is made while the engine is at work, not before, and one at a time."""

from __future__ import annotations

import threading

import pytest

from graphvine.workers.hn.ingest.prefetch import Ahead


def test_it_is_made_once_however_often_it_is_begun() -> None:
    numbers = iter(range(10))
    with Ahead(lambda: next(numbers, None), "test-ahead") as ahead:
        ahead.begin()
        ahead.begin()
        assert [ahead.take(), ahead.take()] == [0, 1]
        ahead.begin()
        assert ahead.take() == 2


def test_nothing_is_made_before_it_is_asked_for() -> None:
    made = []
    with Ahead(lambda: made.append(threading.current_thread()), "test-ahead") as ahead:
        assert made == []
        ahead.begin()
        ahead.take()
    assert [thread is threading.current_thread() for thread in made] == [False], "in a thread of its own"


def test_what_goes_wrong_is_raised_where_it_is_waited_for() -> None:
    def fail() -> None:
        raise ValueError("no more")

    with Ahead(fail, "test-ahead") as ahead:
        ahead.begin()
        with pytest.raises(ValueError, match="no more"):
            ahead.take()
