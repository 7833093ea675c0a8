"""Providers of news: each is an adapter that turns its pages into articles of one shape."""

from __future__ import annotations

import os

from graphvine.errors import SettingsError
from graphvine.workers.news.errors import NoProvider
from graphvine.workers.news.providers.apis import APITube, NewsData
from graphvine.workers.news.providers.feed import Feed
from graphvine.workers.news.providers.interface import Ask, Page, Provider
from graphvine.workers.news.settings import NewsSettings

__all__ = ["APITube", "Ask", "Feed", "NewsData", "Page", "Provider", "configured", "required"]


def configured(settings: NewsSettings) -> list[Provider]:
    """The providers in the settings: those with a key, and the feeds."""
    found: list[Provider] = []
    if key := os.environ.get(settings.newsdata_key_variable, ""):
        found.append(NewsData(settings.newsdata_url, key, settings.query, settings.language))
    if key := os.environ.get(settings.apitube_key_variable, ""):
        found.append(APITube(settings.apitube_url, key, settings.query, settings.language))
    for address in dict.fromkeys(settings.feeds.split()):
        if not address.startswith(("http://", "https://")):
            raise SettingsError(f"news.feeds: {address!r} is not an http or https address")
        found.append(Feed(address))
    return found


def required(settings: NewsSettings) -> list[Provider]:
    """The same; NoProvider where there is none."""
    found = configured(settings)
    if not found:
        raise NoProvider(
            f"no news provider is configured: set news.feeds, or a key in {settings.newsdata_key_variable}"
            f" or {settings.apitube_key_variable}"
        )
    return found
