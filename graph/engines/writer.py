"""One thread writes: callers queue in the order in which they come, and a Ctrl-C in theirs cuts no transaction."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from graphvine.errors import StoreClosed

T = TypeVar("T")


class Writer:
    def __init__(self, name: str) -> None:
        self._queue: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self._closed = False
        self._gate = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def call(self, work: Callable[[], T]) -> T:
        """Run this in the writing thread and wait for it."""
        future: Future[T] = Future()
        with self._gate:
            if self._closed:
                raise StoreClosed
            self._queue.put((work, future))
        return future.result()

    def close(self, last: Callable[[], None]) -> None:
        """After everything that is queued, run `last`, then end the thread."""
        future: Future[None] = Future()
        with self._gate:
            if self._closed:
                return
            self._closed = True
            self._queue.put((last, future))
            self._queue.put(None)
        try:
            future.result()
        finally:
            self._thread.join()

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            work, future = item
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
            del work, future, item
