"""Documents for the search suite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphvine.search import Document

DIMENSION = 8


def section(
    id: object, body: str = "", *, title: str = "", vector: Any = None, seq: int = 1, **filters: Any
) -> Document:
    """A document of kind section; keywords are its filters."""
    texts = {name: text for name, text in (("title", title), ("body", body)) if text}
    return Document("section", str(id), seq, texts, filters, vector)


def unit_vectors(rows: int, seed: int = 1, dimension: int = DIMENSION) -> NDArray[np.float32]:
    """Random vectors of length one."""
    vectors = np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def clustered_vectors(rows: int, seed: int, dimension: int) -> NDArray[np.float32]:
    """Vectors in clusters of some twenty, as passages about some hundreds of things would lie."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(1, rows // 20), dimension))
    vectors = centres[random.integers(0, len(centres), rows)] + 0.8 * random.normal(size=(rows, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def ids(results: Any) -> list[str]:
    return [hit.id for hit in results.hits]


def nearest(vectors: NDArray[np.float32], query: NDArray[np.float32], limit: int, among: Sequence[int]) -> list[str]:
    """The ids, which are positions, of the nearest by comparing with each."""
    positions = np.array(among, dtype=np.int64)
    scores = vectors[positions] @ query
    return [str(positions[place]) for place in np.argsort(-scores, kind="stable")[:limit]]
