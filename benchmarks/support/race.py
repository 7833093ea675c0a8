"""Several contenders take turns over several sizes and batch sizes; and what their stretches say together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from support.contender import Contender, Sample
from support.progress import Bar
from support.rounds import interleave, median_rate, median_ratio, merged

# name, rows, batch
Cell = tuple[str, int, int]


@dataclass(slots=True)
class Entry:
    """A contender that has been filled, and how many of its items wait."""

    contender: Contender
    rows: int
    left: int


class Race:
    """Many short turns, merged into a few repetitions: a disturbance of some seconds hits all alike."""

    def __init__(self, seconds: float, turns: int, repetitions: int) -> None:
        self.seconds = seconds
        self.turns = turns
        self.repetitions = repetitions
        self.entries: dict[Cell, Entry] = {}
        self.durability: dict[str, str] = {}
        self.samples: dict[Cell, list[Sample]] = {}

    def enter(self, contender: Contender, rows: int) -> None:
        """Let a contender take part, with all its batch sizes, that has been filled with so many rows."""
        entry = Entry(contender, rows, rows)
        for batch in contender.batches:
            self.entries[contender.name, rows, batch] = entry
        self.durability[contender.name] = contender.durability

    def run(self, bar: Bar) -> None:
        """All who have entered take turns; others may enter for another race, whose samples are added."""
        # By batch size, then contender: what is compared across sizes runs one right after the other.
        order = sorted(self.entries, key=lambda cell: (cell[2], cell[0], cell[1]))
        cells: dict[Cell, Callable[[], Sample]] = {cell: partial(self.stretch, cell) for cell in order}
        rounds = self.turns * self.repetitions
        bar.expect(len(cells) * rounds)

        def before(cell: Cell) -> None:
            name, rows, batch = cell
            bar.say(f"{name}, {rows:,} rows, batches of {batch}")
            self.refill(self.entries[cell])
            bar.step()

        for cell, samples in interleave(cells, rounds, before).items():
            self.samples[cell] = merged(samples, self.turns)
        self.entries.clear()

    def refill(self, entry: Entry) -> None:
        """Start afresh where less than half is left: a stretch ends when half of the rows are done."""
        if entry.left < entry.rows // 2:
            entry.contender.fill(entry.rows)
            entry.left = entry.rows

    def stretch(self, cell: Cell) -> Sample:
        entry, batch = self.entries[cell], cell[2]
        sample = entry.contender.run(batch, self.seconds, max(1, entry.rows // 2 - batch))
        entry.left -= sample.items
        return sample

    def names(self) -> list[str]:
        return list(self.durability)

    def cell(self, name: str, size: int, batch: int) -> list[Sample]:
        """The repetitions at this batch size; a contender without it is taken at its best smaller one."""
        if (name, size, batch) in self.samples:
            return self.samples[name, size, batch]
        smaller = [
            found for (who, rows, own), found in self.samples.items() if (who, rows) == (name, size) and own < batch
        ]
        return max(smaller, key=median_rate)

    def rate(self, name: str, size: int, batch: int) -> float:
        """Items per second."""
        return median_rate(self.cell(name, size, batch))

    def lead(self, name: str, rival: str, size: int, batch: int) -> float:
        """How many times faster than a rival."""
        return median_ratio(self.cell(name, size, batch), self.cell(rival, size, batch))

    def growth(self, name: str, small: int, large: int, batch: int) -> float:
        """How many times more an item costs in the large table."""
        return median_ratio(self.cell(name, small, batch), self.cell(name, large, batch))
