"""Many readers beside one writer, and a gate that a checkpoint closes for a moment: it waits for every open read."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


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
            yield True  # the same thread, further in: a checkpoint that failed opens the store anew
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
