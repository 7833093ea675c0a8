"""One writer thread with a queue in front of it, and a gate that a checkpoint closes while it waits for open reads."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from queue import Empty, Queue
from typing import Any, Generic, TypeVar

from graphvine.errors import StoreClosed, StoreReopened


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
Request = TypeVar("Request")
Result = TypeVar("Result")
# So many requests share a commit at most.
_MOST_TOGETHER = 64
# For the callers that took part lately is waited this share of the time that the last group took, and so long at most:
# without them another group follows at once, and costs as much.
_GATHER_SHARE, _GATHER_SECONDS = 0.5, 0.002
_END: Any = object()
_log = logging.getLogger("graphvine.store")


class Writer(Generic[Request, Result]):
    """Runs calls one after another in a thread of its own, and requests that wait at the same time together."""

    def __init__(self, name: str, together: Callable[[list[Request]], list[Result]]) -> None:
        """`together` carries out all of these requests, or raises StoreReopened and has carried out none."""
        # Not a SimpleQueue: its get(timeout=...) waits for ever where the time is up before it looks a second time, as
        # it may be on a busy machine (Python 3.11), and then everybody waits for the writer.
        self._queue: Queue[Any] = Queue()
        self._together = together
        self._closed = False
        self._gate = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def call(self, work: Callable[[], T]) -> T:
        """Run this in the writing thread and wait for it."""
        result: T = self._waited_for(work, None)
        return result

    def share(self, request: Request, *, alone: bool = False) -> Result:
        """Carry this out, together with others unless `alone`, and wait for its result."""
        if alone:
            return self.call(lambda: self._together([request])[0])
        result: Result = self._waited_for(None, request)
        return result

    def _waited_for(self, work: Callable[[], Any] | None, request: Request | None) -> Any:
        future: Future[Any] = Future()
        with self._gate:
            if self._closed:
                raise StoreClosed
            self._queue.put((work, request, future, threading.get_ident()))
        return future.result()

    def close(self, last: Callable[[], None]) -> None:
        """After everything that is queued, run `last`, then end the thread."""
        future: Future[None] = Future()
        with self._gate:
            if self._closed:
                return
            self._closed = True
            self._queue.put((last, None, future, 0))
            self._queue.put(_END)
        try:
            future.result()
        finally:
            self._thread.join()

    def _run(self) -> None:
        callers: list[set[int]] = [set(), set()]  # of the last two groups
        patience, item = 0.0, self._queue.get()
        while item is not _END:
            work, request, future, caller = item
            item = None
            if work is not None:
                _answer(future, work)
            else:
                group, lately, item = self._gathered((request, future), caller, callers[0] | callers[1], patience)
                callers = [callers[1], lately]
                began = time.monotonic()
                self._carry_out(group)
                patience = min((time.monotonic() - began) * _GATHER_SHARE, _GATHER_SECONDS)
                del group
            del work, request, future
            item = self._queue.get() if item is None else item

    def _gathered(
        self, first: tuple[Request, Future[Result]], caller: int, expected: set[int], patience: float
    ) -> tuple[list[Any], set[int], Any]:
        """The requests that wait beside it, who sent them, and what came behind them that may not be among them.

        Those who sent one lately are waited for: each sends the next when it has the answer to the last.
        """
        group, callers = [first], {caller}
        deadline = time.monotonic() + patience
        while len(group) < _MOST_TOGETHER:
            left = deadline - time.monotonic() if expected - callers else 0.0
            try:
                item = self._queue.get(timeout=left) if left > 0 else self._queue.get_nowait()
            except Empty:
                break
            if item is _END or item[0] is not None:
                return group, callers, item
            group.append(item[1:3])
            callers.add(item[3])
        return group, callers, None

    def _carry_out(self, group: list[tuple[Request, Future[Result]]]) -> None:
        """All together; where that fails, each again, alone, so that only the one at fault fails."""
        if len(group) > 1:
            try:
                results = self._together([request for request, _ in group])
            except StoreReopened as error:
                _log.warning("%s; the %d units that shared its commit are run one by one", error, len(group))
            except BaseException as error:
                for _, future in group:
                    future.set_exception(error)
                return
            else:
                for (_, future), result in zip(group, results, strict=True):
                    future.set_result(result)
                return
        for request, future in group:
            _answer(future, partial(_alone, self._together, request))


def _alone(together: Callable[[list[Request]], list[Result]], request: Request) -> Result:
    return together([request])[0]


def _answer(future: Future[Any], work: Callable[[], Any]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)
