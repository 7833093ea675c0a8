"""Requests through a daemon: which process does the work, how many HTTP requests it takes, and what is refused."""

from __future__ import annotations

import inspect
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import MISSING
from pathlib import Path
from typing import Any

import httpx
import pytest

import graphvine
from graphvine.core_requests import FailedRequest, RequeueRequest
from graphvine.graph import Graph
from graphvine.requests import BadRequest, Request, sent_fields
from graphvine.workers.hn.api import HackerNews
from graphvine.workers.hn.requests import HNSearchRequest, PullRequest
from graphvine.workers.search.requests import SearchRequest
from graphvine.workers.wikipedia.requests import GrowRequest, MapRequest, RefreshRequest
from tests.acceptance.cli_support import process, run
from tests.pipelines.scrape.support import TEXT
from tests.support.articles import fail_for_good
from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.shared_graphs import Served
from tests.support.stores import Place
from tests.support.web_server import Request as Visit
from tests.support.web_server import WebServer
from tests.tools.package_tree import REPOSITORY

ALLOWED = '[scrape]\nallowed_private_hosts = "127.0.0.1"\nsummarizer = "words"\n'


@pytest.fixture
def site() -> Iterator[WebServer]:
    async def page(visit: Visit) -> None:
        await visit.answer(TEXT.encode())

    with WebServer(page) as server:
        yield server


def test_scrape_beside_a_daemon_is_done_by_the_daemon(place: Place, site: WebServer, tmp_path: Path) -> None:
    """Only the daemon's settings allow the host: a command that fetched the page itself would be refused it."""
    (place.folder / "graphvine.toml").write_text(QUICK_DAEMON + ALLOWED)
    with DaemonProcess(place.folder, "--worker", "scrape_item=0") as daemon:
        service = daemon.ready()
        said = process("scrape", f"{site.url}/a", "--batch", "b", "--graph", daemon.where, cwd=tmp_path)
        assert "batch b: 1 completed" in said.out, said
        jobs = httpx.get(f"{service.address}/jobs", headers={"Authorization": f"Bearer {service.token}"}).json()
        assert [(job["verb"], job["state"], job["asked"]["batch"]) for job in jobs["rows"]] == [("scrape", "done", "b")]
    assert site.traffic.asked == ["/a"]


@pytest.mark.parametrize("command", [("status",), ("status", "--json"), ("failed",), ("failed", "article", "--trace")])
def test_a_look_takes_two_requests(served: Served, client: httpx.Client, command: tuple[str, ...]) -> None:
    """One to connect, one for the answer, however many pipelines and failures there are."""
    served.graph.seed("article", [f"a{number}" for number in range(30)])
    for number in range(30):
        fail_for_good(served.graph, f"a{number}", "no such page")
    before = _requests(client)
    said = run(*command, "--graph", served.with_token)
    assert "article" in said.out
    assert _requests(client) - before == 2


def _requests(client: httpx.Client) -> int:
    """All that was asked by POST, as processes of ours ask."""
    page = client.get("/metrics").text
    return int(sum(map(float, re.findall(r'^graphvine_http_seconds_count\{method="POST".*\} (\S+)$', page, re.M))))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda graph: graph.grow("Vine"), r"grow: titles: a list is meant: write \['Vine'\]"),
        (lambda graph: graph.seed("article", "Vine"), "a list is meant"),
        (lambda graph: graph.exclude("article", "Vine"), "a list is meant"),
        (lambda graph: graph.requeue("article", keys="Vine"), "a list is meant"),
        (lambda graph: graph.news.retry("news-1"), "a list is meant"),
        (lambda graph: graph.grow(["Vine"], depth=-1), "grow: depth: Expected int >= 0"),
        (lambda graph: graph.search("vine", mode="words"), "search: mode: "),
        (lambda graph: graph.hn.pull(), "say what to pull"),
        (lambda graph: graph.hn.pull(top=3, new=3), "in one way"),
    ],
)
def test_what_can_not_be_meant_is_refused_in_a_sentence(graph: Graph, wrong: Callable[[Graph], Any], said: str) -> None:
    with pytest.raises(BadRequest, match=said) as raised:
        wrong(graph)
    assert isinstance(raised.value, ValueError) and not graph.query("MATCH (a:Article) RETURN a.title").rows


def test_a_misspelt_keyword_fails_at_run_time(graph: Graph) -> None:
    with pytest.raises(TypeError, match="dept"):
        graph.grow(["Vine"], dept=1)  # type: ignore[call-arg]  # mypy refuses it, too: otherwise this line fails there
    with pytest.raises(TypeError, match="titels"):
        GrowRequest(titels=["Vine"])  # type: ignore[call-arg]
    with pytest.raises(BadRequest, match="dept: there is no such field, did you mean 'depth'"):
        GrowRequest.of({"dept": 1})


def test_objects_of_this_process_are_not_sent(served: Served) -> None:
    from graphvine.workers.wikipedia.settings import WikipediaSettings

    with graphvine.open(served.with_token) as far, pytest.raises(BadRequest, match="settings: .* its own settings"):
        far.grow(["Vine"], settings=WikipediaSettings(source="sample"))


@pytest.mark.parametrize(
    ("method", "kind", "beside"),
    [
        (Graph.grow, GrowRequest, {"settings", "on_event", "stop"}),
        (Graph.refresh, RefreshRequest, {"settings", "progress"}),
        (Graph.search, SearchRequest, set()),
        (Graph.map, MapRequest, set()),
        (Graph.requeue, RequeueRequest, set()),
        (Graph.failed, FailedRequest, set()),
        (HackerNews.pull, PullRequest, {"on_progress", "stop"}),
        (HackerNews.search, HNSearchRequest, set()),
    ],
)
def test_a_method_has_the_keywords_and_defaults_of_its_request(
    method: Callable[..., Any], kind: type[Request[Any]], beside: set[str]
) -> None:
    given = {name: one.default for name, one in inspect.signature(method).parameters.items() if name != "self"}
    taken = {name: MISSING if default is inspect.Parameter.empty else default for name, default in given.items()}
    fields = {one.name: one.default for one in sent_fields(kind)}
    assert set(taken) - beside == set(fields)
    different = {name for name, default in fields.items() if taken[name] != default}
    assert different <= ({"pipeline"} if kind is FailedRequest else set()), "the method is for one pipeline"


def test_one_place_decides() -> None:
    found = subprocess.run(
        ["git", "grep", "-lE", r"\.served\b", "--", "graph", "workers"], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert found.stdout.split() == ["graph/dispatch.py", "graph/store.py"], found
