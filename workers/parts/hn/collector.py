"""Python's collector of cycles, asked to look less often while items come in by the thousand.

Two batches of them are alive at a time, a hundred thousand dicts without a cycle among them. The collector would go
through all of them again and again, with every other thread waiting: a twentieth of the time of `hn add`, and up to a
tenth with the larger batches of an upload.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

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
