"""The pipelines' verbs for Python, `graph.grow(...)` and its like: the only module here that reaches up to workers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.workers.hn.face import HackerNews
    from graphvine.workers.news.face import News
    from graphvine.workers.scrape.events import ScrapeEvent
    from graphvine.workers.uploads.face import Uploads
    from graphvine.workers.uploads.record import Upload
    from graphvine.workers.wikipedia.drawing import Picture
    from graphvine.workers.wikipedia.grow import GrowEvent, GrowSummary
    from graphvine.workers.wikipedia.refresh import RefreshSummary
    from graphvine.workers.wikipedia.searching import SearchHit

__all__ = [
    "GrowEvent",
    "GrowSummary",
    "HackerNews",
    "News",
    "Picture",
    "RefreshSummary",
    "ScrapeEvent",
    "SearchHit",
    "Upload",
    "Uploads",
    "draw",
    "grow",
    "grow_events",
    "hn",
    "news",
    "refresh",
    "reindex",
    "scrape",
    "search",
    "uploads",
]


def grow(graph: Graph, titles: Sequence[str], **options: Any) -> GrowSummary:
    if graph.door.served is not None:
        from graphvine.workers.wikipedia.submitting import grow as submit

        return submit(graph, titles, **options)
    from graphvine.workers.wikipedia.grow import grow as run

    return run(graph, titles, **options)


def grow_events(graph: Graph, titles: Sequence[str], **options: Any) -> Iterator[GrowEvent]:
    from graphvine.workers.wikipedia.grow import grow_events as run

    return run(graph, titles, **options)


def search(graph: Graph, text: str, **options: Any) -> list[SearchHit]:
    from graphvine.workers.wikipedia.searching import ArticleSearch, SearchHit

    if graph.door.served is not None:
        from graphvine.remote import call

        return call(graph, "article.search", {"text": text, **options}, list[SearchHit])

    searching = ArticleSearch(graph)
    try:
        return searching.search(text, **options)
    finally:
        searching.close()


def reindex(graph: Graph, progress: Callable[[int], None] | None = None) -> int:
    from graphvine.workers.wikipedia.searching import ArticleSearch

    if graph.door.served is not None:
        from graphvine.remote import call

        articles = call(graph, "article.reindex", {}, int)
    else:
        searching = ArticleSearch(graph)
        try:
            articles = searching.rebuild(progress)
        finally:
            searching.close()
    items = hn(graph).reindex(progress) if "hn_item" in graph.library.entities else 0
    return articles + items


def scrape(graph: Graph, urls: Sequence[str], **options: Any) -> AsyncGenerator[ScrapeEvent, None]:
    if graph.door.served is not None:
        from graphvine.workers.scrape.submitting import scrape as submit

        return submit(graph, urls, **options)
    from graphvine.workers.scrape.scraping import scrape as run

    return run(graph, urls, **options)


def refresh(graph: Graph, **options: Any) -> RefreshSummary:
    from graphvine.workers.wikipedia.refresh import refresh as run

    return run(graph, **options)


def hn(graph: Graph) -> HackerNews:
    from graphvine.workers.hn.face import HackerNews

    return HackerNews(graph)


def news(graph: Graph) -> News:
    from graphvine.workers.news.face import News

    return News(graph)


def uploads(graph: Graph) -> Uploads:
    from graphvine.workers.uploads.face import Uploads

    return Uploads(graph)


def draw(graph: Graph, around: str | None, limit: int) -> Picture:
    from graphvine.workers.wikipedia.drawing import draw as run

    return run(graph, around, limit)
