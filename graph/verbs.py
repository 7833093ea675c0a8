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
    from graphvine.workers.counts import Counts
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
    from graphvine.search.hits import Citation, SearchHit
    from graphvine.workers.search.ask import Answer, Sentence
    from graphvine.workers.search.edges import EdgeCounts
    from graphvine.workers.search.engine import UnknownKind
    from graphvine.workers.search.requests import (
        AskRequest, EdgeCountsRequest, EdgesRequest, ReindexRequest, SearchRequest,
    )
    from graphvine.workers.search.settings import SearchSettings
    from graphvine.workers.uploads.api import Uploads
    from graphvine.workers.uploads.errors import FileAway, FileFault, HeldElsewhere, NoSuchUpload, StepNotAllowed
    from graphvine.workers.uploads.files import Watch
    from graphvine.workers.uploads.record import Upload
    from graphvine.workers.uploads.requests import UploadRequest, UploadStepRequest
    from graphvine.workers.wikipedia.model_switch import SwitchEvent, SwitchSummary
    from graphvine.workers.wikipedia.errors import BadDump, ParserUnavailable, SourceRefused, SourceUnavailable
    from graphvine.workers.wikipedia.grow import GrowEvent, GrowSummary
    from graphvine.workers.wikipedia.refresh import RefreshSummary
    from graphvine.workers.wikipedia.requests import (
        GrowRequest, MapRequest, RefreshRequest, SeedTitlesRequest,
    )
    from graphvine.workers.wikipedia.output import growth_bar
    from graphvine.workers.wikipedia.search import NothingToSearch
    from graphvine.workers.wikipedia.settings import WikipediaSettings
    from graphvine.workers.wikipedia.sources import Source
    from graphvine.workers.wikipedia.svg_map import Picture

