"""The best sentences of a text: central, early, and unlike those already chosen. They appear one by one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import TYPE_CHECKING

from graphvine.workers.parts.summarizing.interface import SummaryFailed, SummaryLimits
from graphvine.workers.parts.summarizing.sentences import split_sentences, worth_quoting
from graphvine.workers.parts.summarizing.similarity import Matrix, by_vectors, by_words

if TYPE_CHECKING:
    from graphvine.workers.parts.embedding.interface import Embedder

# Comparing all with all costs the square: the main points of longer texts stand in their first part.
_MOST_SENTENCES = 250
# Weights of being central, of standing early, and of not repeating what is chosen.
_CENTRAL, _EARLY, _NEW = 1.0, 0.25, 0.7


class ExtractiveSummarizer:
    """With an embedder by meaning, without by words. The same text gives the same summary."""

    def __init__(self, limits: SummaryLimits | None = None, embedder: Embedder | None = None) -> None:
        self._limits, self._embedder = limits or SummaryLimits(), embedder
        self._one_at_a_time = threading.Lock()

    @property
    def label(self) -> str:
        return f"extractive ({self._embedder.name if self._embedder is not None else 'word statistics'})"

    async def stream(self, text: str, title: str = "") -> AsyncGenerator[str, None]:
        """The chosen sentences so far, in the order of the text."""
        chosen: list[int] = []
        sentences, matrix = await asyncio.to_thread(self._prepare, text[: self._limits.max_input_characters])
        for index in choose(matrix, self._limits.sentences):
            chosen.append(index)
            yield " ".join(sentences[one] for one in sorted(chosen))[: self._limits.max_output_characters]
            await asyncio.sleep(0)

    async def close(self) -> None:
        if self._embedder is not None:
            self._embedder.close()

    def _prepare(self, text: str) -> tuple[list[str], Matrix]:
        every = split_sentences(text, _MOST_SENTENCES)
        sentences = list(dict.fromkeys(filter(worth_quoting, every))) or [text_start(every, text)]
        if not sentences[0]:
            raise SummaryFailed("there is no text to summarize", permanent=True)
        if self._embedder is None:
            return sentences, by_words(sentences)
        with self._one_at_a_time:  # it spreads one text over the cores: two at once only wait for each other
            return sentences, by_vectors(sentences, self._embedder)


def text_start(sentences: Sequence[str], text: str) -> str:
    """Where no sentence is worth quoting, the beginning has to do."""
    return (" ".join(sentences) or " ".join(text.split()))[:400].strip()


def choose(matrix: Matrix, most: int) -> Iterator[int]:
    """Sentences by worth, each chosen in the light of those before it."""
    count = len(matrix)
    central = [(sum(row) - row[place]) / max(count - 1, 1) for place, row in enumerate(matrix)]
    top = max(central, default=0.0) or 1.0
    worth = [_CENTRAL * value / top + _EARLY / (1 + place / 3) for place, value in enumerate(central)]
    repeated = [0.0] * count
    left = set(range(count))
    for _ in range(min(most, count)):
        best = max(left, key=lambda place: (worth[place] - _NEW * repeated[place], -place))
        left.remove(best)
        for place in left:
            repeated[place] = max(repeated[place], matrix[place][best])
        yield best
