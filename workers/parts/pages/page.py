"""What a page is once it is read."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from graphvine.errors import GraphvineError


class UnreadablePage(GraphvineError):
    """There is no text to be had from it; another try would end the same way."""


@dataclass(frozen=True, slots=True)
class PageLimits:
    max_characters: int = 500_000
    max_pdf_pages: int = 500
    seconds: float = 20
    memory_mb: int = 1_024


@dataclass(frozen=True, slots=True)
class Page:
    """The text, and what the page says about itself; '' for what it does not say."""

    kind: str  # html, text, pdf
    title: str
    text: str
    author: str = ""
    date: str = ""
    site: str = ""
    language: str = ""
    description: str = ""
    # The text was longer than the limit.
    cut: bool = False

    @property
    def words(self) -> int:
        return len(self.text.split())

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def made(kind: str, title: str, text: str, limits: PageLimits, **more: str) -> Page:
    """A page of text that every engine can store, cut at the limit; UnreadablePage when nothing is left."""
    whole = clean(text).strip()
    if not whole:
        raise UnreadablePage("there is no text in it")
    cut = len(whole) > limits.max_characters
    said = {name: clean(value)[:2_000].strip() for name, value in more.items()}
    return Page(kind, clean(title)[:500].strip(), whole[: limits.max_characters], cut=cut, **said)


def clean(text: str) -> str:
    """Without halves of characters and NULs, which no store takes; line ends as one kind."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
