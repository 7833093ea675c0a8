"""Several contenders take turns over several sizes and batch sizes; and what their stretches say together."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial

from support.contender import Contender, Sample
from support.progress import Bar
from support.rounds import interleave, median_rate, overall_rate

# name, rows, batch
Cell = tuple[str, int, int]


class Race:
    def __init__(self, seconds: float, rounds: int) -> None:
        self.seconds = seconds
        self.rounds = rounds
        self.entries: dict[tuple[str, int], Contender] = {}
        self.left: dict[tuple[str, int], int] = {}
        self.durability: dict[str, str] = {}
        self.samples: dict[Cell, list[Sample]] = {}

    def enter(self, contender: Contender, rows: int) -> None:
        """Let a contender take part that has been filled with so many rows."""
        self.entries[contender.name, rows] = contender
        self.left[contender.name, rows] = rows
        self.durability[contender.name] = contender.durability

    def run(self, bar: Bar) -> None:
        cells: dict[Cell, Callable[[], Sample]] = {
            (name, rows, batch): partial(self.stretch, name, rows, batch)
            for (name, rows), contender in self.entries.items()
            for batch in contender.batches
        }
        bar.expect(len(cells) * self.rounds)

        def before(cell: Cell) -> None:
            name, rows, batch = cell
            bar.say(f"{name}, {rows:,} rows, batches of {batch}")
            self.refill(name, rows)
            bar.step()

        self.samples = interleave(cells, self.rounds, before)

    def refill(self, name: str, rows: int) -> None:
        """Start afresh where less than half is left: a stretch ends when half of the rows are done."""
        if self.left[name, rows] < rows // 2:
            self.entries[name, rows].fill(rows)
            self.left[name, rows] = rows

    def stretch(self, name: str, rows: int, batch: int) -> Sample:
        sample = self.entries[name, rows].run(batch, self.seconds, max(1, rows // 2 - batch))
        self.left[name, rows] -= sample.items
        return sample

    def names(self) -> list[str]:
        return list(self.durability)

    def cell(self, name: str, size: int, batch: int) -> list[Sample]:
        """The stretches at this batch size; a contender without it is taken at its best smaller one."""
        if (name, size, batch) in self.samples:
            return self.samples[name, size, batch]
        smaller = [own for own in self.entries[name, size].batches if own < batch]
        return max((self.samples[name, size, own] for own in smaller), key=median_rate)

    def rate(self, name: str, size: int, batch: int) -> float:
        """Items per second."""
        return median_rate(self.cell(name, size, batch))

    def overall(self, name: str, size: int, batch: int) -> float:
        return overall_rate(self.samples[name, size, batch])

    def growth(self, name: str, small: int, large: int, batch: int) -> float:
        """How many times more an item costs in the large table: the median of the rounds' own ratios."""
        pairs = zip(self.samples[name, small, batch], self.samples[name, large, batch], strict=True)
        return statistics.median(one.rate / other.rate for one, other in pairs)
