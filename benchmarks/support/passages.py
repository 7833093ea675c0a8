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
    """Vectors of length one around common centres, as passages lie around their subjects."""

    def __init__(self, centres: int, dimension: int, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._centres = self._random.normal(size=(centres, dimension)).astype(np.float32)

    def some(self, count: int) -> NDArray[np.float32]:
        """So many more of them."""
        chosen = self._centres[self._random.integers(0, len(self._centres), count)]
        vectors = chosen + 0.8 * self._random.normal(size=chosen.shape).astype(np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
