"""Batches that are given to the service: led by it, watched from outside, and no way into the private network."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

import graphvine
from graphvine.workers.scrape.service import serve
from tests.support.shared_graphs import Served
from tests.support.waiting import WAIT_LIMIT, eventually
from tests.support.web_server import Request, WebServer

PAGE = "<html><head><title>Vines</title></head><body><article>" + "<p>A vine climbs up a wall. It grips.</p>" * 20
PAGE += "</article></body></html>"


@pytest.fixture
def site(served: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    """A site that may be fetched, though it is on loopback; it sends visitors on to the service itself."""

    async def answer(request: Request) -> None:
        if request.path.startswith("/to/"):
            await request.answer(status=302, Location=request.path.removeprefix("/to/"))
        else:
            await request.answer(PAGE.encode(), media_type="text/html")

    with WebServer(answer) as running:
        monkeypatch.setenv("GRAPHVINE_SCRAPE_ALLOWED_PRIVATE_HOSTS", f"127.0.0.1:{running.port}")
        yield running


@pytest.fixture
def leading(served: Served, site: WebServer) -> Iterator[None]:
    stop = threading.Event()
    thread = threading.Thread(target=serve, args=(served.graph, stop))
    thread.start()
    yield
    stop.set()
    thread.join(WAIT_LIMIT)
    assert not thread.is_alive()


def results(owner: httpx.Client, name: str, count: int) -> dict[str, Any]:
    def look() -> dict[str, Any]:
        found = owner.get(f"/scrape/batches/{name}/results").json()["rows"]
        at_rest = {one["url"]: one for one in found if one["state"] in ("completed", "failed")}
        assert len(at_rest) == count, found
        return at_rest

    return eventually(look)


def test_a_batch_is_led_and_a_redirect_inward_is_refused(
    served: Served, owner: httpx.Client, site: WebServer, leading: None
) -> None:
    """SSRF: an address that is allowed sends us on to one that is not, our own service or a neighbour's."""
    inward = [f"{site.url}/to/{served.address}/status", f"{site.url}/to/http://10.0.0.1/", f"{served.address}/status"]
    good = f"{site.url}/page"
    made = owner.post("/scrape/batches", json={"urls": [good, *inward], "name": "mixed"})
    assert made.status_code == 202
    found = results(owner, "mixed", 4)
    assert found[good]["state"] == "completed" and "vine" in found[good]["summary"]
    for url in inward:
        assert found[url]["state"] == "failed" and "private" in found[url]["error"], found[url]
        assert "pipelines" not in str(found[url])


def test_pages_put_into_a_finished_batch_are_taken_up(
    served: Served, owner: httpx.Client, site: WebServer, leading: None
) -> None:
    """New ones by HTTP, and one that failed and was put back by hand."""
    bad = f"{site.url}/to/http://10.0.0.1/"

    def add(*urls: str) -> None:
        assert owner.post("/scrape/batches", json={"urls": list(urls), "name": "grown"}).status_code == 202

    def finished(round: int) -> None:
        found = owner.get("/scrape/batches/grown").json()
        assert (found["status"], found["round"]) == ("finished", round), found

    add(f"{site.url}/one", bad)
    eventually(lambda: finished(1))
    add(f"{site.url}/two")
    eventually(lambda: finished(2))
    assert served.graph.requeue("scrape_item", everything=True) == 1
    eventually(lambda: finished(3))
    found = results(owner, "grown", 3)
    assert [one["state"] for url, one in sorted(found.items())] == ["completed", "failed", "completed"], found


def test_feeds_are_no_way_inward_either(served: Served, owner: httpx.Client, site: WebServer, monkeypatch: Any) -> None:
    """A feed by its own address, and one that is allowed and sends us on."""
    monkeypatch.setenv("GRAPHVINE_NEWS_ALLOWED_PRIVATE_HOSTS", f"127.0.0.1:{site.port}")
    feeds = [f"{served.address}/status", f"{site.url}/to/{served.address}/status"]
    job = owner.post("/news/update", json={"feeds": feeds}).json()["id"]

    def ended() -> dict[str, Any]:
        found: dict[str, Any] = owner.get(f"/jobs/{job}").json()
        assert found["state"] == "done", found
        return found["result"]  # type: ignore[no-any-return]

    errors = eventually(ended)["errors"]
    assert len(errors) == 2 and all("private" in error for error in errors.values()), errors


def test_a_client_of_a_served_graph_watches_its_batch(served: Served, site: WebServer, leading: None) -> None:
    async def watch(graph: graphvine.graph.Graph) -> list[str]:
        return [event.name async for event in graph.scrape([f"{site.url}/one", f"{site.url}/two"], batch="watched")]

    with graphvine.open(served.with_token) as graph:
        names = asyncio.run(watch(graph))
        assert graph.query("MATCH (p:ScrapeItem) RETURN DISTINCT p.state").rows == [["completed"]]
    assert names[-1] in ("batch_finished", "hook_finished") or "batch_finished" in names
    assert len(set(site.traffic.asked)) == len(site.traffic.asked) == 2, "each page was fetched once"
