"""Threads that start together and whose exceptions are not lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tests.support.waiting import WAIT_LIMIT

T = TypeVar("T")


def together(works: Sequence[Callable[[], T]]) -> list[T]:
    """Run all of these at once, each in a thread of its own; what one raises is raised here."""
    start = threading.Barrier(len(works))

    def run(work: Callable[[], T]) -> T:
        start.wait(timeout=WAIT_LIMIT)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return [future.result(timeout=WAIT_LIMIT) for future in [pool.submit(run, work) for work in works]]
