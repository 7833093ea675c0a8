"""What every provider gives, and how it asks."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

from graphvine.workers.news.article import BadArticle, Found
from graphvine.workers.news.errors import ProviderError
from graphvine.workers.parts.fetching import Fetched, FetchError

# Asks an address, with these headers; raises FetchError.
Ask = Callable[[str, Mapping[str, str]], Awaitable[Fetched]]


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a provider's list, the newest articles first."""

    articles: tuple[Found, ...]
    # What can't be an article, each with its place and the field that is wrong.
    rejected: tuple[str, ...] = ()
    # What the next page is asked for by; '' when this is the last.
    next: str = ""
    credits: int = 0


class Provider(Protocol):
    @property
    def name(self) -> str:
        """Which provider, and of several alike which: its state in the graph is kept by it."""
        ...

    @property
    def keyed(self) -> bool:
        """Whether it is asked with a key."""
        ...

    async def page(self, ask: Ask, cursor: str) -> Page:
        """The page behind this cursor ('' for the first); raises ProviderError."""
        ...


async def asked(provider: str, ask: Ask, url: str, headers: Mapping[str, str]) -> Fetched:
    """An answer, or ProviderError. The address is not told whole: what is asked for may be private."""
    try:
        return await ask(url, headers)
    except FetchError as error:
        where = urlsplit(url)._replace(query="", fragment="").geturl()
        raise ProviderError(
            provider, f"{where}: {error.reason}", retry_after_seconds=error.retry_after_seconds
        ) from None  # fmt: skip


def as_object(provider: str, answer: Fetched) -> dict[str, Any]:
    """The JSON object of an answer."""
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        kind = answer.media_type or "no type"
        raise ProviderError(provider, f"it answers what is no JSON ({kind})") from None
    if not isinstance(found, dict):
        raise ProviderError(provider, f"it answers JSON that is no object, but {type(found).__name__}")
    return found


def address(base: str, **asked_for: str) -> str:
    """An address with these parameters; empty ones are left out."""
    given = {name.replace("__", "."): value for name, value in asked_for.items() if value}
    return f"{base}{'&' if '?' in base else '?'}{urlencode(given)}" if given else base


def taken(items: Iterable[Any], make: Callable[[Any], Found]) -> tuple[tuple[Found, ...], tuple[str, ...]]:
    """What can be an article, and what can't: a bad item costs nothing that is good."""
    articles: list[Found] = []
    rejected: list[str] = []
    for number, item in enumerate(items):
        try:
            articles.append(make(item))
        except BadArticle as error:
            rejected.append(f"item {number}: {error}")
    return tuple(articles), tuple(rejected)


def part(item: Any, *path: str) -> Any:
    """A field of a field of an object; None where one of them is not there."""
    for name in path:
        item = item.get(name) if isinstance(item, Mapping) else None
    return item


def several(value: Any) -> list[Any]:
    """A list, where it is one; a single text as a list of one."""
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []
