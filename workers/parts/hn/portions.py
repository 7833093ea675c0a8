"""Items in portions that fit into memory, and into one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

# No more text than this in one, about: an item may be as long as a thousand of the usual ones.
CHARACTERS_AT_ONCE = 16 << 20


def portions(items: Iterable[Any], most: int, characters: int = CHARACTERS_AT_ONCE) -> Iterator[list[Any]]:
    """The same items in the same order, so many at a time, or fewer where they are long."""
    portion: list[Any] = []
    weight = 0
    for item in items:
        portion.append(item)
        weight += _weight(item)
        if len(portion) >= most or weight >= characters:
            yield portion
            portion, weight = [], 0
    if portion:
        yield portion


def _weight(item: Any) -> int:
    return sum(len(value) for value in item.values() if type(value) is str) if type(item) is dict else 0
