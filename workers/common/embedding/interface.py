"""What every embedder gives, and what can go wrong with one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from graphvine.errors import GraphvineError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


_MAX_CHARACTERS = 100_000


class Embedder(Protocol):
    """Turns texts into vectors of length one, so that a dot product is the cosine. Safe for several threads."""

    @property
    def name(self) -> str:
        """The model: two embedders of one name give the same vectors."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """What lies beyond so many tokens of a text does not enter its vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The whole length of each text, uncut, the two marks at its ends included."""
        ...

    def close(self) -> None: ...


class EmbeddingError(GraphvineError):
    """Something about embedding."""


class EmbeddingPartsMissing(EmbeddingError):
    """A package that the chosen way needs is not installed."""

    def __init__(self, missing: str, command: str) -> None:
        super().__init__(f"embedding needs {missing}, which is not installed: run `{command}`")
        self.missing, self.command = missing, command


class WeightsDamaged(EmbeddingError):
    """A file of the model is not what was published."""

    def __init__(self, path: str, expected: str, found: str) -> None:
        super().__init__(
            f"{path} has the sha256 {found}, but should have {expected}: run `graphvine model install --force`"
        )
        self.path, self.expected, self.found = path, expected, found


class ModelNotUsable(EmbeddingError):
    """The model can't be had, or this way can't run it."""

    def __init__(self, model: str, reason: str) -> None:
        super().__init__(f"the model {model!r} can't be used: {reason}")
        self.model, self.reason = model, reason


class WeightsNotInstalled(EmbeddingError):
    """The packaged weights could not be installed."""


def as_texts(texts: Sequence[str]) -> list[str]:
    """A list that every tokenizer takes: a lone surrogate, which no UTF-8 can carry, becomes a question mark."""
    if isinstance(texts, str):
        raise TypeError("embed takes a sequence of texts: give [text] for a single one")
    return [text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8") for text in texts]


def shorten(text: str) -> str:
    """What is read of one text. A model takes some hundred tokens, so this cuts nothing that one would see."""
    if len(text) <= _MAX_CHARACTERS:
        return text
    # White space is no token, however much of it there is.
    return " ".join(text.split())[:_MAX_CHARACTERS]
