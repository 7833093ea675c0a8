"""What a search over all kinds finds: a hit, how it was reached, and a citation of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

# Longer texts are cited by the part around what was found.
PASSAGE_CHARACTERS = 1_500


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a passage stands, so that anybody can look it up again and see whether it is still the same."""

    kind: str
    key: str
    section: str  # '' for the lead of an article, and for what has no sections
    address: str  # permanent, where the source has such addresses; '' where nothing is published
    text_hash: str  # SHA-256 of the whole text that the passage is from, in hexadecimal
    passage: str  # the exact words
    revision: int | None = None
    fetched_at: datetime | None = None  # when the text was fetched, or revised


@dataclass(frozen=True, slots=True)
class SearchHit:
    """What was found: a section of an article, an item, a news article, a page."""

    kind: str
    key: str
    title: str
    section: str  # the path of section titles; '' for the lead, and for other kinds than articles
    snippet: str
    score: float
    citation: Citation
    article: str = ""  # the title, where it is an article
    distance: int | None = None  # links from the article that `near` names
    marks: tuple[tuple[int, int], ...] = ()  # where the words stand in the snippet
    # How a walk reached it: the share of words, of meaning and of the edge in the score, and what it was reached from.
    by_words: float = 0.0
    by_meaning: float = 0.0
    by_link: float = 0.0
    path: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()  # further hits of nearly the same text, which stand for nothing more
    loose: tuple[str, ...] = ()  # words of the question that nothing has, for which words like them were taken


def cite(
    kind: str, key: str, text: str, found: str, address: str, *, section: str = "", revision: int | None = None,
    fetched_at: datetime | None = None,
) -> Citation:  # fmt: skip
    """A citation of the passage of `text` around `found`; the whole text where it is short."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Citation(kind, key, section, address, digest, passage(text, found), revision, fetched_at)


def passage(text: str, found: str) -> str:
    """The part of a long text around what was found, from the end of one sentence to the end of another."""
    if len(text) <= PASSAGE_CHARACTERS:
        return text
    at = max(0, text.find(found)) if found else 0
    start = max(0, at - (PASSAGE_CHARACTERS - min(len(found), PASSAGE_CHARACTERS)) // 2)
    if start:
        sentence = max(text.rfind(end, 0, start) + len(end) for end in (". ", ".\n", "\n\n", "? ", "! "))
        start = sentence if start - sentence < PASSAGE_CHARACTERS // 3 else text.rfind(" ", 0, start) + 1
    stop = start + PASSAGE_CHARACTERS
    if stop < len(text):
        ends = [text.rfind(end, start, stop) + 1 for end in (". ", ".\n", "\n\n", "? ", "! ")]
        stop = max(ends) if max(ends) > at + len(found) else max(text.rfind(" ", start, stop), at + len(found))
    return text[start:stop].strip()


def name_of(kind: str, key: str) -> str:
    """How a path shows a node: an article by its title, others with their kind."""
    return key if kind == "article" else f"{kind}:{key}"
