"""`graphvine serve` on a server: the daemon works on what is there, and the routes of the dashboard answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.pipelines.news.servers import Site
from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT, eventually
from tests.support.web_server import WebServer

TOKEN = "the token of this daemon"
SETTINGS = """
[news]
feeds = "{url}/rss"
allowed_private_hosts = "127.0.0.1"
summarizer = "words"
same_story = "off"
obey_robots = false
process_seconds = 1
[scrape]
allowed_private_hosts = "127.0.0.1"
summarizer = "words"
obey_robots = false
"""


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    made.add(1, 2)
    made.add(3, path="/gone")
    with WebServer(made.answer) as server:
        made.url = server.url
        yield made


@pytest.fixture
def client(place: Place, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Client]:
    """Somebody with the token, at a daemon that serves the server's graph."""
    place.open().close()
    monkeypatch.setenv("GRAPHVINE_TOKEN", TOKEN)
    (tmp_path / "graphvine.toml").write_text(QUICK_DAEMON + SETTINGS.format(url=site.url))
    with DaemonProcess(tmp_path, graph=place.where) as daemon:

        def address() -> str:
            assert daemon.process.poll() is None, daemon.log()[-3_000:]
            said = {line["message"]: line for line in daemon.lines()}
            assert "ready" in said
            return str(said["listening"]["address"])

        headers = {"Authorization": f"Bearer {TOKEN}"}
        with httpx.Client(base_url=eventually(address), headers=headers, timeout=WAIT_LIMIT, verify=False) as asking:
            yield asking
        assert daemon.end() == 0
        assert "error" not in {line["level"] for line in daemon.lines()}, daemon.log()[-3_000:]


def found(client: httpx.Client, path: str, **given: Any) -> Any:
    answer = client.get(path, params=given)
    assert answer.status_code == 200, f"{path}: {answer.text}"
    return answer.json()


def test_the_daemon_and_its_dashboard(client: httpx.Client, site: Site) -> None:
    assert client.post("/seeds", json={"titles": ["Vine"]}).json() == {"new": 1, "known": 0}
    urls = [f"{site.url}/page/8", f"{site.url}/gone"]
    assert client.post("/scrape/batches", json={"urls": urls, "name": "b"}).json() == {"batch": "b", "pages": 2}
    job = client.post("/news/update", json={}).json()
    eventually(lambda: _is(found(client, f"/jobs/{job['id']}")["state"], "done"))

    def rests() -> None:
        states = {one["pipeline"]: one["states"] for one in found(client, "/status")["pipelines"]}
        assert states["news_article"]["processed"] == 2 and states["news_article"]["failed"] == 1, states
        assert states["scrape_item"]["completed"] == 1 and states["scrape_item"]["failed"] == 1, states
        assert states["article"]["processed"] > 5, states

    eventually(rests)
    assert found(client, "/status")["engine"] == "neo4j" and "grows" not in found(client, "/status")["graph"]
    assert {one["pipeline"] for one in found(client, "/pipelines")} >= {"article", "news_article", "scrape_item"}
    for pipeline, key in (("scrape_item", f"b {site.url}/gone"), ("news_article", "news-")):
        (failed,) = found(client, f"/pipelines/{pipeline}/failed")["rows"]
        assert failed["key"].startswith(key) and "404" in failed["failures"][0]["message"]
        around = found(client, "/neighbourhood", label=_LABELS[pipeline], key=failed["key"])
        assert f"{pipeline.upper()}_FAILURE" in {edge["type"] for edge in around["edges"]}
    around = found(client, "/neighbourhood", label="ScrapeBatch", key="b")
    assert [edge["type"] for edge in around["edges"]] == ["SCRAPES", "SCRAPES"]
    assert found(client, "/machines/news_article")["counts"]["processed"] == 2
    assert {one["pipeline"] for one in found(client, "/machines")} >= {"article", "news_article", "scrape_item"}
    hits = found(client, "/search", q="climbing plant", mode="text")
    assert hits and {"article", "score"} <= set(hits[0])
    thread = [
        {"id": 1, "type": "story", "title": "A graph of vines", "by": "ada", "time": 1_700_000_000, "score": 7},
        {"id": 2, "type": "comment", "parent": 1, "text": "It climbs.", "by": "bob", "time": 1_700_000_100},
    ]
    assert client.post("/hn/items", json=thread).json()["new"] == 2
    assert [one["id"] for one in found(client, "/hn/items/1/thread")["items"]] == [1, 2]
    assert [one["item"]["id"] for one in found(client, "/hn/search", q="climbs")["found"]] == [2]
    assert found(client, "/neighbourhood", label="HNItem", key="2")["edges"][0]["type"] == "PARENT_OF"
    asked = {"statement": "MATCH (n:NewsArticle) RETURN n.state AS state, count(*) AS n ORDER BY state"}
    told = client.post("/cypher", json=asked)
    assert told.json()["data"] == {"fields": ["state", "n"], "values": [["failed", 1], ["processed", 2]]}
    refused = client.post("/cypher", json={"statement": "CREATE (:Vine)"})
    assert refused.status_code == 403 and "AccessMode" in refused.text, refused.text
    assert client.post("/cypher", json={"statement": "MATCH (n"}).json()["errors"][0]["code"].endswith("SyntaxError")
    assert {one["name"] for one in found(client, "/workers")["workers"]} and "holders" in found(client, "/workers")
    assert {"NewsArticle", "ScrapeItem"} <= {one["name"] for one in found(client, "/tables")}
    assert found(client, "/news/queue")["length"] == 0 and len(found(client, "/news/articles")["rows"]) == 3
    assert found(client, "/scrape/batches/b")["states"] == {"completed": 1, "failed": 1}
    for path in ("/scrape/batches/b/results", "/articles", "/news/articles"):
        first = found(client, path, limit=1)
        second = found(client, path, limit=1, after=first["next"])
        assert first["rows"] != second["rows"] and len(second["rows"]) == 1, "numbers are longer than JavaScript's"
    assert client.get("/metrics").status_code == 200 and "<html" in client.get("/ui/").text
    with client.stream("GET", "/events") as events:
        for line in events.iter_lines():
            if line.startswith("data: ") and "pipelines" in line:
                assert json.loads(line.removeprefix("data: "))["pipelines"]
                break
    assert client.post("/pipelines/news_article/requeue", json={"everything": True}).json() == {"requeued": 1}


_LABELS = {"scrape_item": "ScrapeItem", "news_article": "NewsArticle"}


def _is(value: Any, wanted: Any) -> None:
    assert value == wanted
