"""Any RSS or Atom feed, parsed in a sandbox. It has one page; its address is its name."""

from __future__ import annotations

import asyncio
import hashlib
import io
from calendar import timegm
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

from graphvine.workers.common.sandbox import PackageMissing, Sandbox, SandboxFailed, SandboxUnavailable
from graphvine.workers.news.article import BadArticle, Found, found
from graphvine.workers.news.errors import NewsPartsMissing, ProviderError
from graphvine.workers.news.providers.interface import Ask, Page, asked, part, taken

_HEADERS = {"Accept": "application/rss+xml,application/atom+xml,application/xml;q=0.9,text/xml;q=0.8,*/*;q=0.5"}
_MOST_ENTRIES = 1_000
_PARSE_SECONDS, _MEMORY_BYTES = 10.0, 512 << 20


class Feed:
    keyed = False

    def __init__(self, url: str, *, parse_seconds: float = _PARSE_SECONDS) -> None:
        self._url, self._parse_seconds = url, parse_seconds

    @property
    def name(self) -> str:
        """Its address; the query may hold a key, so only its hash is shown."""
        where, _, query = self._url.partition("?")
        return f"feed {where}" + (f" {hashlib.sha256(query.encode()).hexdigest()[:8]}" if query else "")

    async def page(self, ask: Ask, cursor: str) -> Page:
        answer = await asked(self.name, ask, self._url, _HEADERS)
        sandbox = Sandbox(f"{__name__}:open_task", seconds=self._parse_seconds, memory_bytes=_MEMORY_BYTES)
        try:
            feed = await sandbox.acall({"charset": answer.charset}, answer.body)
        except PackageMissing as error:
            raise NewsPartsMissing("reading feeds", error.name) from None
        except (SandboxFailed, SandboxUnavailable) as error:
            raise ProviderError(self.name, str(error)) from None
        finally:
            await asyncio.to_thread(sandbox.close)
        if not feed["entries"] and not feed["version"]:
            raise ProviderError(self.name, f"it is neither RSS nor Atom ({answer.media_type or 'no type'})")
        articles, rejected = taken(feed["entries"], lambda entry: self._article(entry, feed))
        return Page(articles, rejected)

    def _article(self, entry: dict[str, Any], feed: dict[str, Any]) -> Found:
        link = entry["link"]
        if not isinstance(link, str) or not link.strip():
            raise BadArticle("link: missing, or not text")
        return found(
            urljoin(self._url, link.strip()), entry["title"], date=entry["date"], description=entry["description"],
            author=entry["author"], language=feed["language"], keywords=entry["keywords"], source_title=feed["title"],
            source_url=feed["link"], provider="feed", provider_id=entry["id"],
        )  # fmt: skip


def open_task(setup: None) -> Callable[[dict[str, Any], bytes], dict[str, Any]]:
    """The task, in the sandbox."""
    with suppress(ImportError):  # reported when a feed needs it
        import feedparser  # noqa: F401  it takes long to load: before the first feed, not during it
    return lambda request, body: parse_feed(body, request["charset"])


def parse_feed(body: bytes, charset: str) -> dict[str, Any]:
    """The fields of a feed and its entries, as plain text."""
    import feedparser

    # As a stream: a body that looks like an address, or a path, would be opened as one.
    headers = {"content-type": f"application/xml; charset={charset}"} if charset else {}
    parsed = feedparser.parse(io.BytesIO(body), response_headers=headers, resolve_relative_uris=False)
    head = parsed.get("feed") or {}
    return {
        "version": _text(parsed.get("version")), "title": _text(head.get("title")), "link": _text(head.get("link")),
        "language": (_text(head.get("language")) or "")[:40],
        "entries": [_entry(entry) for entry in (parsed.get("entries") or [])[:_MOST_ENTRIES]],
    }  # fmt: skip


def _entry(entry: Any) -> dict[str, Any]:
    return {
        "link": _text(entry.get("link")), "title": _text(entry.get("title")), "date": _date(entry),
        "description": _text(entry.get("summary") or entry.get("description")), "author": _text(entry.get("author")),
        "keywords": [_text(part(tag, "term")) for tag in entry.get("tags") or []], "id": _text(entry.get("id")),
    }  # fmt: skip


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _date(entry: Any) -> str:
    at = entry.get("published_parsed") or entry.get("updated_parsed")
    try:
        return datetime.fromtimestamp(timegm(at), UTC).isoformat() if at else ""
    except (ValueError, OverflowError, TypeError):
        return ""
