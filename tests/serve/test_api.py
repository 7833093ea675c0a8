"""The routes do what the commands do: queues, articles, Hacker News, batches, events, metrics."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

import graphvine
from graphvine.graph import Graph
from graphvine.settings import Settings
from graphvine.workers.serve.settings import ServeSettings
from tests.pipelines.uploads.making import zstd
from tests.serve.conftest import AUTHORISED, asking
from tests.support.articles import fail_for_good, states, take_one
from tests.support.shared_graphs import Served
from tests.support.stores import QUICK, Place
from tests.support.waiting import WAIT_LIMIT, eventually


@pytest.fixture
def graph(served: Served) -> Graph:
    return served.graph


def test_seeds_and_articles(owner: httpx.Client, graph: Graph) -> None:
    assert owner.post("/seeds", json={"titles": ["Vine", "AC/DC", "Vine"]}).json() == {"new": 2, "known": 0}
    assert owner.post("/seeds", json={"titles": ["Vine"]}).json() == {"new": 0, "known": 1}
    found = owner.get("/articles", params={"limit": 1}).json()
    assert [one["title"] for one in found["rows"]] == ["Vine"]
    more = owner.get("/articles", params={"after": found["next"], "state": "discovered"}).json()
    assert [one["title"] for one in more["rows"]] == ["AC/DC"] and more["next"] is None
    assert owner.get("/article", params={"title": "AC/DC"}).json()["state"] == "discovered"
    assert owner.get("/article", params={"title": "nobody"}).status_code == 404


def test_failed_requeue_exclude(owner: httpx.Client, graph: Graph) -> None:
    graph.seed("article", ["a"])
    fail_for_good(graph, "a", "no such page")
    (failed,) = owner.get("/pipelines/article/failed").json()["rows"]
    assert failed["key"] == "a" and failed["failures"][0]["message"] == "no such page"
    assert owner.get("/pipelines/article/failed", params={"contains": "other"}).json() == {"rows": [], "next": None}
    assert owner.post("/pipelines/article/requeue", json={}).status_code == 400
    assert owner.post("/pipelines/article/requeue", json={"keys": ["nobody"]}).status_code == 400
    assert owner.post("/pipelines/article/requeue", json={"keys": ["a"]}).json() == {"requeued": 1}
    assert states(graph) == {"a": "discovered"}
    assert owner.post("/pipelines/article/exclude", json={"keys": ["a"]}).json() == {"excluded": 1}
    assert states(graph) == {"a": "excluded"}
    assert owner.get("/pipelines/articles/failed").json()["error"]["message"].endswith("did you mean 'article'?")


def test_pause_and_resume(owner: httpx.Client, graph: Graph) -> None:
    graph.seed("article", ["a"])
    assert owner.post("/pipelines/article/pause", json={"reason": "holidays"}).json()["paused"] is True
    assert owner.get("/pipelines/article").json()["paused_reason"] == "holidays"
    assert graph.claims("article", "w").claim(1) == []
    owner.post("/pipelines/article/resume")
    assert owner.get("/pipelines/article").json()["paused"] is False
    assert len(graph.claims("article", "w").claim(1)) == 1


def test_status_workers_and_machines(owner: httpx.Client, graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    take_one(graph.claims("article", "somebody"))
    status = owner.get("/status").json()
    article = next(one for one in status["pipelines"] if one["pipeline"] == "article")
    assert (article["ready"], article["claimed"], article["total"]) == (1, 1, 2)
    (holder,) = owner.get("/workers").json()["holders"]
    assert (holder["worker"], holder["claims"], holder["pipeline"]) == ("somebody", 1, "article")
    machine = owner.get("/machines/article").json()
    assert machine["counts"]["claimed"] == 1
    assert {state["name"] for state in machine["states"]} == set(machine["counts"])
    assert len(owner.get("/machines").json()) == len(graph.library.machines)
    assert any(table["name"] == "Article" for table in owner.get("/tables").json())


ITEMS: list[dict[str, Any]] = [
    {"id": 1, "type": "story", "title": "A graph of vines", "by": "ada", "time": 1_700_000_000, "score": 7},
    {"id": 2, "type": "comment", "parent": 1, "text": "It climbs.", "by": "bob", "time": 1_700_000_100},
    {"id": 3, "type": "comment", "parent": 2, "text": "So it does.", "by": "eve", "time": 1_700_000_200},
]


def test_hacker_news(owner: httpx.Client) -> None:
    assert owner.post("/hn/items", json=ITEMS[0]).json()["new"] == 1
    taken = owner.post("/hn/items", json=[*ITEMS, {"title": "no id"}]).json()
    assert (taken["new"], taken["rejected"]) == (2, 1)
    lines = b'{"id": 60, "type": "job"}\n{"id": 61, "type": "none"}\n'
    for body in (lines, gzip.compress(lines), zstd.compress(lines)):
        assert [one["id"] for one in owner.post("/hn/items", content=body).json()["refused"]] == [61]
    assert owner.post("/hn/items", content=gzip.compress(b" " * (65 << 20))).status_code == 413
    assert owner.post("/hn/items", content=gzip.compress(lines)[:-9]).status_code == 422
    assert owner.post("/hn/items", content=b'{"id": 7}\n' * 100_001).status_code == 413
    assert owner.get("/hn/items/1").json()["title"] == "A graph of vines"
    thread = owner.get("/hn/items/1/thread").json()
    assert [(one["depth"], one["id"]) for one in thread["items"]] == [(0, 1), (1, 2), (2, 3)]
    assert [one["id"] for one in owner.get("/hn/items/3/ancestors").json()] == [2, 1]
    assert [one["id"] for one in owner.get("/hn/items/1/descendants").json()] == [2, 3]
    assert owner.get("/hn/items/3/story").json()["id"] == 1
    found = owner.get("/hn/search", params={"q": "climbs", "author": "bob"}).json()
    assert [one["item"]["id"] for one in found["found"]] == [2] and found["total"] == 1
    assert owner.get("/hn/items/99").status_code == 404
    assert owner.get("/hn/items/1/transitions").json() is not None
    assert owner.post("/hn/items/1/transitions/no_such").status_code == 409
    assert owner.post("/hn/items/2/mark-failed", json={"reason": "by hand"}).json()["state"] == "failed"
    assert owner.get("/hn/items/2").json()["state"] == "failed"


def test_scrape_batches(owner: httpx.Client) -> None:
    made = owner.post("/scrape/batches", json={"urls": ["http://example.org/a", "http://example.org/b"], "name": "m"})
    assert made.status_code == 202 and made.json() == {"batch": "m", "pages": 2}
    assert [one["name"] for one in owner.get("/scrape/batches").json()["rows"]] == ["m"]
    assert owner.get("/scrape/batches/m").json()["states"] == {"idle": 2}
    results = owner.get("/scrape/batches/m/results", params={"limit": 1}).json()
    assert results["rows"][0]["url"] == "http://example.org/a" and results["next"] is not None
    assert owner.get("/scrape/batches/none").status_code == 404
    wrong = owner.post("/scrape/batches", json={"urls": ["http://example.org/", "file:///etc/passwd"]})
    assert wrong.status_code == 400 and "item 1" in wrong.json()["error"]["message"]


def test_the_neighbourhood_of_any_node(visitor: httpx.Client) -> None:
    found = visitor.get("/neighbourhood", params={"label": "HNItem", "key": "2"}).json()
    assert found["node"]["key"] == "2"
    edges = {(one["type"], one["source"]["key"], one["target"]["key"]) for one in found["edges"]}
    assert edges == {("PARENT_OF", "1", "2"), ("PARENT_OF", "2", "3")}
    assert {one["key"] for one in found["nodes"]} == {"1", "2", "3"}
    failed = visitor.get("/neighbourhood", params={"label": "Article", "key": "Broken"}).json()
    assert [one["type"] for one in failed["edges"]] == ["ARTICLE_FAILURE"]
    for wrong in ({"label": "Receipt", "key": "x"}, {"label": "HNItem", "key": "x"}, {"label": "Article", "key": "none"},
                  {"label": "Article) DETACH DELETE (n", "key": "x"}):  # fmt: skip
        assert visitor.get("/neighbourhood", params=wrong).status_code == 404
    assert len(visitor.get("/neighbourhood", params={"label": "HNItem", "key": "2", "limit": 1}).json()["edges"]) == 1


def test_grow_is_a_job_with_events(owner: httpx.Client, graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHVINE_WIKIPEDIA_EMBEDDER", "none")
    job = owner.post("/grow", json={"titles": ["Vine"], "depth": 1, "source": "sample"})
    assert job.status_code == 202
    id = job.json()["id"]
    with owner.stream("GET", f"/jobs/{id}/events") as events:
        told = list(_events(events))
    assert told[0][0] == "started" and told[-1][0] == "job"
    assert told[-1][1]["state"] == "done" and told[-1][1]["result"]["states"]["processed"] > 5
    assert owner.get(f"/jobs/{id}").json()["state"] == "done"
    assert owner.get("/jobs/none").status_code == 404
    found = owner.get("/search", params={"q": "vine", "mode": "text"}).json()
    assert any(hit["article"] == "Vine" for hit in found)
    assert owner.get("/map").text.startswith("<svg")


def _events(answer: httpx.Response) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in answer.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def test_events_are_heard_as_they_happen(served: Served, owner: httpx.Client, graph: Graph) -> None:
    heard: list[tuple[str, Any]] = []
    listening = threading.Event()

    def listen() -> None:
        with asking(served) as other, other.stream("GET", "/events") as events:
            listening.set()
            for one in _events(events):
                heard.append(one)
                if one[0] == "closing":
                    return

    thread = threading.Thread(target=listen)
    thread.start()
    assert listening.wait(WAIT_LIMIT)
    eventually(lambda: _one_listens(served))
    owner.post("/seeds", json={"titles": ["a"]})
    owner.post("/pipelines/article/pause", json={"reason": "because"})
    served.http_server.app_state.hub.tick(served.http_server.app_state)
    eventually(lambda: _names(heard, {"queue_changed", "paused", "status"}))
    served.http_server.app_state.hub.close()
    thread.join(WAIT_LIMIT)
    assert not thread.is_alive()
    facts = dict(heard)
    assert facts["paused"]["reason"] == "because" and facts["status"]["pipelines"]


def test_only_so_many_listen_and_who_leaves_makes_room(place: Place) -> None:
    served = Served(place.path, Settings(**QUICK), serve=ServeSettings(port=0, listeners=1))
    try:
        with asking(served) as one, asking(served) as other:
            with one.stream("GET", "/events") as first:
                assert first.status_code == 200
                eventually(lambda: _one_listens(served))
                assert other.get("/events").status_code == 429
            served.http_server.app_state.hub.publish("wake")  # a line that was left is noticed when something is sent
            eventually(lambda: _nobody_listens(served))
    finally:
        served.close()


def _nobody_listens(served: Served) -> None:
    assert served.http_server.app_state.hub.listeners == 0


def _one_listens(served: Served) -> None:
    assert served.http_server.app_state.hub.listeners == 1


def _names(heard: list[tuple[str, Any]], wanted: set[str]) -> None:
    assert wanted <= {name for name, _ in heard}


def test_metrics(owner: httpx.Client, graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    page = owner.get("/metrics").text
    assert 'graphvine_queue_rows{pipeline="article",state="discovered"} 2.0' in page
    assert "graphvine_statement_seconds_bucket" in page
    assert 'route="/metrics"' in owner.get("/metrics").text


def test_the_description_names_every_route(owner: httpx.Client) -> None:
    described = owner.get("/openapi.json").json()
    assert described["info"]["version"] == graphvine.__version__
    assert all(way.get("summary") for ways in described["paths"].values() for way in ways.values())
    assert not [path for path in described["paths"] if path.startswith("/engine")]


def test_before_the_graph_is_open_only_life_is_told(served: Served, owner: httpx.Client) -> None:
    served.http_server.app_state.stopping.set()
    assert owner.get("/healthz").status_code == 200
    for path in ("/readyz", "/status", "/machines"):
        answer = owner.get(path)
        assert answer.status_code == 503 and "retry-after" in answer.headers
    assert owner.post("/engine/read", content=b"\x80", headers=AUTHORISED).status_code in (400, 503)
