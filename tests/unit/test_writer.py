"""One thread writes, in the order in which it was asked."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from functools import partial
from types import SimpleNamespace

import pytest

from graphvine.engines.kuzu import concurrency
from graphvine.engines.kuzu.concurrency import Writer
from graphvine.errors import StoreClosed
from tests.support.threads import together
from tests.support.waiting import WAIT_LIMIT


def test_work_is_done_in_one_thread_in_order() -> None:
    writer = Writer("writer", list)
    done: list[int] = []

    def work(number: int) -> str:
        done.append(number)
        return threading.current_thread().name

    names = {writer.call(partial(work, number)) for number in range(20)}
    assert done == list(range(20)) and names == {"writer"}
    writer.close(lambda: None)


def test_what_the_work_raises_reaches_the_caller_and_no_other() -> None:
    writer = Writer("writer", list)
    with pytest.raises(ZeroDivisionError):
        writer.call(lambda: 1 // 0)
    with pytest.raises(KeyboardInterrupt):
        writer.call(interrupted)
    assert writer.call(lambda: "on it goes") == "on it goes"
    writer.close(lambda: None)


def interrupted() -> None:
    raise KeyboardInterrupt


def test_two_never_write_at_once() -> None:
    writer = Writer("writer", list)
    inside = 0
    most = 0

    def work() -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        inside -= 1

    together([lambda: [writer.call(work) for _ in range(50)] for _ in range(4)])
    assert most == 1
    writer.close(lambda: None)


def test_closing_waits_for_what_is_queued_then_runs_the_last() -> None:
    writer = Writer("writer", list)
    hold = threading.Event()
    done: list[str] = []

    def work() -> None:
        hold.wait(WAIT_LIMIT)
        done.append("work")

    threads = [threading.Thread(target=writer.call, args=(work,))]
    threads.append(threading.Thread(target=lambda: writer.close(lambda: done.append("last"))))
    for thread in threads:
        thread.start()
    hold.set()
    for thread in threads:
        thread.join(WAIT_LIMIT)
    assert done in (["work", "last"], ["last"])  # the call may have come too late, but never after the last
    with pytest.raises(StoreClosed):
        writer.call(lambda: None)


def test_closing_twice_is_once() -> None:
    writer = Writer("writer", list)
    closed: list[int] = []
    writer.close(lambda: closed.append(1))
    writer.close(lambda: closed.append(2))
    assert closed == [1]


def test_what_closing_raises_is_told_and_the_thread_ends() -> None:
    writer = Writer("a name of its own", list)
    with pytest.raises(ZeroDivisionError):
        writer.close(lambda: 1 // 0)  # type: ignore[arg-type]
    assert "a name of its own" not in {thread.name for thread in threading.enumerate()}


def test_a_moment_that_is_over_at_once_is_no_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the time to wait for others may be up before the first look at the queue has ended."""
    writer = Writer[int, int]("writer", list)
    writer.close(lambda: None)
    # There is always as little time left as can be.
    monkeypatch.setattr(concurrency, "time", SimpleNamespace(monotonic=lambda: 0.0))

    def gather() -> None:
        for _ in range(1_000):
            writer._queue.put((None, 1, Future[int](), 1))
            _, *request, caller = writer._queue.get()
            writer._gathered((request[0], request[1]), caller, {1, 2}, 1e-7)

    waiting = threading.Thread(target=gather, daemon=True)
    waiting.start()
    waiting.join(WAIT_LIMIT)
    assert not waiting.is_alive(), "it waits for somebody who does not come"
