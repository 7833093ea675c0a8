"""Stretches of a file: where they begin, and the items that they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Part:
    """Items from one offset of the text on; the first of them has the number `first`."""

    offset: int
    first: int
    items: list[Any]


@dataclass(frozen=True, slots=True)
class Place:
    """The next item, and the last part before it whose place in the text is known."""

    item: int = 0
    part_item: int = 0
    part_offset: int = 0
