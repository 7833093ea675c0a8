"""Several rankings made into one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
# The usual constant: how much the very first ranks stand out from the next ones.
_SMOOTHING = 60


def fuse(rankings: Iterable[Sequence[Key]]) -> list[tuple[Key, float]]:
    """Reciprocal rank fusion: best first, equals in the order in which they were first seen."""
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1 / (_SMOOTHING + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])
