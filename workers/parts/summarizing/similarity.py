"""How like each other sentences are: by the vectors of a model, or by the words that they share."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphvine.workers.parts.embedding.interface import Embedder

Matrix = list[list[float]]
_WORD = re.compile(r"\w+")


def by_vectors(sentences: Sequence[str], embedder: Embedder) -> Matrix:
    vectors = embedder.embed(list(sentences))
    matrix: Matrix = (vectors @ vectors.T).tolist()
    return matrix


def by_words(sentences: Sequence[str]) -> Matrix:
    """The cosine of word counts, words that stand everywhere counting little."""
    counted = [Counter(_words(sentence)) for sentence in sentences]
    spread = Counter(word for words in counted for word in words)
    weighed = [
        {word: (1 + math.log(count)) * math.log(1 + len(counted) / spread[word]) for word, count in words.items()}
        for words in counted
    ]
    lengths = [math.sqrt(sum(weight * weight for weight in words.values())) or 1.0 for words in weighed]
    matrix = [[0.0] * len(weighed) for _ in weighed]
    for row, one in enumerate(weighed):
        matrix[row][row] = 1.0
        for column in range(row):
            other = weighed[column]
            small, large = (one, other) if len(one) < len(other) else (other, one)
            shared = sum(weight * large[word] for word, weight in small.items() if word in large)
            matrix[row][column] = matrix[column][row] = shared / (lengths[row] * lengths[column])
    return matrix


def _words(sentence: str) -> list[str]:
    words = [word for word in _WORD.findall(sentence.casefold()) if len(word) > 2]
    if len(words) > 2 or len(sentence) < 12:
        return words or list(sentence)
    # No spaces to speak of: pairs of letters tell as much.
    letters = [letter for letter in sentence if letter.isalnum()]
    return [first + second for first, second in pairwise(letters)]
