"""Any RSS or Atom feed. It has one page; an address of its own is its name."""

from __future__ import annotations

import asyncio
import hashlib
import io
from calendar import timegm
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

from graphvine.workers.news.article import BadArticle, Found, found
from graphvine.workers.news.errors import NewsPartsMissing, ProviderError
from graphvine.workers.news.providers.interface import Ask, Page, asked, part, taken

_HEADERS = {"Accept": "application/rss+xml,application/atom+xml,application/xml;q=0.9,text/xml;q=0.8,*/*;q=0.5"}
_MOST_ENTRIES = 1_000


class Feed:
    keyed = False

    def __init__(self, url: str) -> None:
        self._url = url

    @property
    def name(self) -> str:
        """Its address; what stands behind a question mark may be a key, so it is told by its hash alone."""
        where, _, asked_for = self._url.partition("?")
        return f"feed {where}" + (f" {hashlib.sha256(asked_for.encode()).hexdigest()[:8]}" if asked_for else "")

    async def page(self, ask: Ask, cursor: str) -> Page:
        answer = await asked(self.name, ask, self._url, _HEADERS)
        # A large feed takes a while to parse, and others wait in this event loop.
        parsed = await asyncio.to_thread(_parsed, answer.body, answer.charset)
        entries = list(parsed.get("entries") or [])[:_MOST_ENTRIES]
        if not entries and not parsed.get("version"):
            kind = answer.media_type or "no type"
            raise ProviderError(self.name, f"it is neither RSS nor Atom ({kind})")
        head = parsed.get("feed") or {}
        articles, rejected = taken(entries, lambda entry: self._article(entry, head))
        return Page(articles, rejected)

    def _article(self, entry: Any, head: Any) -> Found:
        link = entry.get("link")
        if not isinstance(link, str) or not link.strip():
            raise BadArticle("link: it is missing, or no text")
        return found(
            urljoin(self._url, link.strip()), entry.get("title"), date=_date(entry),
            description=entry.get("summary") or entry.get("description"), author=entry.get("author"),
            language=str(head.get("language") or "")[:40],
            keywords=[part(tag, "term") for tag in entry.get("tags") or []], source_title=head.get("title"),
            source_url=head.get("link"), provider="feed", provider_id=entry.get("id"),
        )  # fmt: skip


def _parsed(body: bytes, charset: str) -> Any:
    try:
        import feedparser
    except ImportError as error:
        raise NewsPartsMissing("reading feeds", error.name or "feedparser") from None
    # As a stream, never by itself: it would take a body that looks like an address, or a path, for one, and open that.
    headers = {"content-type": f"application/xml; charset={charset}"} if charset else {}
    return feedparser.parse(io.BytesIO(body), response_headers=headers, resolve_relative_uris=False)


def _date(entry: Any) -> str:
    at = entry.get("published_parsed") or entry.get("updated_parsed")
    try:
        return datetime.fromtimestamp(timegm(at), UTC).isoformat() if at else ""
    except (ValueError, OverflowError, TypeError):
        return ""
