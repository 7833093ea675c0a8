"""Readers pass together; a checkpoint passes alone."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from graphvine.engines.kuzu.concurrency import ReadGate
from tests.support.waiting import WAIT_LIMIT, eventually


def test_readers_pass_together() -> None:
    gate = ReadGate()
    both = threading.Barrier(2, timeout=WAIT_LIMIT)

    def read() -> None:
        with gate.reading():
            both.wait()

    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(read), pool.submit(read)]:
            future.result(WAIT_LIMIT)


def test_alone_waits_for_readers_and_holds_new_ones_back() -> None:
    gate = ReadGate()
    leave, order = threading.Event(), []

    def read(name: str) -> None:
        with gate.reading():
            order.append(name)
            leave.wait(WAIT_LIMIT)

    def fold() -> None:
        with gate.alone(None) as free:
            assert free
            order.append("alone")

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(read, "first")
        eventually(lambda: _assert(order == ["first"]))
        folding = pool.submit(fold)
        eventually(lambda: _assert(gate._closing))
        second = pool.submit(read, "second")
        assert order == ["first"], "neither may pass yet"
        leave.set()
        for future in (first, folding, second):
            future.result(WAIT_LIMIT)
    assert order == ["first", "alone", "second"]


def test_alone_gives_up_when_readers_do_not_leave() -> None:
    gate = ReadGate()
    with gate.reading(), gate.alone(0.01) as free:
        assert not free
        with gate.reading():  # and nobody is held back
            pass
    with gate.alone(0.01) as free:
        assert free


def test_alone_further_in_is_alone_already() -> None:
    gate = ReadGate()
    with gate.alone(None) as outer, gate.alone(None) as inner:
        assert outer and inner
    with gate.reading():
        pass


def test_what_is_raised_inside_opens_the_gate_again() -> None:
    gate = ReadGate()
    with pytest.raises(ZeroDivisionError), gate.alone(None):
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), gate.reading():
        raise ZeroDivisionError
    with gate.alone(0.01) as free:
        assert free


def _assert(condition: bool) -> None:
    assert condition
