"""The approximate nearest-neighbour index of a full segment: usearch, mapped from its file."""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# On passages as the default model embeds them these find 0.9996 of the true nearest ten; usearch's own defaults
# (128 for building) find 1.0 at twice the time to build. Eight bits a number, a third of the memory, find the same:
# more are asked for than are wanted, and compared by their vectors.
_CONNECTIVITY, _EXPANSION_ADD, _EXPANSION_SEARCH = 16, 64, 64
_BUILD_STEP = 1000
_SPARE = 32


class Neighbours:
    """One graph. Its keys are rows of the segment."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        # usearch keeps scratch memory per thread of its own, not per caller.
        self._lock = threading.Lock()

    def near(self, query: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        """Rows near the query, more than the limit: most of the nearest, dead ones among them."""
        with self._lock:
            found = self._graph.search(query, limit + max(_SPARE, limit // 4), threads=1).keys
        return np.asarray(found, dtype=np.int64)


def build_neighbours(segment: Path, vectors: NDArray[np.float32], go_on: Callable[[], bool]) -> bool:
    """Build a segment's graph and save it; False if asked to stop. Its name holds its checksum."""
    from usearch.index import Index

    graph = Index(
        ndim=vectors.shape[1], metric="cos", dtype="i8", connectivity=_CONNECTIVITY, expansion_add=_EXPANSION_ADD
    )
    for start in range(0, len(vectors), _BUILD_STEP):
        if not go_on():
            return False
        part = np.ascontiguousarray(vectors[start : start + _BUILD_STEP])
        graph.add(np.arange(start, start + len(part)), part, threads=1)
    saved = segment.with_suffix(".part")
    graph.save(str(saved))
    with saved.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(saved, _path(segment, saved))
    return True


def open_neighbours(segment: Path, rows: int) -> Neighbours | None:
    """A segment's saved graph; None if there is no whole one."""
    from usearch.index import Index

    for path in sorted(segment.parent.glob(f"{segment.stem}.*.usearch")):
        # A damaged graph would send usearch through wild memory: none is opened unchecked.
        if path == _path(segment, path):
            graph = Index.restore(str(path), view=True, expansion_search=_EXPANSION_SEARCH)
            if graph is not None and len(graph) == rows:
                return Neighbours(graph)
        path.unlink()
    return None


def _path(segment: Path, content: Path) -> Path:
    checksum = 0
    with content.open("rb") as file:
        while piece := file.read(1 << 20):
            checksum = zlib.crc32(piece, checksum)
    return segment.with_suffix(f".{checksum:08x}.usearch")
