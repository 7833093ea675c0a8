"""Servers of the test's own that speak the providers' protocols, and pages for their articles."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from tests.support.web_server import Request, Traffic

TEXT = (
    "Bitcoin rose to a new record on Monday as buyers returned to the market. Traders praised the strong demand from"
    " funds in New York. Analysts at Kraken expect further gains this year. The price had fallen by a tenth in the"
    " week before. Miners reported good profits from their work."
)
KEY = "secret-key"


@dataclass
class Item:
    """An article as a provider has it; its page is at `path` of the site."""

    number: int
    title: str = ""
    sentiment: str = "neutral"
    score: float = 0.0
    path: str = ""
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def at(self) -> str:
        return self.path or f"/page/{self.number}"

    @property
    def headline(self) -> str:
        return self.title or f"Bitcoin story number {self.number}"


@dataclass
class Site:
    """Providers and pages of one test on one server. The list is the providers', the newest first."""

    items: list[Item] = field(default_factory=list)
    per_page: int = 10
    url: str = ""
    # Called first; True when it has answered.
    before: Callable[[Request], Any] | None = None
    pages: dict[str, Callable[[Request], Any]] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    traffic: Traffic = field(default_factory=Traffic)

    def add(self, *numbers: int, **more: Any) -> list[Item]:
        """New articles, each newer than all before it."""
        made = [Item(number, **more) for number in numbers]
        with self.lock:
            for item in made:
                self.items.insert(0, item)
        return made

    async def answer(self, request: Request) -> None:
        if self.before is not None and await self.before(request):
            return
        parts = urlsplit(request.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/newsdata":
            await self._newsdata(request, asked)
        elif parts.path == "/apitube":
            await self._apitube(request, asked)
        elif parts.path == "/rss":
            await request.answer(self.rss().encode(), media_type="application/rss+xml; charset=utf-8")
        elif parts.path == "/atom":
            await request.answer(self.atom().encode(), media_type="application/atom+xml")
        elif parts.path in self.pages:
            await self.pages[parts.path](request)
        elif parts.path.startswith("/page/"):
            await request.answer(f"{TEXT} This is {parts.path}.".encode())
        else:
            await request.answer(b"not here", status=404)

    async def _newsdata(self, request: Request, asked: dict[str, str]) -> None:
        self.keys.append(request.headers.get("x-access-key", ""))
        if self.keys[-1] != KEY:
            said = {"status": "error", "results": {"message": "API key is invalid", "code": "Unauthorized"}}
            await _json(request, said, 401)
            return
        start = int(asked.get("page", "0"))
        shown = self.items[start : start + self.per_page]
        more = start + self.per_page < len(self.items)
        results = [
            {
                "article_id": f"nd{item.number}", "title": item.headline, "link": f"{self.url}{item.at}",
                "keywords": ["bitcoin", "markets"], "creator": ["A Writer"], "description": "What happened.",
                "pubDate": f"2026-05-01 10:{item.number % 60:02d}:00", "source_id": "localnews",
                "source_name": "Local News", "source_url": self.url, "language": "english",
                "sentiment": "ONLY AVAILABLE IN PROFESSIONAL AND CORPORATE PLANS", **item.more,
            }
            for item in shown
        ]  # fmt: skip
        answer = {"status": "success", "totalResults": len(self.items), "results": results}
        await _json(request, {**answer, "nextPage": str(start + self.per_page) if more else None})

    async def _apitube(self, request: Request, asked: dict[str, str]) -> None:
        self.keys.append(request.headers.get("x-api-key", ""))
        number, size = int(asked.get("page", "1")), min(self.per_page, int(asked.get("per_page", "100")))
        shown = self.items[(number - 1) * size : number * size]
        results = [
            {
                "id": item.number, "href": f"{self.url}{item.at}", "title": item.headline,
                "published_at": f"2026-05-01T10:{item.number % 60:02d}:00Z", "description": "What happened.",
                "language": "en", "author": {"id": "1", "name": "A Writer"},
                "source": {"id": 1, "domain": "tube.example", "home_page_url": "https://tube.example/"},
                "entities": [{"id": 1, "name": "Kraken"}], "keywords": ["bitcoin"],
                "sentiment": {"overall": {"score": item.score, "polarity": item.sentiment}}, **item.more,
            }
            for item in shown
        ]  # fmt: skip
        more = number * size < len(self.items)
        where = f"{self.url}/apitube?page={number + 1}&api_key={KEY}"
        answer = {"status": "ok", "page": number, "has_next_pages": more, "next_page": where if more else ""}
        await _json(request, {**answer, "results": results})

    def rss(self) -> str:
        items = "".join(
            f"<item><title>{escape(item.headline)}</title><link>{escape(self.url + item.at)}</link>"
            f"<guid>feed-{item.number}</guid><pubDate>Fri, 01 May 2026 10:{item.number % 60:02d}:00 GMT</pubDate>"
            f"<description>&lt;p&gt;What &lt;b&gt;happened&lt;/b&gt;.&lt;/p&gt;</description></item>"
            for item in self.items
        )
        head = f"<title>The Feed</title><link>{self.url}</link><language>en</language>"
        return f'<?xml version="1.0"?><rss version="2.0"><channel>{head}{items}</channel></rss>'

    def atom(self) -> str:
        items = "".join(
            f'<entry><title>{escape(item.headline)}</title><link href="{escape(item.at)}"/><id>tag:{item.number}</id>'
            f"<updated>2026-05-01T10:{item.number % 60:02d}:00Z</updated><summary>What happened.</summary></entry>"
            for item in self.items
        )
        return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title>{items}</feed>'


async def _json(request: Request, answer: Any, status: int = 200) -> None:
    await request.answer(json.dumps(answer).encode(), status=status, media_type="application/json")
