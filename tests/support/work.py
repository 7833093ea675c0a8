"""How much work a call does, counted in steps: a figure that no other load on the machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls_made(work: Callable[..., Any], *arguments: Any) -> int:
    """How many functions are entered and left, Python's own among them, while this runs."""
    made = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal made
        made += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work(*arguments)
    finally:
        sys.setprofile(before)
    return made
