"""Waiting for what other threads and processes do, with a limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(look: Callable[[], T], seconds: float = 20) -> T:
    """Call this until it raises no AssertionError; after the limit, its last one is raised."""
    end = time.monotonic() + seconds
    while True:
        try:
            return look()
        except AssertionError:
            if time.monotonic() >= end:
                raise
            time.sleep(0.005)