# What is public of the pipelines; the package exports it.
__all__ = [
    "AddRequest", "AdvanceRequest", "Answer", "AskRequest", "BadAddress", "BadBatch", "BadDump", "BatchBusy",
    "BatchLost", "CannotWork", "Citation", "Context", "Counts", "EdgeCounts", "EdgeCountsRequest", "EdgesRequest",
    "FileAway", "FileFault", "Found", "GrowEvent", "GrowRequest", "GrowSummary", "HNReindexRequest", "HNSearch",
    "HNSearchRequest", "HackerNews", "Handler", "HeldElsewhere", "HookBroken", "Item", "MapRequest",
    "MarkFailedRequest", "News", "NewsDetail", "NewsItem", "NewsQueue", "NoProvider", "NoSuchItem", "NoSuchUpload",
    "NothingToSearch", "Page", "ParserUnavailable", "Picture", "Pipeline", "PipelineVerbs", "ProcessRequest",
    "ProcessorRun", "ProviderError", "PullRequest", "Pulled", "RefreshRequest", "RefreshSummary", "ReindexRequest",
    "RetryArticlesRequest", "RetryItemsRequest", "ScrapeBatchRequest", "ScrapeEvent", "ScrapeRequest", "SearchHit",
    "SearchRequest", "SeedTitlesRequest", "Sentence", "SourceRefused", "SourceUnavailable", "StepNotAllowed", "Taken",
    "TransitionNotAllowed", "UnknownArticle", "UnknownKind", "UpdateRequest", "UpdaterRun", "Upload", "UploadRequest",
    "UploadStepRequest", "Uploads", "Way", "WorkRequest", "growth_bar",
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
        embed: Literal["now", "later", "never"] | None = None, all: bool = False, other_source: bool = False,
        settings: WikipediaSettings | None = None,
        on_event: Callable[[GrowEvent], None] | None = None, stop: threading.Event | None = None,
    ) -> GrowSummary:  # fmt: skip
        """Expand from these titles, and from whatever waits in the graph, up to `depth` links away from a seed.

        `depth` limits what is worked on, not which links are recorded. Called again after a kill, it goes on.
        """
        request = _growth(titles, depth, limit, source, workers, category_filter, embed, settings, all, other_source)
        return dispatch(self._graph, request, on_event=on_event, stop=stop)

    def grow_events(
        self, titles: Sequence[str] = (), *, depth: int = 2, limit: int | None = None,
        source: str | Source | None = None, workers: int | None = None, category_filter: str = "",
        embed: Literal["now", "later", "never"] | None = None, all: bool = False, other_source: bool = False,
        settings: WikipediaSettings | None = None,
    ) -> Iterator[GrowEvent]:  # fmt: skip
        """The same as an iterator of events; leaving it early stops the work cleanly."""
        from graphvine.workers.wikipedia.grow import GrowEvent

        request = _growth(titles, depth, limit, source, workers, category_filter, embed, settings, all, other_source)
        return iterate(self._graph, request, GrowEvent)

    def refresh(
        self, *, source: str | Source | None = None, other_source: bool = False,
        settings: WikipediaSettings | None = None, progress: Callable[[int], None] | None = None,
    ) -> RefreshSummary:  # fmt: skip
        """Put articles back into the queue whose page was revised since; `grow` then expands them."""
        from graphvine.workers.wikipedia.requests import RefreshRequest

        named, opened = (source, None) if source is None or isinstance(source, str) else (None, source)
        request = RefreshRequest(source=named, other_source=other_source, opened=opened, settings=settings)
        return dispatch(self._graph, request, on_event=progress)

    def switch_model(
        self, model: str, *, embedder: Literal["light", "sentence-transformers"] | None = None,
        on_event: Callable[[SwitchEvent], None] | None = None, stop: threading.Event | None = None,
    ) -> SwitchSummary:  # fmt: skip
        """Give every text that has a vector one of another model, then search by these; goes on after a kill."""
        from graphvine.workers.wikipedia.requests import ModelSwitchRequest

        request = ModelSwitchRequest(model=model, embedder=embedder)
        return dispatch(self._graph, request, on_event=on_event, stop=stop)

    def search(
        self, text: str, *, mode: Literal["walk", "hybrid", "vector", "text"] = "walk", kind: Sequence[str] = (),
        near: str | None = None, author: str | None = None, not_author: str | None = None, type: str | None = None,
        source: str | None = None, topic: str | None = None, site: str | None = None, after: int | None = None,
        before: int | None = None, sort: Literal["relevance", "date", "score"] = "relevance", limit: int = 10,
    ) -> list[SearchHit]:  # fmt: skip
        """Find articles, items, news and pages by words, by meaning and by the edges between them.

        `kind` restricts it to some of article, hn, news and page. `walk` shows the best section of each article and how
        it was reached; `near` prefers articles few links from that one. Filters leave out the kinds that have no such
        field; times are seconds since 1970. With another `sort` it is by words, the newest or best scored first.
        """
        from graphvine.workers.search.requests import SearchRequest

        return dispatch(self._graph, SearchRequest(
            text=text, kind=kind, mode=mode, near=near, author=author, not_author=not_author, type=type, source=source,
            topic=topic, site=site, after=after, before=before, sort=sort, limit=limit,
        ))  # fmt: skip

    def search_facets(
        self, text: str, facets: Sequence[Literal["type", "by", "year", "source", "topic"]], *,
        kind: Sequence[str] = (), author: str | None = None, not_author: str | None = None, type: str | None = None,
        source: str | None = None, topic: str | None = None, site: str | None = None, after: int | None = None,
        before: int | None = None,
    ) -> dict[str, dict[str, int]]:  # fmt: skip
        """How many of all that a search by words finds have each value of these fields, the commonest ten."""
        from graphvine.workers.search.requests import FacetsRequest

        return dispatch(self._graph, FacetsRequest(
            facets=facets, text=text, kind=kind, author=author, not_author=not_author, type=type, source=source,
            topic=topic, site=site, after=after, before=before,
        ))  # fmt: skip

    def ask(
        self, question: str, *, kind: Sequence[str] = (), limit: int = 8, settings: SearchSettings | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Answer:  # fmt: skip
        """The passages that a question needs, grouped by path and cited; with a model in the settings, its answer.

        `on_text` gets the answer piece by piece, as it is written from these passages alone.
        """
        from graphvine.workers.search.requests import AskRequest

        request = AskRequest(question=question, kind=kind, limit=limit, settings=settings)
        return dispatch(self._graph, request, on_event=on_text)

    def make_edges(
        self, *, progress: Callable[[int], None] | None = None, stop: threading.Event | None = None
    ) -> list[EdgeCounts]:
        """Make the edges between the kinds, up to where the graph is: same page, and mentions of articles."""
        from graphvine.workers.search.requests import EdgesRequest

        return dispatch(self._graph, EdgesRequest(), on_event=progress, stop=stop)

    def edge_counts(self) -> list[EdgeCounts]:
        """How many edges between the kinds there are, and how far the jobs that make them have come."""
        from graphvine.workers.search.requests import EdgeCountsRequest

        return dispatch(self._graph, EdgeCountsRequest())

    def reindex(self, progress: Callable[[int], None] | None = None, *, kind: Sequence[str] = ()) -> int:
        """Rebuild the search indexes from the graph, of these kinds or of all. Returns how many rows they hold."""
        from graphvine.workers.search.requests import ReindexRequest

        return dispatch(self._graph, ReindexRequest(kind=kind), on_event=progress)

    def map(self, *, around: str | None = None, limit: int = 60) -> Picture:
        """Draw the articles around one, or those nearest to the seeds, as SVG."""
        from graphvine.workers.wikipedia.requests import MapRequest

        return dispatch(self._graph, MapRequest(around=around, limit=limit))

    def scrape(
        self, urls: Sequence[str] = (), *, batch: str | None = None, hook: Hook | None = None,
        settings: ScrapeSettings | None = None, standby: bool = False, stop: threading.Event | None = None,
        again: bool = False, now: bool = False,
    ) -> AsyncGenerator[ScrapeEvent, None]:  # fmt: skip
        """Scrape and summarize these pages, and whatever waits in the batch, as events for `async for`.

        Without a name the batch is known by its addresses. Called again after a kill, it goes on. With `standby` it
        waits while another manager has the batch, and takes over when that dies. A finished batch tries what failed
        again; with `again` all of it is redone; with `now` pages that back off after a failure are tried at once.
        """
        from graphvine.workers.scrape.api import scrape

        return scrape(
            self._graph, urls, batch=batch, hook=hook, settings=settings, standby=standby, stop=stop, again=again,
            now=now,
        )  # fmt: skip

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
    category_filter: str, embed: Literal["now", "later", "never"] | None, settings: WikipediaSettings | None,
    all: bool, other_source: bool,
) -> GrowRequest:  # fmt: skip
    from graphvine.workers.wikipedia.requests import GrowRequest

    named, opened = (source, None) if source is None or isinstance(source, str) else (None, source)
    return GrowRequest(
        titles=titles, depth=depth, limit=limit, source=named, opened=opened, workers=workers,
        category_filter=category_filter, embed=embed, settings=settings, all=all,
        other_source=other_source,
    )  # fmt: skip
