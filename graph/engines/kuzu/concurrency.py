"""One writer thread with a queue in front of it, and a gate that a checkpoint closes while it waits for open reads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, TypeVar

from graphvine.errors import StoreClosed


class ReadGate:
    """Readers pass together; a checkpoint passes alone."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._reading = 0
        self._closing = False
        self._alone = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._change:
            while self._closing:
                self._change.wait()
            self._reading += 1
        try:
            yield
        finally:
            with self._change:
                self._reading -= 1
                self._change.notify_all()

    @contextmanager
    def alone(self, wait_seconds: float | None) -> Iterator[bool]:
        """True inside when all readers are out; False when they did not go in time (None: wait for them)."""
        if self._alone == threading.get_ident():
            yield True  # the same thread, further in: a failed checkpoint reopens the store
            return
        with self._change:
            while self._closing:
                self._change.wait()
            self._closing = True
            deadline = None if wait_seconds is None else time.monotonic() + wait_seconds
            while self._reading:
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    break
                self._change.wait(left)
            free = self._reading == 0
            if not free:
                self._closing = False
                self._change.notify_all()
        try:
            if free:
                self._alone = threading.get_ident()
            yield free
        finally:
            if free:
                with self._change:
                    self._closing, self._alone = False, 0
                    self._change.notify_all()


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
