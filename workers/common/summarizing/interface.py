"""What every summarizer gives, and what can go wrong with one."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from graphvine.errors import GraphvineError


@dataclass(frozen=True, slots=True)
class SummaryLimits:
    sentences: int = 5
    # What is read of a text: the rest is most often appendix.
    max_input_characters: int = 40_000
    max_output_characters: int = 8_000
    seconds: float = 120


class Summarizer(Protocol):
    """Says by its label who wrote a summary: readers must be able to tell a model's words from the page's own."""

    @property
    def label(self) -> str: ...

    def stream(self, text: str, title: str = "") -> AsyncGenerator[str, None]:
        """The summary as far as it is written, again and again; the last one is the whole."""
        ...

    async def close(self) -> None: ...


class SummaryFailed(GraphvineError):
    """The summary could not be written; `permanent` says that another try would end the same way."""

    def __init__(self, reason: str, *, permanent: bool = False, retry_after_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.permanent, self.retry_after_seconds = reason, permanent, retry_after_seconds
