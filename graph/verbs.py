"""The pipelines' verbs as methods of an open graph: the only module here that imports workers, and only when used."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

from graphvine.dispatch import dispatch, iterate

# isort: off
# fmt: off
if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.workers.hn.api import HackerNews
    from graphvine.workers.hn.errors import NoSuchItem, TransitionNotAllowed
    from graphvine.workers.hn.ingest.ingest import Taken
    from graphvine.workers.hn.pull import Pulled
    from graphvine.workers.hn.requests import (
        AddRequest, AdvanceRequest, HNReindexRequest, HNSearchRequest, MarkFailedRequest, PullRequest,
        RetryItemsRequest,
    )
    from graphvine.workers.hn.search import Found, HNSearch, Page
    from graphvine.workers.hn.threads import Item
    from graphvine.workers.hn.transitions import Way
    from graphvine.workers.hooks import Pipeline
    from graphvine.workers.loop import Counts
    from graphvine.workers.news.api import News
    from graphvine.workers.news.errors import NoProvider, ProviderError, UnknownArticle
    from graphvine.workers.news.reads import NewsDetail, NewsItem, NewsQueue
    from graphvine.workers.news.requests import ProcessRequest, RetryArticlesRequest, UpdateRequest
    from graphvine.workers.news.runs import ProcessorRun, UpdaterRun
    from graphvine.workers.pipeline import CannotWork, Context, Handler
    from graphvine.workers.requests import WorkRequest
    from graphvine.workers.scrape.errors import BadAddress, BadBatch, BatchBusy, BatchLost, HookBroken
    from graphvine.workers.scrape.events import ScrapeEvent
    from graphvine.workers.scrape.hook import Hook
    from graphvine.workers.scrape.requests import ScrapeBatchRequest, ScrapeRequest
    from graphvine.workers.scrape.settings import ScrapeSettings
    from graphvine.workers.uploads.api import Uploads
    from graphvine.workers.uploads.errors import FileAway, FileFault, HeldElsewhere, NoSuchUpload, StepNotAllowed
    from graphvine.workers.uploads.files import Watch
    from graphvine.workers.uploads.record import Upload
    from graphvine.workers.uploads.requests import UploadRequest, UploadStepRequest
    from graphvine.workers.wikipedia.errors import BadDump, ParserUnavailable, SourceRefused, SourceUnavailable
    from graphvine.workers.wikipedia.grow import GrowEvent, GrowSummary
    from graphvine.workers.wikipedia.refresh import RefreshSummary
    from graphvine.workers.wikipedia.requests import (
        GrowRequest, MapRequest, RefreshRequest, ReindexRequest, SearchRequest, SeedTitlesRequest,
    )
    from graphvine.workers.wikipedia.search import NothingToSearch, SearchHit
    from graphvine.workers.wikipedia.settings import WikipediaSettings
    from graphvine.workers.wikipedia.sources import Source
    from graphvine.workers.wikipedia.svg_map import Picture

# What is public of the pipelines; the package exports it.
__all__ = [
    "AddRequest", "AdvanceRequest", "BadAddress", "BadBatch", "BadDump", "BatchBusy", "BatchLost", "CannotWork",
    "Context", "Counts", "FileAway", "FileFault", "Found", "GrowEvent", "GrowRequest", "GrowSummary",
    "HNReindexRequest", "HNSearch", "HNSearchRequest", "HackerNews", "Handler", "HeldElsewhere", "HookBroken", "Item",
    "MapRequest", "MarkFailedRequest", "News", "NewsDetail", "NewsItem", "NewsQueue", "NoProvider", "NoSuchItem",
    "NoSuchUpload", "NothingToSearch", "Page", "ParserUnavailable", "Picture", "Pipeline", "PipelineVerbs",
    "ProcessRequest", "ProcessorRun", "ProviderError", "PullRequest", "Pulled", "RefreshRequest", "RefreshSummary",
    "ReindexRequest", "RetryArticlesRequest", "RetryItemsRequest", "ScrapeBatchRequest", "ScrapeEvent",
    "ScrapeRequest", "SearchHit", "SearchRequest", "SeedTitlesRequest", "SourceRefused", "SourceUnavailable",
    "StepNotAllowed", "Taken", "TransitionNotAllowed", "UnknownArticle", "UpdateRequest", "UpdaterRun", "Upload",
    "UploadRequest", "UploadStepRequest", "Uploads", "Way", "WorkRequest",
]
# fmt: on


class PipelineVerbs:
    """What `Graph` has beside the work of any graph: the verbs of each pipeline."""

    @property
    def _graph(self) -> Graph:
        return cast("Graph", self)

    def grow(
        self, titles: Sequence[str] = (), *, depth: int = 2, limit: int | None = None,
        source: str | Source | None = None, workers: int | None = None, category_filter: str = "",
        settings: WikipediaSettings | None = None, on_event: Callable[[GrowEvent], None] | None = None,
        stop: threading.Event | None = None,
    ) -> GrowSummary:  # fmt: skip
        """Expand from these titles, and from whatever waits in the graph, up to `depth` links away from a seed.

        `depth` limits what is worked on, not which links are recorded. Called again after a kill, it goes on.
        """
        request = _growth(titles, depth, limit, source, workers, category_filter, settings)
        return dispatch(self._graph, request, on_event=on_event, stop=stop)

    def grow_events(
        self, titles: Sequence[str] = (), *, depth: int = 2, limit: int | None = None,
        source: str | Source | None = None, workers: int | None = None, category_filter: str = "",
        settings: WikipediaSettings | None = None,
    ) -> Iterator[GrowEvent]:  # fmt: skip
        """The same as an iterator of events; leaving it early stops the work cleanly."""
        from graphvine.workers.wikipedia.grow import GrowEvent

        request = _growth(titles, depth, limit, source, workers, category_filter, settings)
        return iterate(self._graph, request, GrowEvent)

    def refresh(
        self, *, source: str | Source | None = None, settings: WikipediaSettings | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> RefreshSummary:  # fmt: skip
        """Put articles back into the queue whose page was revised since; `grow` then expands them."""
        from graphvine.workers.wikipedia.requests import RefreshRequest

        named, opened = (source, None) if source is None or isinstance(source, str) else (None, source)
        request = RefreshRequest(source=named, opened=opened, settings=settings)
        return dispatch(self._graph, request, on_event=progress)

    def search(
        self, text: str, *, mode: Literal["walk", "hybrid", "vector", "text"] = "walk",
        near: str | None = None, limit: int = 10,
    ) -> list[SearchHit]:  # fmt: skip
        """Find sections by words, by meaning and by the links between articles.

        `walk` shows the best section of each article and how it was reached; `near` prefers what lies few links from
        that article.
        """
        from graphvine.workers.wikipedia.requests import SearchRequest

        return dispatch(self._graph, SearchRequest(text=text, mode=mode, near=near, limit=limit))

    def reindex(self, progress: Callable[[int], None] | None = None) -> int:
        """Rebuild the search indexes of articles and items from the graph. Returns how many rows they hold."""
        from graphvine.workers.wikipedia.requests import ReindexRequest

        articles = dispatch(self._graph, ReindexRequest(), on_event=progress)
        return articles + (self.hn.reindex(progress) if "hn_item" in self._graph.library.entities else 0)

    def map(self, *, around: str | None = None, limit: int = 60) -> Picture:
        """Draw the articles around one, or those nearest to the seeds, as SVG."""
        from graphvine.workers.wikipedia.requests import MapRequest

        return dispatch(self._graph, MapRequest(around=around, limit=limit))

    def scrape(
        self, urls: Sequence[str] = (), *, batch: str | None = None, hook: Hook | None = None,
        settings: ScrapeSettings | None = None, standby: bool = False, stop: threading.Event | None = None,
    ) -> AsyncGenerator[ScrapeEvent, None]:  # fmt: skip
        """Scrape and summarize these pages, and whatever waits in the batch, as events for `async for`.

        Without a name the batch is known by its addresses. Called again after a kill, it goes on. With `standby` it
        waits while another manager has the batch, and takes over when that dies.
        """
        from graphvine.workers.scrape.api import scrape

        return scrape(self._graph, urls, batch=batch, hook=hook, settings=settings, standby=standby, stop=stop)

    @property
    def hn(self) -> HackerNews:
        """Hacker News: items, threads and search."""
        from graphvine.workers.hn.api import HackerNews

        return HackerNews(self._graph)

    @property
    def news(self) -> News:
        """News: articles, the queue, and runs of the updater and the processor."""
        from graphvine.workers.news.api import News

        return News(self._graph)

    @property
    def uploads(self) -> Uploads:
        """Files of items: take, validate, start, retry, reset, show, errors."""
        from graphvine.workers.uploads.api import Uploads

        return Uploads(self._graph)

    def upload(
        self, file: str | os.PathLike[str] | BinaryIO, *, auto: bool = True, again: bool = False,
        name: str | None = None, stop: threading.Event | None = None, watch: Watch | None = None,
    ) -> Upload:  # fmt: skip
        """Upload a file of Hacker News items (a path or an open stream) and bring it all the way.

        Without `auto` it waits for each step. The same file again is the same upload: one that was interrupted goes
        on, one that is done is left as it is, unless `again` asks for another.
        """
        return self.uploads.upload(file, auto=auto, again=again, name=name, stop=stop, watch=watch)


def _growth(
    titles: Sequence[str], depth: int, limit: int | None, source: str | Source | None, workers: int | None,
    category_filter: str, settings: WikipediaSettings | None,
) -> GrowRequest:  # fmt: skip
    from graphvine.workers.wikipedia.requests import GrowRequest

    named, opened = (source, None) if source is None or isinstance(source, str) else (None, source)
    return GrowRequest(
        titles=titles, depth=depth, limit=limit, source=named, opened=opened, workers=workers,
        category_filter=category_filter, settings=settings,
    )  # fmt: skip
