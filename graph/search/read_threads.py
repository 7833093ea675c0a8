"""Threads of the process that read for searches: to start them for each question would cost as much as two reads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache

_READS_AT_ONCE = 3


@cache
def readers() -> ThreadPoolExecutor:
    """What runs here must not wait for another that does."""
    return ThreadPoolExecutor(_READS_AT_ONCE, "graphvine-search")
