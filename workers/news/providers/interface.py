"""The interface of a provider, and what providers share."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

from graphvine.workers.common.fetching import Fetched, FetchError
from graphvine.workers.news.article import BadArticle, Found, plain
from graphvine.workers.news.errors import ProviderError

_MESSAGES = ("message", "error_description", "detail", "errors", "error", "results", "title", "code")
_SHORTEST_SECRET = 4
# Fetches an address with these headers; raises FetchError.
Ask = Callable[[str, Mapping[str, str]], Awaitable[Fetched]]


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a provider's list, the newest articles first."""

    articles: tuple[Found, ...]
    # Items that are not articles, each with its position and the field that is wrong.
    rejected: tuple[str, ...] = ()
    # The cursor of the next page; '' when this is the last.
    next: str = ""
    credits: int = 0


class Provider(Protocol):
    @property
    def name(self) -> str:
        """A unique name: the provider's state in the graph is stored under it."""
        ...

    @property
    def keyed(self) -> bool:
        """Whether requests carry a key."""
        ...

    async def page(self, ask: Ask, cursor: str) -> Page:
        """The page behind this cursor ('' for the first); raises ProviderError."""
        ...


async def asked(provider: str, ask: Ask, url: str, headers: Mapping[str, str]) -> Fetched:
    """Fetch, or raise ProviderError. The message leaves the query of the address out: it may hold a key."""
    try:
        return await ask(url, headers)
    except FetchError as error:
        where = urlsplit(url)._replace(query="", fragment="").geturl()
        said = refusal(error.body, headers.values())
        raise ProviderError(
            provider, f"{where}: {error.reason}" + (f": {said}" if said else ""),
            retry_after_seconds=error.retry_after_seconds, permanent=error.permanent,
        ) from None  # fmt: skip


def refusal(body: bytes, secrets: Iterable[str] = ()) -> str:
    """What an answer that refuses says itself: the message in its JSON, or its text; never one of the secrets."""
    text = body.decode("utf-8", "replace")
    try:
        said = _message(json.loads(text))
    except (ValueError, RecursionError):
        said = "" if text.lstrip().startswith("<") else text
    for secret in secrets:
        said = said.replace(secret, "***") if len(secret) >= _SHORTEST_SECRET else said
    return plain(said, 300)


def _message(answer: Any, depth: int = 4) -> str:
    """The first text under a name that providers use for it."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, list) and answer and depth:
        return _message(answer[0], depth - 1)
    if isinstance(answer, Mapping) and depth:
        for name in _MESSAGES:
            if said := _message(answer.get(name), depth - 1):
                return said
    return ""


def as_object(provider: str, answer: Fetched) -> dict[str, Any]:
    """The JSON object in an answer."""
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        kind = answer.media_type or "no type"
        raise ProviderError(provider, f"its answer is not JSON ({kind})") from None
    if not isinstance(found, dict):
        raise ProviderError(provider, f"its answer is not a JSON object, but {type(found).__name__}")
    return found


def address(base: str, **asked_for: str) -> str:
    """An address with these query parameters; empty ones are left out."""
    given = {name.replace("__", "."): value for name, value in asked_for.items() if value}
    return f"{base}{'&' if '?' in base else '?'}{urlencode(given)}" if given else base


def taken(items: Iterable[Any], make: Callable[[Any], Found]) -> tuple[tuple[Found, ...], tuple[str, ...]]:
    """The items that are articles, and why the others are not."""
    articles: list[Found] = []
    rejected: list[str] = []
    for number, item in enumerate(items):
        try:
            articles.append(make(item))
        except BadArticle as error:
            rejected.append(f"item {number}: {error}")
    return tuple(articles), tuple(rejected)


def part(item: Any, *path: str) -> Any:
    """A nested field; None where one of the path is missing."""
    for name in path:
        item = item.get(name) if isinstance(item, Mapping) else None
    return item


def several(value: Any) -> list[Any]:
    """A list as it is; a single string as a list of one."""
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []
