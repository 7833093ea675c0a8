"""News in Python: `graph.news`. Each method is the twin of a command."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import closing

import msgspec

from graphvine.dispatch import Run, dispatch
from graphvine.graph import Graph
from graphvine.workers.news import reads
from graphvine.workers.news.processor import Processor
from graphvine.workers.news.reads import NewsDetail, NewsItem, NewsQueue, SentimentDay
from graphvine.workers.news.requests import ProcessRequest, RetryArticlesRequest, UpdateRequest
from graphvine.workers.news.runs import ProcessorRun, UpdaterRun
from graphvine.workers.news.settings import NewsSettings, load
from graphvine.workers.news.updater import Updater


class News:
    """`graph.news`: articles of one topic, the queue, and runs of the updater and the processor.

    Settings that are given are for this process: a daemon goes by its own, for the same topic.
    """

    def __init__(self, graph: Graph, settings: NewsSettings | None = None) -> None:
        self._graph, self._given, self._settings = graph, settings, settings or load()

    def topic(self, name: str | None = None, query: str | None = None) -> News:
        """The same for another topic, or for other words."""
        chosen = News(self._graph, self._given)
        chosen._settings = with_topic(self._settings, name, query)
        return chosen

    def list(
        self, *, state: str = "", source: str = "", sentiment: str = "", contains: str = "", after: str = "",
        limit: int = 20,
    ) -> list[NewsItem]:  # fmt: skip
        """Articles of the topic, the newest first; with `after`, those behind the article whose `place` that is."""
        return reads.list_articles(
            self._graph, self._settings.topic, state=state, source=source, sentiment=sentiment, contains=contains,
            after=after, limit=limit,
        )  # fmt: skip

    def show(self, id: str) -> NewsDetail:
        """One article, by its id or its address, with what tells the same story and what it names."""
        return reads.show_article(self._graph, id)

    def sentiment(self, *, days: int = 30) -> Sequence[SentimentDay]:
        """How many articles of each sentiment were published on each of the last days, and their mean score."""
        return reads.sentiment_by_day(self._graph, self._settings.topic, days)

    def queue(self, limit: int = 20) -> NewsQueue:
        """The queue, the log of additions, the checkpoints, and the metrics of the last runs."""
        return reads.look_at_queue(self._graph, self._settings.topic, limit)

    def update(self, *, feeds: Sequence[str] = (), now: bool = False) -> UpdaterRun:
        """One run of the updater; with `feeds` also of these, with `now` also of what failed a moment ago."""
        chosen = self._settings
        request = UpdateRequest(topic=chosen.topic, query=chosen.query, feeds=feeds, now=now, settings=self._given)
        return dispatch(self._graph, request)

    def process(
        self, *, until_empty: bool = False, batch: int | None = None, stop: threading.Event | None = None,
        each: Callable[[ProcessorRun], None] | None = None, now: bool = False,
    ) -> Sequence[ProcessorRun]:  # fmt: skip
        """One run of the processor, or run after run until the queue is empty. `batch` articles a run; with `now`
        articles that back off are tried at once."""
        request = ProcessRequest(
            topic=self._settings.topic, query=self._settings.query, until_empty=until_empty, batch=batch,
            now=now, settings=self._given,
        )  # fmt: skip
        return dispatch(self._graph, request, on_event=each, stop=stop)

    def retry(
        self, ids: Sequence[str] = (), *, contains: str = "", everything: bool = False, first: bool = False
    ) -> int:
        """Try failed articles again, and those that back off at once; with `first` before all others."""
        return dispatch(
            self._graph, RetryArticlesRequest(ids=ids, contains=contains, everything=everything, first=first)
        )


def with_topic(settings: NewsSettings, topic: str | None, query: str | None) -> NewsSettings:
    """The settings with another topic or other words, checked as settings are."""
    given = {name: value for name, value in (("topic", topic), ("query", query)) if value is not None}
    return load(**{**msgspec.structs.asdict(settings), **given}) if given else settings


def run_update(graph: Graph, request: UpdateRequest) -> UpdaterRun:
    settings = with_topic(request.settings or load(), request.topic, request.query)
    if request.feeds:
        settings = msgspec.structs.replace(settings, feeds=" ".join([*settings.feeds.split(), *request.feeds]))
    return Updater(graph, settings, now=request.now).run_once()


def run_process(graph: Graph, request: ProcessRequest, run: Run[ProcessorRun]) -> list[ProcessorRun]:
    settings = with_topic(request.settings or load(), request.topic, request.query)
    if request.batch is not None:
        settings = msgspec.structs.replace(settings, max_articles_per_run=request.batch)
    with closing(Processor(graph, settings, stop=run.stop)) as processor:
        if request.now:
            processor.hasten()
        return list(processor.run(until_empty=request.until_empty, each=lambda done: run.publish(done, "run")))
