"""Normalises what providers return into one shape with a stable id; BadArticle says what is wrong with an item."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from graphvine.workers.common.fetching.addresses import checked_url
from graphvine.workers.common.fetching.errors import FetchError
from graphvine.workers.common.pages.numbers import numbers_apart
from graphvine.workers.news.dates import moment_of

HIGH, NORMAL, LOW = 0, 1, 2
PRIORITIES = {"high": HIGH, "normal": NORMAL, "low": LOW}
SENTIMENTS = ("positive", "neutral", "negative")
# Tracking parameters: they say where a reader came from, not which page it is.
_TRACKING = re.compile(r"^(utm_\w+|fbclid|gclid|dclid|msclkid|mc_cid|mc_eid|igshid|cmpid|ref_src|spm)$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
# These are within a word or a sentence; all other tags separate words.
_INLINE = re.compile(r"</?(?:a|b|i|u|em|strong|span|code|font|mark|small|sub|sup)(?:\s[^>]{0,2000})?>", re.IGNORECASE)
_TAG = re.compile(r"<[^>]{0,2000}>")
_TITLE = 100


class BadArticle(ValueError):
    """An item of a provider is not an article; says which field is wrong."""


@dataclass(frozen=True, slots=True)
class Found:
    """An article that a provider returned."""

    id: str
    title: str
    link: str
    date: datetime | None
    description: str = ""
    author: str = ""
    language: str = ""
    keywords: tuple[str, ...] = ()
    source: str = ""
    source_title: str = ""
    source_url: str = ""
    provider: str = ""
    provider_id: str = ""
    # If the provider gives it, the third phase is skipped.
    sentiment: str = ""
    score: float | None = None
    priority: int = NORMAL


def found(
    link: Any, title: Any, *, date: Any = None, description: Any = "", author: Any = "", language: Any = "",
    keywords: Sequence[Any] = (), source: Any = "", source_title: Any = "", source_url: Any = "", provider: str = "",
    provider_id: Any = "", sentiment: Any = "", score: Any = None, part: str = "",
) -> Found:  # fmt: skip
    """An article from a provider's fields; BadArticle names the one that can't be used.

    A page is one article, unless a `part` of it (the fragment of its address) is said to be one of its own.
    """
    address = checked_link(link)
    # RSS allows an item without a title: then it is the beginning of its text, or its address.
    words = plain(title, 500) or _beginning(plain(description, 2_000)) or canonical(address)[:500]
    host = (urlsplit(address).hostname or "").removeprefix("www.")
    given = str(sentiment).strip().lower() if isinstance(sentiment, str) else ""
    return Found(
        article_id(address, part), words, f"{address}#{part}" if part else address, moment_of(date),
        plain(description, 2_000), plain(author, 200), plain(language, 40).lower(),
        tuple(filter(None, (plain(word, 100) for word in keywords)))[:50],
        plain(source, 200).lower() or host, plain(source_title, 200) or host, plain(source_url, 1_000), provider,
        plain(provider_id, 500), given if given in SENTIMENTS else "", _score(score),
    )  # fmt: skip


def checked_link(link: Any) -> str:
    if not isinstance(link, str) or not link.strip():
        raise BadArticle("link: missing, or not text")
    try:
        return checked_url(link)
    except FetchError as error:
        raise BadArticle(f"link: {error.reason}") from None


def article_id(link: str, part: str = "") -> str:
    """The same page has the same id, whichever provider found it and whatever its tracking parameters."""
    name = canonical(link) + (f"#{part}" if part else "")
    return f"news-{hashlib.sha256(name.encode()).hexdigest()[:20]}"


def canonical(link: str) -> str:
    """The address without scheme, www., tracking parameters and fragment."""
    parts = urlsplit(link)
    host = (parts.hostname or "").removeprefix("www.")
    port = f":{parts.port}" if parts.port and parts.port not in (80, 443) else ""
    kept = [(name, value) for name, value in parse_qsl(parts.query, True) if not _TRACKING.match(name)]
    # http or https, with or without a slash at its end: the same page.
    return urlunsplit(("", host + port, parts.path.rstrip("/") or "/", urlencode(kept), "")).removeprefix("//")


def _beginning(text: str) -> str:
    """The first words of a text, as many as make a title."""
    return text if len(text) <= _TITLE else f"{text[:_TITLE].rsplit(' ', 1)[0]} …"


def plain(value: Any, longest: int) -> str:
    """Text on one line without markup; '' for what is not text."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return ""
    text = html.unescape(_TAG.sub(" ", _INLINE.sub("", numbers_apart(str(value)[: 4 * longest]))))
    text = text.encode("utf-8", "ignore").decode().replace("\0", "")
    return " ".join(text.split())[:longest].strip()


def with_priority(article: Found, high: Sequence[str], low: Sequence[str]) -> Found:
    """Set the priority by the publisher's site, or by words of the title."""
    if _named(article, high):
        return replace(article, priority=HIGH)
    return replace(article, priority=LOW) if _named(article, low) else article


def listed(text: str) -> list[str]:
    """Split at commas."""
    return [part.strip().lower() for part in text.split(",") if part.strip()]


def _named(article: Found, names: Sequence[str]) -> bool:
    host = urlsplit(article.link).hostname or ""
    title = f" {' '.join(_WORD.findall(article.title.lower()))} "
    return any(
        host == name or host.endswith(f".{name}") or article.source == name or f" {name} " in title for name in names
    )


def _score(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
        return None
    return float(value)
