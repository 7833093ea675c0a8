"""All vectors of an index: a row of segments, of which the last is written to."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from graphvine.search.ann_index import build_neighbours, open_neighbours
from graphvine.search.index_folder import sync
from graphvine.search.vector_segment import (
    SegmentView,
    as_records,
    path_after,
    put_in_place,
    read_segment,
    remove_segment,
    rewrite,
    segment_paths,
    write_joined,
)

# Up to here a segment is searched exactly: some milliseconds. Full ones get a graph of neighbours.
SEGMENT_ROWS = 20_000
_DEAD_SHARE = 0.4
# So many neighbouring segments of like size are made into one, as each costs a search of its own; up to a size whose
# graph takes 150 MB while it is built.
_JOINED, _LARGEST = 4, 16


class VectorsIncomplete(Exception):
    """The files lack vectors that documents have."""


class VectorStore:
    """Rows are appended and synced before the commit that makes them true, and published after it.

    Callers hold the index's write lock. Views never change once they are given out.
    """

    def __init__(self, folder: Path, dimension: int, live_numbers: NDArray[np.int64], segment_rows: int) -> None:
        self._folder, self._dimension, self._segment_rows = folder, dimension, segment_rows
        self._record_bytes = as_records(np.zeros(1, np.int64), np.zeros((1, dimension), np.float32)).nbytes
        live_numbers = np.sort(live_numbers)
        try:
            self._views = [_open(path, dimension, live_numbers) for path in segment_paths(folder)]
        except ValueError as error:
            raise VectorsIncomplete(str(error)) from error
        found = sum(int(view.live.sum()) for view in self._views)
        if found != len(live_numbers):
            raise VectorsIncomplete(f"{len(live_numbers)} documents have vectors, {found} of these are there")
        if self._views:
            # A record that a kill cut short would shift all that are appended after it.
            os.truncate(self._views[-1].path, self._views[-1].rows * self._record_bytes)
        self._appended: dict[Path, list[NDArray[np.int64]]] = {}
        self._file: BinaryIO | None = None

    @property
    def views(self) -> tuple[SegmentView, ...]:
        return tuple(self._views)

    @property
    def first_free(self) -> int:
        """One more than any number in the files, committed or not."""
        return 1 + max((int(view.numbers[-1]) for view in self._views if view.rows), default=-1)

    def append(self, numbers: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Write rows that are not yet to be seen. A full segment is followed by a new one."""
        while len(numbers):
            path, room = self._writable()
            if self._file is None:
                self._file = path.open("ab")
            self._file.write(as_records(numbers[:room], vectors[:room]).tobytes())
            self._appended[path].append(numbers[:room])
            numbers, vectors = numbers[room:], vectors[room:]

    def sync(self) -> None:
        """Bring what was appended to the disk: called before the commit that refers to it."""
        self._finish_file()
        if self._appended:
            sync(self._folder)

    def publish(self, dead: Sequence[int]) -> None:
        """After the commit: show what was appended, and let what was replaced or deleted die."""
        for path, numbers in self._appended.items():
            if self._views and self._views[-1].path == path:
                self._views[-1] = read_segment(path, self._dimension, self._views[-1], numbers)
            else:
                self._views.append(read_segment(path, self._dimension))
        self._appended = {}
        gone = np.array(sorted(dead), dtype=np.int64)
        self._views = [view.with_deaths(gone) for view in self._views]

    def rollback(self) -> None:
        """Take back what was appended and not published."""
        if self._file is not None:
            self._file.close()
            self._file = None
        rows = {view.path: view.rows for view in self._views}
        for path in self._appended:
            if path in rows:
                os.truncate(path, rows[path] * self._record_bytes)
            else:
                path.unlink(missing_ok=True)
        self._appended = {}

    def clear(self) -> None:
        """Remove every segment: called after the commit that left no document."""
        self.rollback()
        for view in self._views:
            remove_segment(view.path)
        self._views = []

    def without_neighbours(self) -> list[SegmentView]:
        """The full segments that are still searched row by row; what deaths made small may stay so."""
        return [view for view in self._full() if view.neighbours is None and view.rows >= self._segment_rows // 4]

    def attach(self, built: SegmentView) -> bool:
        """Use the graph of neighbours that was built, if its segment is still there."""
        for position, view in enumerate(self._views):
            if view.path == built.path:
                self._views[position] = replace(view, neighbours=open_neighbours(view.path, view.rows))
                return True
        return False

    def to_join(self, *, built: bool) -> list[SegmentView]:
        """The first run of segments that are worth joining: of those that have their graphs, or of those without."""
        run: list[SegmentView] = []
        for view in self._full():
            if (view.neighbours is not None) != built or view.rows >= _LARGEST * self._segment_rows:
                run = []
            elif run and self._size(view) != self._size(run[0]):
                run = [view]
            else:
                run.append(view)
            if len(run) == _JOINED:
                return run
        return []

    def join(self, run: Sequence[SegmentView], go_on: Callable[[], bool], lock: AbstractContextManager[Any]) -> int:
        """Make these one. Returns how many they were, 0 where it was stopped.

        Where they have graphs, so has the new one before it takes their place: no search gets slower meanwhile. Called
        without the lock, which is taken for that moment.
        """
        path, part = write_joined(run)
        view = read_segment(part, self._dimension)
        ready = view.rows > 0
        if ready and run[0].neighbours is not None:
            ready = build_neighbours(path, view.vectors, go_on)
        with lock:
            now = [view for view in self._views if view.path in {one.path for one in run}]
            if not ready or len(now) != len(run) or not go_on():
                part.unlink(missing_ok=True)
                return 0
            at = self._views.index(now[0])
            joined = put_in_place(now, path, part, self._dimension)
            self._views[at : at + len(run)] = [replace(joined, neighbours=open_neighbours(path, joined.rows))]
            return len(run)

    def wants_upkeep(self) -> bool:
        """Whether a full segment has no graph, too much in it is dead, or several are worth joining."""
        return (
            bool(self.without_neighbours() or self.to_join(built=True))
            or any(self._worth_rewriting(group) for group in self._groups())
        )  # fmt: skip

    def compact(self) -> int:
        """Rewrite full segments in which much is dead, and small neighbours into one; tells how many were read."""
        kept, read = list[SegmentView](), 0
        for group in self._groups():
            if self._worth_rewriting(group):
                kept += rewrite(group, self._dimension)
                read += len(group)
            else:
                kept += group
        self._views = [*kept, *self._views[len(self._full()) :]]
        return read

    def _full(self) -> list[SegmentView]:
        """The segments that are no longer written to."""
        if self._views and self._views[-1].rows >= self._segment_rows:
            return self._views
        return self._views[:-1]

    def _groups(self) -> list[list[SegmentView]]:
        """The full segments, neighbours together whose live rows fit into half of one."""
        groups: list[list[SegmentView]] = []
        living = 0
        for view in self._full():
            more = int(view.live.sum())
            if groups and living + more <= self._segment_rows // 2:
                groups[-1].append(view)
                living += more
            else:
                groups.append([view])
                living = more
        return groups

    def _size(self, view: SegmentView) -> int:
        """Segments of like size are joined: 0 for one as it is first filled, 1 for four of them, and so on."""
        size = 0
        while view.rows > self._segment_rows * _JOINED**size:
            size += 1
        return size

    def _worth_rewriting(self, group: list[SegmentView]) -> bool:
        rows = sum(view.rows for view in group)
        return len(group) > 1 or sum(int(view.live.sum()) for view in group) < (1 - _DEAD_SHARE) * rows or rows == 0

    def _writable(self) -> tuple[Path, int]:
        """The segment to append to, and how many more rows it takes."""
        published = self._views[-1] if self._views else None
        path = next(reversed(self._appended), published.path if published else None)
        if path is not None:
            rows = published.rows if published and published.path == path else 0
            room = self._segment_rows - rows - sum(map(len, self._appended.get(path, ())))
            if room > 0:
                self._appended.setdefault(path, [])  # not before: a full one stays as it is, with its graph
                return path, room
        self._finish_file()
        path = path_after(path, self._folder)
        self._appended[path] = []
        return path, self._segment_rows

    def _finish_file(self) -> None:
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._file = None


def _open(path: Path, dimension: int, live_numbers: NDArray[np.int64]) -> SegmentView:
    view = read_segment(path, dimension)
    if (np.diff(view.numbers) <= 0).any():
        raise ValueError(f"the numbers in {path.name} are out of order")
    view = replace(view, live=np.isin(view.numbers, live_numbers, assume_unique=True))
    return replace(view, neighbours=open_neighbours(view.path, view.rows))
