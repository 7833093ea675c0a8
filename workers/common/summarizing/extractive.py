"""The best sentences of a text: central, early, and unlike those already chosen. They appear one by one."""

from __future__ import annotations

import asyncio
import math
import re
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from graphvine.workers.common.summarizing.interface import SummaryFailed, SummaryLimits

if TYPE_CHECKING:
    from graphvine.workers.common.embedding.interface import Embedder


_FEWEST_WORDS, _MOST_WORDS = 5, 80
_LONGEST = 700
_ENDED = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f\u0964][\"'\u201d\u2019\u00bb\u300d\u300f)\]]{0,3}$")
_ROUGH = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])[\s]*(?=\S)")


def split_sentences(text: str, most: int) -> list[str]:
    """The first `most` sentences; a line of its own (a heading, an entry of a list) is not run into the next."""
    found: list[str] = []
    for paragraph in re.split(r"\n+", text):
        flat = " ".join(paragraph.split())
        if flat:
            found += _split(flat)
        if len(found) >= most:
            break
    return found[:most]


def worth_quoting(sentence: str) -> bool:
    """Neither a heading nor a list that has lost its points."""
    words = len(sentence.split())
    if words < _FEWEST_WORDS and len(sentence) < 20:  # languages without spaces have few words and many letters
        return False
    return words <= _MOST_WORDS and len(sentence) <= _LONGEST


def ends_a_sentence(text: str) -> bool:
    """Headlines, captions and entries of lists have no full stop."""
    return bool(_ENDED.search(text))


def together(sentences: Iterable[str]) -> str:
    """Sentences as one text; what is no sentence keeps its own line, so that it does not run into the next."""
    parts: list[str] = []
    for sentence in sentences:
        parts += [sentence, " " if ends_a_sentence(sentence) else "\n"]
    return "".join(parts[:-1])


def _split(paragraph: str) -> list[str]:
    try:
        from nupunkt import sent_tokenize
    except ImportError:
        parts = _ROUGH.split(paragraph)
    else:
        parts = list(sent_tokenize(paragraph))
        if len(parts) == 1 and len(paragraph) > _LONGEST:
            parts = _ROUGH.split(paragraph)  # it knows languages that end sentences with a full stop
    return [part.strip() for part in parts if part.strip()]


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
    # No spaces to speak of: pairs of letters say as much.
    letters = [letter for letter in sentence if letter.isalnum()]
    return [first + second for first, second in pairwise(letters)]


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
            yield together(sentences[one] for one in sorted(chosen))[: self._limits.max_output_characters]
            await asyncio.sleep(0)

    async def close(self) -> None:
        if self._embedder is not None:
            self._embedder.close()

    def _prepare(self, text: str) -> tuple[list[str], Matrix]:
        every = split_sentences(text, _MOST_SENTENCES)
        worthy = list(dict.fromkeys(filter(worth_quoting, every)))
        # Headlines and captions only where there is nothing else.
        sentences = list(filter(ends_a_sentence, worthy)) or worthy or [text_start(every, text)]
        if not sentences[0]:
            raise SummaryFailed("there is no text to summarize", permanent=True)
        if self._embedder is None:
            return sentences, by_words(sentences)
        with self._one_at_a_time:  # it spreads one text over the cores: two at once only wait for each other
            return sentences, by_vectors(sentences, self._embedder)


def text_start(sentences: Sequence[str], text: str) -> str:
    """Where no sentence is worth quoting, the beginning has to do."""
    return (together(sentences) or " ".join(text.split()))[:400].strip()


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
