"""Feeds ingestion: input cut into chunks that fit into memory, the next batch prepared while one is
written, and the garbage collector tuned for it."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Ahead(Generic[T]):
    """Python runs one thread at a time, and the engine beside it: `begin` is for when only the engine is at work."""

    def __init__(self, make: Callable[[], T], name: str) -> None:
        self._make = make
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._next: Future[T] | None = None

    def __enter__(self) -> Ahead[T]:
        return self

    def __exit__(self, *error: object) -> None:
        self._thread.shutdown()

    def begin(self) -> None:
        """Start on the next one, unless that was done."""
        if self._next is None:
            self._next = self._thread.submit(self._make)

    def take(self) -> T:
        """The next one, waited for; what went wrong in making it is raised here."""
        self.begin()
        assert self._next is not None
        made, self._next = self._next, None
        return made.result()


# No more text than this in one, about: an item may be as long as a thousand of the usual ones.
CHARACTERS_AT_ONCE = 16 << 20


# The first is small, so that something is written in however short a life; each has twice as many as the one before.
FIRST_ITEMS = 1_000


def portions(items: Iterable[Any], most: int, characters: int = CHARACTERS_AT_ONCE) -> Iterator[list[Any]]:
    """The same items in the same order, so many at a time, or fewer at first and where they are long."""
    portion: list[Any] = []
    weight, at_once = 0, min(FIRST_ITEMS, most)
    for item in items:
        portion.append(item)
        weight += _weight(item)
        if len(portion) >= at_once or weight >= characters:
            yield portion
            portion, weight, at_once = [], 0, min(2 * at_once, most)
    if portion:
        yield portion


def _weight(item: Any) -> int:
    return sum([len(value) for value in item.values() if type(value) is str]) if type(item) is dict else 0


_SELDOM = (50_000, 20, 50)
_lock = threading.Lock()
_users = 0
_usual: tuple[int, int, int] = gc.get_threshold()


@contextmanager
def collecting_less() -> Iterator[None]:
    """While this lasts, in all of the process; the last of several users puts it back."""
    global _users, _usual
    with _lock:
        if not _users:
            _usual = gc.get_threshold()
            if 0 < _usual[0] < _SELDOM[0]:  # somebody may have chosen less still, or none at all
                gc.set_threshold(*_SELDOM)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                gc.set_threshold(*_usual)
