"""Made-up material of known shape: passages of text, and vectors that lie in clusters."""

from __future__ import annotations

import random
from pydoc_data.topics import topics

import numpy as np
from numpy.typing import NDArray


class Passages:
    """Stretches of Python's own manual, which every Python carries: English, with its names and signs."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = " ".join(topics.values()).split()

    def of(self, words: int, spread: float = 0.3) -> str:
        """One passage of about so many words."""
        length = round(words * self._random.uniform(1 - spread, 1 + spread))
        start = self._random.randrange(len(self._words) - length)
        return " ".join(self._words[start : start + length])

    def two_words(self) -> str:
        """A query: two words that stand together somewhere."""
        while True:
            start = self._random.randrange(len(self._words) - 2)
            pair = self._words[start : start + 2]
            if all(word.isalpha() and len(word) > 3 for word in pair):
                return " ".join(pair)


class Clusters:
    """Vectors of length one around common centres, as passages lie around their subjects.

    With `directions` all lie along so many of them, as a model's do, whose dimensions go together: among thousands of
    centres that have nothing in common there is no way from one to another that a search could follow.
    """

    def __init__(self, centres: int, dimension: int, seed: int, directions: int | None = None) -> None:
        self._random = np.random.default_rng(seed)
        self._along: NDArray[np.float32] | None = None
        if directions is not None:
            self._along = (self._random.normal(size=(directions, dimension)) / directions**0.5).astype(np.float32)
        self._centres = self._drawn(centres, dimension)

    def some(self, count: int) -> NDArray[np.float32]:
        """So many more of them."""
        chosen = self._centres[self._random.integers(0, len(self._centres), count)]
        vectors = chosen + 0.8 * self._drawn(*chosen.shape)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    def _drawn(self, count: int, dimension: int) -> NDArray[np.float32]:
        if self._along is None:
            return self._random.normal(size=(count, dimension)).astype(np.float32)
        found: NDArray[np.float32] = (
            self._random.normal(size=(count, len(self._along))).astype(np.float32) @ self._along
        )
        return found
