"""The pipelines' verbs as methods of an open graph."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, cast

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.verbs import (
        GrowEvent,
        GrowSummary,
        HackerNews,
        News,
        Picture,
        RefreshSummary,
        ScrapeEvent,
        SearchHit,
        Upload,
        Uploads,
    )


class PipelineVerbs:
    """What `Graph` has beside the work of any graph: a verb, or a face, for each pipeline."""

    @property
    def _itself(self) -> Graph:
        return cast("Graph", self)

    def grow(self, titles: Sequence[str] = (), **options: Any) -> GrowSummary:
        """Expand from these titles: depth, limit, source, workers, category_filter, on_event."""
        from graphvine.verbs import grow

        return grow(self._itself, titles, **options)

    def grow_events(self, titles: Sequence[str] = (), **options: Any) -> Iterator[GrowEvent]:
        """The same, as an iterator of events; leaving it early stops the work cleanly."""
        from graphvine.verbs import grow_events

        return grow_events(self._itself, titles, **options)

    def refresh(self, **options: Any) -> RefreshSummary:
        """Put articles back into the queue whose page was revised since."""
        from graphvine.verbs import refresh

        return refresh(self._itself, **options)

    def search(self, text: str, **options: Any) -> list[SearchHit]:
        """Find sections by words and by meaning: mode ("hybrid", "vector", "text"), near, limit."""
        from graphvine.verbs import search

        return search(self._itself, text, **options)

    def reindex(self, progress: Callable[[int], None] | None = None) -> int:
        """Make the search index anew from the graph. Returns how many rows it took in."""
        from graphvine.verbs import reindex

        return reindex(self._itself, progress)

    def map(self, *, around: str | None = None, limit: int = 60) -> Picture:
        """Draw the articles around one, or those nearest to the seeds."""
        from graphvine.verbs import draw

        return draw(self._itself, around, limit)

    def scrape(self, urls: Sequence[str] = (), **options: Any) -> AsyncGenerator[ScrapeEvent, None]:
        """Scrape and summarize pages, as events: batch, hook, settings, standby, stop."""
        from graphvine.verbs import scrape

        return scrape(self._itself, urls, **options)

    @property
    def hn(self) -> HackerNews:
        """Hacker News: items, threads and search."""
        from graphvine.verbs import hn

        return hn(self._itself)

    @property
    def news(self) -> News:
        """News: articles, the queue, and one run of the updater or the processor."""
        from graphvine.verbs import news

        return news(self._itself)

    @property
    def uploads(self) -> Uploads:
        """Files of items: take, validate, start, retry, reset, show, errors."""
        from graphvine.verbs import uploads

        return uploads(self._itself)

    def upload(self, file: str | os.PathLike[str] | BinaryIO, **options: Any) -> Upload:
        """Upload a file of Hacker News items and bring it all the way: auto, again, name, stop."""
        return self.uploads.upload(file, **options)
