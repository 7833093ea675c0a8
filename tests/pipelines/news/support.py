"""What the tests of news share: settings that let loopback be fetched, and looks at the graph."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from typing import Any

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from graphvine.workers.news.processor import Processor
from graphvine.workers.news.providers import APITube, Feed, NewsData, Provider
from graphvine.workers.news.runs import ProcessorRun, UpdaterRun
from graphvine.workers.news.settings import NewsSettings
from graphvine.workers.news.updater import Updater
from tests.pipelines.news.servers import KEY, Site
from tests.support.waiting import WAIT_LIMIT


def local(**more: Any) -> NewsSettings:
    """For pages on loopback; summaries by words and no vectors, so that no model has to be loaded."""
    given: dict[str, Any] = {
        "allowed_private_hosts": "127.0.0.1", "summarizer": "words", "same_story": "off", "per_host_concurrency": 8,
        "obey_robots": False, "total_seconds": WAIT_LIMIT, "read_seconds": WAIT_LIMIT,
    }  # fmt: skip
    return NewsSettings(**{**given, **more})


def newsdata(site: Site) -> Provider:
    return NewsData(f"{site.url}/newsdata", KEY, "bitcoin", "en")


def apitube(site: Site) -> Provider:
    return APITube(f"{site.url}/apitube", KEY, "bitcoin", "en")


def feed(site: Site, path: str = "/rss") -> Provider:
    return Feed(f"{site.url}{path}")


def update(graph: Graph, site: Site, *, providers: Sequence[Provider] | None = None, **settings: Any) -> UpdaterRun:
    """One run of the updater, of NewsData.io unless others are named."""
    chosen = [newsdata(site)] if providers is None else providers
    return Updater(graph, local(**settings), providers=chosen).run_once()


def process(graph: Graph, **settings: Any) -> ProcessorRun:
    """One run of the processor."""
    return Processor(graph, local(**settings)).run_once()


def process_all(graph: Graph, clock: ManualClock, most: int = 50, **settings: Any) -> list[ProcessorRun]:
    """Run after run until the queue is empty, the clock moved past every pause."""
    runs = []
    while len(runs) < most:
        runs.append(process(graph, **settings))
        if runs[-1].remaining == 0:
            return runs
        clock.forward(4_000)
    raise AssertionError(f"the queue is not empty after {most} runs: {queue(graph)}")


def articles(graph: Graph, topic: str = "BTC") -> dict[str, dict[str, Any]]:
    """Every article of a topic, by the path of its link."""
    columns = (
        "id", "state", "title", "link", "source", "provider", "priority", "needsSummary", "needsSentiment",
        "contentTimeout", "content", "summary", "summarizer", "summaryError", "summaryAttempts", "sentiment",
        "sentimentScore", "sentimentBy", "sentimentError", "last_error", "retry_count", "lost_claims", "due", "lease", "seq",
    )  # fmt: skip
    shown = ", ".join(f"a.{name} AS {name}" for name in columns)
    rows = graph.query(f"MATCH (a:NewsArticle) WHERE a.topic = $topic RETURN {shown}", {"topic": topic}).as_dicts()
    return {"/" + row["link"].split("/", 3)[3]: row for row in rows}


def states(graph: Graph, topic: str = "BTC") -> dict[str, int]:
    counted: dict[str, int] = {}
    for row in articles(graph, topic).values():
        counted[row["state"]] = counted.get(row["state"], 0) + 1
    return counted


def queue(graph: Graph, topic: str = "BTC") -> list[str]:
    """The ids in the queue, in its order."""
    return [row["id"] for row in graph.read("news_processor.queue", topic=topic, limit=10_000)]


def additions(graph: Graph, topic: str = "BTC") -> list[str]:
    return [row["id"] for row in graph.read("news_processor.additions", topic=topic)]


def checkpoint(graph: Graph, topic: str = "BTC", phase: str = "ADDITIONS") -> str:
    rows = graph.read("news_processor.checkpoints", topic=topic)
    return next((row["article"] for row in rows if row["name"] == f"{topic}_{phase}_CHECKPOINT"), "")


def passed(graph: Graph, topic: str = "BTC") -> dict[str, int]:
    """How many articles each phase has let pass."""
    rows = graph.read("news_processor.checkpoints", topic=topic)
    return {row["name"].split("_")[1].lower(): row["passed"] for row in rows}


def in_order(graph: Graph, topic: str = "BTC") -> None:
    """What holds at every moment between two transactions."""
    standing = {row["id"]: row["state"] for row in articles(graph, topic).values()}
    queued, log, last = queue(graph, topic), additions(graph, topic), checkpoint(graph, topic)
    assert len(set(queued)) == len(queued) and len(set(log)) == len(log)
    assert all(standing.get(id) in ("pending", "processing") for id in queued), "what is at rest left the queue"
    after = log[log.index(last) + 1 :] if last in log else log
    for id, state in standing.items():
        if state in ("pending", "processing"):
            assert id in queued or id in after, f"{id} is {state}, but neither in the queue nor to be merged"
    assert last == "" or last in standing, "the checkpoint names an article"


class Steps:
    """Lets a worker of its own thread go from step to step, when the test says so."""

    def __init__(self, aloof: Collection[str] = ()) -> None:
        self._aloof = aloof
        self._may = threading.Semaphore(0)
        self._stands = threading.Semaphore(0)
        self.heard: list[str] = []
        self.free = False

    def __call__(self, step: str) -> None:
        self.heard.append(step)
        if not self.free and step not in self._aloof:
            self._stands.release()
            assert self._may.acquire(timeout=WAIT_LIMIT)

    def go(self) -> None:
        self._may.release()

    def wait(self) -> None:
        """Until it stands at its next step, or is over."""
        assert self._stands.acquire(timeout=WAIT_LIMIT)

    def over(self) -> None:
        self._stands.release()
