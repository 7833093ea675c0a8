"""Services that answer in JSON and want a key.

NewsData.io has ten articles per request, and each answer the cursor of the next page. APITube has numbered pages, and
its articles a sentiment.
"""

from __future__ import annotations

from typing import Any

from graphvine.workers.news.article import BadArticle, Found, found
from graphvine.workers.news.errors import ProviderError
from graphvine.workers.news.providers.interface import (
    Ask,
    Page,
    address,
    as_object,
    asked,
    part,
    refusal,
    several,
    taken,
)

_PER_PAGE = 50


class NewsData:
    name = "newsdata"
    keyed = True

    def __init__(self, url: str, key: str, query: str, language: str) -> None:
        self._url, self._query, self._language = url, query, language
        # In a header: addresses end up in logs and error messages.
        self._headers = {"X-ACCESS-KEY": key, "Accept": "application/json"}

    async def page(self, ask: Ask, cursor: str) -> Page:
        where = address(self._url, q=self._query, language=self._language, page=cursor)
        body = await asked(self.name, ask, where, self._headers)
        answer = as_object(self.name, body)
        if answer.get("status") != "success":
            said = refusal(body.body, self._headers.values())
            raise ProviderError(self.name, f"it refuses: {said or 'no reason given'}")
        results = answer.get("results")
        if not isinstance(results, list):
            raise ProviderError(self.name, "its answer has no list of results")
        articles, rejected = taken(results, newsdata_article)
        following = answer.get("nextPage")
        return Page(articles, rejected, str(following) if following else "", credits=1)


def newsdata_article(item: Any) -> Found:
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


class APITube:
    name = "apitube"
    keyed = True

    def __init__(self, url: str, key: str, query: str, language: str) -> None:
        self._url, self._query, self._language = url, query, language
        self._headers = {"X-API-Key": key, "Accept": "application/json"}

    async def page(self, ask: Ask, cursor: str) -> Page:
        number = int(cursor or "1")
        where = address(
            self._url, title=self._query, language__code=self._language, per_page=str(_PER_PAGE), page=str(number),
            sort__by="published_at", sort__order="desc",
        )  # fmt: skip
        body = await asked(self.name, ask, where, self._headers)
        answer = as_object(self.name, body)
        # Its older model calls them otherwise.
        results = next((answer[name] for name in ("results", "articles", "data") if name in answer), None)
        if answer.get("status") not in ("ok", "success", None) or not isinstance(results, list):
            said = refusal(body.body, self._headers.values())
            raise ProviderError(self.name, f"it refuses: {said or 'no reason given'}")
        articles, rejected = taken(results, apitube_article)
        # The address of the next page contains the key, so only the number is kept.
        pages = part(answer, "meta", "total_pages")
        more = bool(answer.get("has_next_pages")) or (isinstance(pages, int) and number < pages)
        more = more and bool(results)
        return Page(articles, rejected, str(number + 1) if more else "", credits=1)


def apitube_article(item: Any) -> Found:
    if not isinstance(item, dict):
        raise BadArticle("not an object")
    source, sentiment = item.get("source"), item.get("sentiment")
    overall = part(sentiment, "overall") or sentiment
    named = [part(word, "name") if isinstance(word, dict) else word for word in several(item.get("entities"))]
    return found(
        _first(item, "href", "url", "link"), item.get("title"), date=_first(item, "published_at", "publishedAt"),
        description=_first(item, "description", "summary"), author=part(item, "author", "name") or item.get("author"),
        language=part(item, "language", "code") or item.get("language"),
        keywords=[*several(item.get("keywords")), *named],
        source=(part(source, "domain") or part(source, "name")) if isinstance(source, dict) else source,
        source_title=part(source, "name"), source_url=part(source, "home_page_url") or part(source, "url"),
        provider="apitube", provider_id=item.get("id"), sentiment=part(overall, "polarity") or overall,
        score=part(overall, "score"),
    )  # fmt: skip


def _first(item: dict[str, Any], *names: str) -> Any:
    """Under the first of these names that has a text: the older model of the service calls some fields otherwise."""
    return next((item[name] for name in names if isinstance(item.get(name), str) and item[name]), None)
