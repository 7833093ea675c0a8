"""NewsData.io: ten articles per request; each answer has the cursor of the next page."""

from __future__ import annotations

from typing import Any

from graphvine.workers.news.article import BadArticle, Found, found
from graphvine.workers.news.errors import ProviderError
from graphvine.workers.news.providers.interface import Ask, Page, address, as_object, asked, part, several, taken


class NewsData:
    name = "newsdata"
    keyed = True

    def __init__(self, url: str, key: str, query: str, language: str) -> None:
        self._url, self._query, self._language = url, query, language
        # In a header: addresses end up in logs and error messages.
        self._headers = {"X-ACCESS-KEY": key, "Accept": "application/json"}

    async def page(self, ask: Ask, cursor: str) -> Page:
        where = address(self._url, q=self._query, language=self._language, page=cursor)
        answer = as_object(self.name, await asked(self.name, ask, where, self._headers))
        if answer.get("status") != "success":
            said = part(answer, "results", "message") or answer.get("message") or "no reason given"
            raise ProviderError(self.name, f"it refuses: {str(said)[:300]}")
        results = answer.get("results")
        if not isinstance(results, list):
            raise ProviderError(self.name, "its answer has no list of results")
        articles, rejected = taken(results, _article)
        following = answer.get("nextPage")
        return Page(articles, rejected, str(following) if following else "", credits=1)


def _article(item: Any) -> Found:
    if not isinstance(item, dict):
        raise BadArticle("not an object")
    return found(
        item.get("link"), item.get("title"), date=item.get("pubDate"), description=item.get("description"),
        author=", ".join(map(str, several(item.get("creator")))), language=item.get("language"),
        keywords=several(item.get("keywords")), source=item.get("source_id"), source_title=item.get("source_name"),
        source_url=item.get("source_url"), provider="newsdata", provider_id=item.get("article_id"),
        # In plans without sentiment the field says so in a sentence: only the three words count.
        sentiment=item.get("sentiment"),
    )  # fmt: skip
