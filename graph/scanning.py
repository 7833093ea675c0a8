"""Filling a window without reading the whole table for it.

Reading titles of a million rows to sort them takes half a second; looking at numbers alone takes a fraction. So where
more rows are ready than a window holds, it is filled from the nearest depth, and there from the next stretch of row
numbers: Kuzu skips what lies outside the bounds.
"""

from __future__ import annotations

from collections.abc import Callable

from graphvine.records import Row
from graphvine.window import Scanned

Read = Callable[..., list[Row]]


def scan_ready(read: Read, pipeline: str, now: int, lease: int, size: int, next_due: int) -> Scanned:
    """The next rows to claim, `size` at most."""
    nearest = read(f"{pipeline}.frontier", now=now, lease=lease)[0]
    if not nearest["ready"]:
        return Scanned([], None, next_due)
    if nearest["ready"] <= size:
        return Scanned(read(f"{pipeline}.ready", now=now, lease=lease, limit=size), None, next_due)
    depth = nearest["depth"]
    there = read(f"{pipeline}.frontier_at", now=now, lease=lease, depth=depth)[0]
    rows: list[Row] = []
    lo, last = there["lo"], there["hi"]
    while lo <= last and not rows:
        # As many numbers as should hold a window of ready rows, if they lie evenly.
        hi = min(last, lo + size * (last - there["lo"] + 1) // there["ready"])
        rows = read(f"{pipeline}.ready_at", now=now, lease=lease, depth=depth, lo=lo, hi=hi, limit=size)
        reached, lo = hi, hi + 1
    if len(rows) == size:
        reached = rows[-1]["seq"]
    return Scanned(rows, (depth, reached + 1), next_due)
