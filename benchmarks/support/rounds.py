"""Side by side: what is compared takes turns within one run, so that a busy minute hits all of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from support.contender import Sample

Cell = TypeVar("Cell", bound=Hashable)


def interleave(
    cells: Mapping[Cell, Callable[[], Sample]], rounds: int, before: Callable[[Cell], object]
) -> dict[Cell, list[Sample]]:
    """Run every cell once a round; every other round goes backwards, so that no cell is always the first."""
    samples: dict[Cell, list[Sample]] = {cell: [] for cell in cells}
    for turn in range(rounds):
        for cell in list(cells) if turn % 2 == 0 else reversed(list(cells)):
            before(cell)
            samples[cell].append(cells[cell]())
    return samples


def median_rate(samples: Iterable[Sample]) -> float:
    """The middle of the stretches' rates: one stretch that was disturbed does not move it."""
    return statistics.median(sample.rate for sample in samples)


def overall_rate(samples: Iterable[Sample]) -> float:
    """All items over all seconds: what rare upkeep costs is in it, and so is every disturbance."""
    found = list(samples)
    return sum(sample.items for sample in found) / sum(sample.seconds for sample in found)
