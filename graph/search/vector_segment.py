"""One file of vectors.

A file is a row of records, each a number (int64) and a vector (float32). Numbers only grow, so they are sorted.
Whether a row is live is the text index's to say: a number that no document has is dead, whatever the reason."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphvine.search.ann_index import Neighbours
from graphvine.search.index_folder import sync

_NUMBER_COLUMNS = 2  # an int64 in the width of two float32
_ROWS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class SegmentView:
    """What a search sees of a segment; later changes make another view."""

    path: Path
    records: NDArray[np.float32]
    numbers: NDArray[np.int64]
    live: NDArray[np.bool_]
    neighbours: Neighbours | None = None

    @property
    def rows(self) -> int:
        return len(self.numbers)

    @property
    def vectors(self) -> NDArray[np.float32]:
        return self.records[:, _NUMBER_COLUMNS:]

    def nearest(self, query: NDArray[np.float32], limit: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Numbers and cosines of the nearest live rows, best first."""
        living = int(np.count_nonzero(self.live))
        wanted = min(limit, living)
        if wanted == 0:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        if self.neighbours is not None and 4 * wanted < living:
            rows = self._near(query, wanted, living)
            if len(rows) >= wanted:
                return self._ranked(rows, _cosines(self.vectors[rows], query), wanted)
        return self._ranked(np.flatnonzero(self.live), _cosines(self.vectors, query)[self.live], wanted)

    def nearest_of(
        self, query: NDArray[np.float32], numbers: NDArray[np.int64], limit: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The nearest among these numbers (sorted), exactly; numbers of other segments are passed over."""
        numbers = numbers[numbers <= self.numbers[-1]] if self.rows else numbers[:0]
        rows = np.searchsorted(self.numbers, numbers)
        rows = rows[(self.numbers[rows] == numbers) & self.live[rows]]
        return self._ranked(rows, _cosines(self.vectors[rows], query), min(limit, len(rows)))

    def with_deaths(self, numbers: NDArray[np.int64]) -> SegmentView:
        """The same, with these numbers dead."""
        dead = np.isin(self.numbers, numbers, assume_unique=True) & self.live
        return replace(self, live=self.live & ~dead) if dead.any() else self

    def _near(self, query: NDArray[np.float32], wanted: int, living: int) -> NDArray[np.int64]:
        assert self.neighbours is not None
        # Dead rows are found too: where there are any, ask for twice their share more.
        dead = self.rows - living
        ask = min(self.rows, wanted + 2 * (wanted * dead // living) + (wanted if dead else 0))
        rows = self.neighbours.near(query, ask)
        return rows[self.live[rows]]

    def _ranked(
        self, rows: NDArray[np.int64], scores: NDArray[np.float32], wanted: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        if 0 < wanted < len(rows):
            best = np.argpartition(-scores, wanted - 1)[:wanted]
            rows, scores = rows[best], scores[best]
        order = np.lexsort((rows, -scores))
        return self.numbers[rows[order]], scores[order]


def _cosines(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """In this thread alone: BLAS has threads that spin, and on a busy machine takes twenty times as long."""
    found: NDArray[np.float32] = np.einsum("ij,j->i", vectors, query)
    return found


def read_segment(
    path: Path, dimension: int, before: SegmentView | None = None, appended: Sequence[NDArray[np.int64]] = ()
) -> SegmentView:
    """A view of the whole records of a file, taken for live. A record cut short by a kill is not seen.

    Given the view before rows were appended, and their numbers, it need not look at every record.
    """
    width = _NUMBER_COLUMNS + dimension
    rows = path.stat().st_size // (4 * width)
    if rows == 0:  # an empty file can't be mapped
        records = np.empty((0, width), dtype=np.float32)
    else:
        # As a plain array, whose parts are taken in a fifth of the time.
        records = np.asarray(np.memmap(path, dtype=np.float32, mode="r", shape=(rows, width)))
    live = np.ones(rows, dtype=np.bool_)
    if before is None:
        numbers = np.ascontiguousarray(records[:, :_NUMBER_COLUMNS]).view(np.int64).reshape(rows)
    else:
        numbers = np.concatenate([before.numbers, *appended])
        live[: before.rows] = before.live
    return SegmentView(path, records, numbers, live)


def as_records(numbers: NDArray[np.int64], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The bytes of these rows."""
    records = np.empty((len(numbers), _NUMBER_COLUMNS + vectors.shape[1]), dtype=np.float32)
    records[:, :_NUMBER_COLUMNS] = np.ascontiguousarray(numbers).view(np.float32).reshape(-1, _NUMBER_COLUMNS)
    records[:, _NUMBER_COLUMNS:] = vectors
    return records


_NAME = re.compile(r"(\d{8})-(\d{8})-(\d+)")


@dataclass(frozen=True, slots=True)
class Span:
    """What a segment's name says."""

    first: int
    last: int
    generation: int = 1

    @classmethod
    def of(cls, path: Path) -> Span:
        found = _NAME.fullmatch(path.stem)
        if found is None:
            raise ValueError(f"{path.name} is no name of a segment")
        return cls(*(int(part) for part in found.groups()))

    def path(self, folder: Path) -> Path:
        return folder / f"{self.first:08d}-{self.last:08d}-{self.generation}.vec"

    def outdates(self, other: Span) -> bool:
        return self.first <= other.first and other.last <= self.last and other.generation < self.generation


def segment_paths(folder: Path) -> list[Path]:
    """The segments in their order, after taking away what kills left of earlier ones."""
    for part in folder.glob("*.part"):
        part.unlink()
    spans = {path: Span.of(path) for path in sorted(folder.glob("*.vec"))}
    for path, span in list(spans.items()):
        if any(other.outdates(span) for other in spans.values()):
            path.unlink()
            del spans[path]
    stems = {path.stem for path in spans}
    for graph in folder.glob("*.usearch"):
        if graph.name.split(".")[0] not in stems:
            graph.unlink()
    return list(spans)


def path_after(path: Path | None, folder: Path) -> Path:
    """The name of the segment that follows."""
    number = 1 if path is None else Span.of(path).last + 1
    return Span(number, number).path(folder)


def rewrite(run: Sequence[SegmentView], dimension: int) -> list[SegmentView]:
    """The live rows of these neighbouring segments as one, or as none if nothing lives."""
    if not any(view.live.any() for view in run):
        for view in run:
            remove_segment(view.path)
        return []
    path, part = write_joined(run)
    return [put_in_place(run, path, part, dimension)]


def write_joined(run: Sequence[SegmentView]) -> tuple[Path, Path]:
    """Write the live rows of these neighbouring segments into one file. Returns its name, and what it is called yet."""
    spans = [Span.of(view.path) for view in run]
    generation = 1 + max(span.generation for span in spans)
    path = Span(spans[0].first, spans[-1].last, generation).path(run[0].path.parent)
    part = path.with_suffix(".vec.part")
    with part.open("wb") as file:
        for view in run:
            for start in range(0, view.rows, _ROWS_AT_ONCE):
                rows = slice(start, start + _ROWS_AT_ONCE)
                file.write(view.records[rows][view.live[rows]].tobytes())
        file.flush()
        os.fsync(file.fileno())
    return path, part


def put_in_place(run: Sequence[SegmentView], path: Path, part: Path, dimension: int) -> SegmentView:
    """Let the file stand for these segments. What died of them since it was written is dead in it, too."""
    os.replace(part, path)
    sync(path.parent)
    for view in run:
        remove_segment(view.path)
    view = read_segment(path, dimension)
    living = np.concatenate([other.numbers[other.live] for other in run])
    return replace(view, live=np.isin(view.numbers, living, assume_unique=True))


def remove_segment(path: Path) -> None:
    """Remove a segment and its graph. Searches that still look at them keep their maps."""
    for graph in path.parent.glob(f"{path.stem}.*.usearch"):
        graph.unlink()
    path.unlink(missing_ok=True)
