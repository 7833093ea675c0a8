"""What closing a database frees goes back to the system.

Kuzu holds many small pieces of memory. The C library keeps the gaps that they leave for later use,
so that a worker of weeks grows although nothing leaks; asked to, it hands them back.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache


@cache
def _trim() -> Callable[[int], int] | None:
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library than GNU's
        return None
    return trim


def give_back() -> None:
    """Hand memory that is free but kept back to the system, where the C library can be told to."""
    if trim := _trim():
        trim(0)
