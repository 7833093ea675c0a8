"""APITube: numbered pages; its articles have a sentiment."""

from __future__ import annotations

from typing import Any

from graphvine.workers.news.article import BadArticle, Found, found
from graphvine.workers.news.errors import ProviderError
from graphvine.workers.news.providers.interface import Ask, Page, address, as_object, asked, part, several, taken

_PER_PAGE = 50


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
        answer = as_object(self.name, await asked(self.name, ask, where, self._headers))
        results = answer.get("results")
        if answer.get("status") not in ("ok", "success", None) or not isinstance(results, list):
            said = part(answer, "error", "message") or answer.get("message") or answer.get("errors")
            raise ProviderError(self.name, f"it refuses: {str(said or 'no reason given')[:300]}")
        articles, rejected = taken(results, _article)
        # The address of the next page contains the key, so only the number is kept.
        more = bool(answer.get("has_next_pages")) and bool(results)
        return Page(articles, rejected, str(number + 1) if more else "", credits=1)


def _article(item: Any) -> Found:
    if not isinstance(item, dict):
        raise BadArticle("not an object")
    named = [part(word, "name") if isinstance(word, dict) else word for word in several(item.get("entities"))]
    return found(
        item.get("href"), item.get("title"), date=item.get("published_at"), description=item.get("description"),
        author=part(item, "author", "name"), language=item.get("language"),
        keywords=[*several(item.get("keywords")), *named], source=part(item, "source", "domain"),
        source_title=part(item, "source", "name"), source_url=part(item, "source", "home_page_url"),
        provider="apitube", provider_id=item.get("id"), sentiment=part(item, "sentiment", "overall", "polarity"),
        score=part(item, "sentiment", "overall", "score"),
    )  # fmt: skip
