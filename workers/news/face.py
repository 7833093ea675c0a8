"""News in Python: `graph.news`. Each method is the twin of a command."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import closing

import msgspec

from graphvine.graph import Graph
from graphvine.workers.news import looking, retrying
from graphvine.workers.news.looking import NewsDetail, NewsItem, NewsQueue
from graphvine.workers.news.processor import Processor
from graphvine.workers.news.runs import ProcessorRun, UpdaterRun
from graphvine.workers.news.settings import NewsSettings, load
from graphvine.workers.news.updater import Updater


class News:
    def __init__(self, graph: Graph, settings: NewsSettings | None = None) -> None:
        self._graph, self._settings = graph, settings or load()

    def topic(self, name: str | None = None, query: str | None = None) -> News:
        """The same for another topic, or for other words."""
        return News(self._graph, load(**{**msgspec.structs.asdict(self._settings), **_given(topic=name, query=query)}))

    def list(
        self, *, state: str = "", source: str = "", sentiment: str = "", contains: str = "", limit: int = 20
    ) -> list[NewsItem]:
        """Articles of the topic, the newest first."""
        topic = self._settings.topic
        return looking.list_articles(
            self._graph, topic, state=state, source=source, sentiment=sentiment, contains=contains, limit=limit
        )

    def show(self, id: str) -> NewsDetail:
        """One article, by its id or its address, with what tells the same story and what it names."""
        return looking.show_article(self._graph, id)

    def queue(self, limit: int = 20) -> NewsQueue:
        """The queue, the log of additions, the checkpoints, and the metrics of the last runs."""
        return looking.look_at_queue(self._graph, self._settings.topic, limit)

    def update(self, *, feeds: Sequence[str] = ()) -> UpdaterRun:
        """One run of the updater; with `feeds` also of these."""
        if self._graph.door.served is not None:
            from graphvine.workers.news.submitting import update

            return update(self._graph, self._settings, feeds)
        settings = self._settings
        if feeds:
            settings = msgspec.structs.replace(settings, feeds=" ".join([*settings.feeds.split(), *feeds]))
        return Updater(self._graph, settings).run_once()

    def process(
        self, *, until_empty: bool = False, batch: int | None = None, stop: threading.Event | None = None,
        each: Callable[[ProcessorRun], None] | None = None,
    ) -> Sequence[ProcessorRun]:  # fmt: skip
        """One run of the processor, or run after run until the queue is empty. `batch` articles a run."""
        if self._graph.door.served is not None:
            from graphvine.workers.news.submitting import process

            return process(self._graph, self._settings, until_empty, batch, stop, each)
        settings = self._settings
        if batch is not None:
            settings = msgspec.structs.replace(settings, max_articles_per_run=batch)
        with closing(Processor(self._graph, settings, stop=stop)) as processor:
            return processor.run(until_empty=until_empty, each=each)

    def retry(
        self, ids: Sequence[str] = (), *, contains: str = "", everything: bool = False, first: bool = False
    ) -> int:
        """Try failed articles again, and those that back off at once; with `first` before all others."""
        return retrying.retry(self._graph, ids, contains=contains, everything=everything, first=first)


def _given(**values: str | None) -> dict[str, str]:
    return {name: value for name, value in values.items() if value is not None}
