"""Makes the next batch ready in a thread, while the one before it is in the engine's hands."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

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
