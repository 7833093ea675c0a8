"""The base of every error, and what can be wrong with a query file or a call of one of its blocks."""

from __future__ import annotations

from collections.abc import Iterable

# Longer words are noise: they have no near neighbour, and looking for one costs time.
_LONGEST_WORD = 60


class GraphvineError(Exception):
    """Base of everything that Graphvine raises on purpose."""


class QueryFileError(GraphvineError):
    """A query file or a schema file does not hold together."""

    def __init__(self, file: str, line: int, message: str) -> None:
        super().__init__(file, line, message)
        self.file, self.line, self.message = file, line, message

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class ParameterError(GraphvineError):
    """A block was called with parameters that are not those it declares."""

    def __init__(
        self,
        block: str,
        file: str,
        line: int,
        message: str,
        missing: tuple[str, ...] = (),
        unknown: tuple[str, ...] = (),
    ) -> None:
        super().__init__(block, file, line, message, missing, unknown)
        self.block, self.file, self.line, self.message = block, file, line, message
        self.missing, self.unknown = missing, unknown

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class UnknownBlock(GraphvineError):
    """No block has this name."""

    def __init__(self, name: str, hint: str = "") -> None:
        super().__init__(name, hint)
        self.name, self.hint = name, hint

    def __str__(self) -> str:
        return f"there is no block {shorten(self.name)!r}{self.hint}"


def shorten(text: str, limit: int = _LONGEST_WORD) -> str:
    """Text for a message: one line, never long."""
    flat = " ".join(text[: limit * 4].split())
    return flat if len(flat) <= limit else flat[: limit - 3] + "..."


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known word that was most likely meant."""
    from difflib import get_close_matches

    if len(word) > _LONGEST_WORD:
        return None
    return next(iter(get_close_matches(word, list(known), n=1, cutoff=cutoff)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint to append to an error: the nearest known word, or all of them when they are few."""
    words = list(known)
    near = nearest(word, words)
    if near is not None:
        return f", did you mean {near!r}?"
    return f" (known: {', '.join(words)})" if 0 < len(words) <= 12 else ""
