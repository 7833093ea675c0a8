"""Waiting for what other threads and processes do, with a limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# How many seconds a test waits for something that must happen. It ends a hang; it judges no speed: a machine may be
# busy with anything. What is to be fast is measured in benchmarks/.
WAIT_LIMIT = 600.0


def eventually(look: Callable[[], T]) -> T:
    """Call this until it neither raises AssertionError nor returns False; after the limit, an AssertionError says so."""
    end = time.monotonic() + WAIT_LIMIT
    while True:
        try:
            found = look()
            assert found is not False, "it did not happen in time"
            return found
        except AssertionError:
            if time.monotonic() >= end:
                raise
            time.sleep(0.005)
