"""A page that was read."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from graphvine.errors import GraphvineError
from graphvine.failures import clean_text


class UnreadablePage(GraphvineError):
    """No text can be extracted from it; another attempt would end the same way."""


@dataclass(frozen=True, slots=True)
class PageLimits:
    max_characters: int = 500_000
    max_pdf_pages: int = 500
    seconds: float = 20
    memory_mb: int = 1_024


@dataclass(frozen=True, slots=True)
class Page:
    """The text and the metadata of a page; '' for what it does not have."""

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
    """A page with text that every engine can store, cut at the limit; UnreadablePage when there is none."""
    whole = clean(text).strip()
    if not whole:
        raise UnreadablePage("it has no text")
    cut = len(whole) > limits.max_characters
    fields = {name: clean(value)[:2_000].strip() for name, value in more.items()}
    return Page(kind, clean(title)[:500].strip(), whole[: limits.max_characters], cut=cut, **fields)


def clean(text: str) -> str:
    """Without lone surrogates and NULs, which no store takes; with one kind of line end."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return clean_text(text, None)
