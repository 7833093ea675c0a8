"""Has several writes wait for the writing thread, so that they share one commit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from graphvine.graph import Graph
from tests.support.waiting import WAIT_LIMIT, eventually


def share_a_commit(
    graph: Graph, writes: Sequence[Callable[[], object]], before: Callable[[], None] = lambda: None
) -> list[BaseException | None]:
    """Run these together, in this order; what each of them raised. `before` is called when all of them wait."""
    writer: Any = graph.engine._writer  # type: ignore[attr-defined]  # embedded engines have it
    held, go_on = threading.Event(), threading.Event()
    errors: list[BaseException | None] = [None] * len(writes)

    def block() -> None:
        held.set()
        assert go_on.wait(WAIT_LIMIT)

    def write(number: int) -> None:
        try:
            writes[number]()
        except Exception as error:
            errors[number] = error

    blocking = threading.Thread(target=writer.call, args=(block,))
    blocking.start()
    assert held.wait(WAIT_LIMIT)
    threads = []
    for number in range(len(writes)):
        threads.append(threading.Thread(target=write, args=(number,)))
        threads[-1].start()
        eventually(lambda: _assert_waiting(writer, len(threads)))
    before()
    go_on.set()
    for thread in (blocking, *threads):
        thread.join(WAIT_LIMIT)
    return errors


def _assert_waiting(writer: Any, calls: int) -> None:
    assert writer._queue.qsize() == calls
