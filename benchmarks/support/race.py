"""Several contenders take turns over several sizes and batch sizes; and what their stretches say together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from support.contender import Contender, Sample
from support.progress import Bar
from support.rounds import interleave, median_rate, median_ratio, merged

# name, rows, batch
Cell = tuple[str, int, int]


class Race:
    """Many short turns, merged into a few repetitions: a disturbance of some seconds hits all alike."""

    def __init__(self, seconds: float, turns: int, repetitions: int) -> None:
        self.seconds = seconds
        self.turns = turns
        self.repetitions = repetitions
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
        # By batch size, then contender: what is compared across sizes runs one right after the other.
        order = sorted((batch, name, rows) for (name, rows), entry in self.entries.items() for batch in entry.batches)
        cells: dict[Cell, Callable[[], Sample]] = {
            (name, rows, batch): partial(self.stretch, name, rows, batch) for batch, name, rows in order
        }
        rounds = self.turns * self.repetitions
        bar.expect(len(cells) * rounds)

        def before(cell: Cell) -> None:
            name, rows, batch = cell
            bar.say(f"{name}, {rows:,} rows, batches of {batch}")
            self.refill(name, rows)
            bar.step()

        self.samples = {
            cell: merged(samples, self.turns) for cell, samples in interleave(cells, rounds, before).items()
        }

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
        """The repetitions at this batch size; a contender without it is taken at its best smaller one."""
        if (name, size, batch) in self.samples:
            return self.samples[name, size, batch]
        smaller = [own for own in self.entries[name, size].batches if own < batch]
        return max((self.samples[name, size, own] for own in smaller), key=median_rate)

    def rate(self, name: str, size: int, batch: int) -> float:
        """Items per second."""
        return median_rate(self.cell(name, size, batch))

    def lead(self, name: str, rival: str, size: int, batch: int) -> float:
        """How many times faster than a rival."""
        return median_ratio(self.cell(name, size, batch), self.cell(rival, size, batch))

    def growth(self, name: str, small: int, large: int, batch: int) -> float:
        """How many times more an item costs in the large table."""
        return median_ratio(self.cell(name, small, batch), self.cell(name, large, batch))
