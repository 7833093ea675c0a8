"""News of a graph that another process serves: the same words, done over there; and by HTTP."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import httpx
import pytest

import graphvine
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.settings import Settings
from graphvine.workers.news import schedule as news_jobs
from graphvine.workers.news.errors import UnknownArticle
from graphvine.workers.news.schedule import serve
from graphvine.workers.registry import get
from graphvine.workers.serve.settings import ServeSettings
from tests.pipelines.news.servers import Site
from tests.pipelines.news.support import articles, local, update
from tests.support.shared_graphs import TOKEN, Served
from tests.support.stores import QUICK, Place
from tests.support.waiting import WAIT_LIMIT, eventually
from tests.support.web_server import Request


@pytest.fixture
def served(place: Place, site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    chosen = {"FEEDS": f"{site.url}/rss", "ALLOWED_PRIVATE_HOSTS": "127.0.0.1", "SUMMARIZER": "words", "SAME_STORY": "off", "OBEY_ROBOTS": "false"}  # fmt: skip
    for name, value in chosen.items():
        monkeypatch.setenv(f"GRAPHVINE_NEWS_{name}", value)
    for name in ("NEWSDATA_API_KEY", "APITUBE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    opened = Served(place.path, Settings(**QUICK), serve=ServeSettings(port=0))
    yield opened
    opened.close()


@pytest.fixture
def far(served: Served) -> Iterator[Graph]:
    with graphvine.open(served.with_token) as graph:
        yield graph


def test_runs_are_done_over_there_and_watched_from_here(far: Graph, site: Site) -> None:
    site.add(*range(7))
    site.add(7, path="/gone")
    assert far.news.update().found == 8
    seen = []
    runs = far.news.process(until_empty=True, each=seen.append)
    assert [run.loaded for run in runs] == [5, 3, 0] == [run.loaded for run in seen]
    assert far.news.queue().length == 0 and len(far.news.list(state="processed")) == 7
    assert far.news.retry(contains="404") == 1 and far.news.queue().length == 1
    assert far.news.topic("ETH").update(feeds=[f"{site.url}/atom"]).topic == "ETH"
    with pytest.raises(UnknownArticle):
        far.news.show("news-x")
    assert not get(far, "news_article").works, "the daemon must not run the common loop on the queue"


def test_what_goes_wrong_over_there_is_told_here(far: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHVINE_NEWS_FEEDS")
    with pytest.raises(GraphvineError, match="no news provider is configured"):
        far.news.update()


def test_by_http(served: Served, site: Site) -> None:
    site.add(1, 2)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(
        base_url=served.address, headers=headers, timeout=WAIT_LIMIT, verify=False, trust_env=False
    ) as client:
        for where, body in {"/news/update": {}, "/news/process": {"until_empty": True}}.items():
            job = client.post(where, json=body)
            assert job.status_code == 202, job.text
            eventually(partial(_is_done, client, job.json()["id"]))
        listed = client.get("/news/articles", params={"state": "processed"}).json()["rows"]
        assert [one["title"] for one in listed] == ["Bitcoin story number 2", "Bitcoin story number 1"]
        shown = client.get(f"/news/articles/{listed[0]['id']}").json()
        assert shown["article"]["summary"] and shown["mentions"] == [] and shown["failures"] == []
        assert client.get("/news/queue").json()["length"] == 0
        assert client.get("/news/articles/news-x").status_code == 404
        assert client.post("/news/retry", json={"everything": True}).json() == {"retried": 0}
        assert client.post("/news/retry", json={}).status_code == 400
        assert client.post("/news/process", json={"batch": 0}).status_code == 422
        assert client.get("/news/queue", params={"topic": "no topic"}).status_code == 422


def _is_done(client: httpx.Client, id: str) -> None:
    assert client.get(f"/jobs/{id}").json()["state"] == "done"


def test_a_daemon_that_ends_gives_back_what_its_processor_holds(
    graph: Graph, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NEWSDATA_API_KEY", "APITUBE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    arrived, stop = threading.Event(), threading.Event()

    async def slow(request: Request) -> None:
        arrived.set()
        await request.pause(60)

    site.add(1)
    site.pages["/page/1"] = slow
    update(graph, site)
    (job,) = news_jobs.jobs(graph, local())
    runs: list[Any] = []
    working = threading.Thread(target=lambda: runs.append(job.run()))
    serving = threading.Thread(target=serve, args=(graph, stop))
    serving.start()
    working.start()
    assert arrived.wait(WAIT_LIMIT)
    stop.set()
    serving.join(WAIT_LIMIT)
    row = articles(graph)["/page/1"]
    assert not serving.is_alive() and (row["state"], row["lost_claims"], row["retry_count"]) == ("pending", 0, 0)
    working.join(WAIT_LIMIT)
    assert runs[0].released == 1
