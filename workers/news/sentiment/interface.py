"""What every analyser gives, and what can go wrong with one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from graphvine.errors import GraphvineError


@dataclass(frozen=True, slots=True)
class Sentiment:
    """One of three words, and a number from -1 to 1 behind it."""

    word: str
    score: float


class Analyser(Protocol):
    @property
    def label(self) -> str:
        """Who says so: readers must be able to tell a model's judgement from a count of words."""
        ...

    async def analyse(self, title: str, text: str) -> Sentiment: ...

    async def close(self) -> None: ...


class SentimentFailed(GraphvineError):
    """The sentiment could not be told; `permanent` says that another try would end the same way."""

    def __init__(self, reason: str, *, permanent: bool = False, retry_after_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.permanent, self.retry_after_seconds = reason, permanent, retry_after_seconds


def word_for(score: float) -> str:
    """Between these bounds, which VADER's authors give, a text is neither good nor bad news."""
    return "positive" if score >= 0.05 else "negative" if score <= -0.05 else "neutral"
