"""Side by side: what is compared takes turns within one run, so that a busy minute hits all of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
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


def merged(samples: Sequence[Sample], turns: int) -> list[Sample]:
    """Every so many stretches as one repetition, long enough to hold its share of rare upkeep."""
    groups = [samples[start : start + turns] for start in range(0, len(samples), turns)]
    return [Sample(sum(one.items for one in group), sum(one.seconds for one in group)) for group in groups]


def median_rate(samples: Iterable[Sample]) -> float:
    """The middle of the repetitions' rates: one that was disturbed does not move it."""
    return statistics.median(sample.rate for sample in samples)


def median_ratio(ours: Sequence[Sample], theirs: Sequence[Sample]) -> float:
    """How many times faster: the middle of the ratios within each repetition."""
    return statistics.median(one.rate / other.rate for one, other in zip(ours, theirs, strict=True))
