"""Runs that the process which serves the graph does, asked for and watched from here; and what it does then."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from graphvine.graph import Graph
from graphvine.remote import run_job
from graphvine.workers.news.face import News
from graphvine.workers.news.runs import ProcessorRun, UpdaterRun
from graphvine.workers.news.settings import NewsSettings


def update(graph: Graph, settings: NewsSettings, feeds: Sequence[str]) -> UpdaterRun:
    """One run of the updater, by the daemon and its settings, for this topic."""
    return run_job(graph, "news update", {**_about(settings), "feeds": list(feeds)}, UpdaterRun)


def process(
    graph: Graph, settings: NewsSettings, until_empty: bool, batch: int | None, stop: threading.Event | None,
    each: Callable[[ProcessorRun], None] | None,
) -> list[ProcessorRun]:  # fmt: skip
    """One run of the processor, or many, likewise."""

    def told(name: str, facts: Any) -> None:
        if each is not None:
            each(msgspec.convert(facts, ProcessorRun))

    asked = {**_about(settings), "until_empty": until_empty, "batch": batch}
    return run_job(graph, "news process", asked, list[ProcessorRun], told, stop)


def run_update(graph: Graph, asked: dict[str, Any], tell: Any, stop: threading.Event) -> UpdaterRun:
    """The job, in the daemon."""
    return News(graph).topic(asked["topic"], asked["query"]).update(feeds=asked["feeds"])


def run_process(graph: Graph, asked: dict[str, Any], tell: Any, stop: threading.Event) -> Sequence[ProcessorRun]:
    """The job, in the daemon; it tells of each run."""
    chosen = News(graph).topic(asked["topic"], asked["query"])
    return chosen.process(
        until_empty=asked["until_empty"], batch=asked["batch"], stop=stop, each=lambda run: tell("run", run)
    )


def _about(settings: NewsSettings) -> dict[str, str]:
    return {"topic": settings.topic, "query": settings.query}
