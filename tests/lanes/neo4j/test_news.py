"""News on a server: many processes at once lose nothing and do nothing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from graphvine.clock import ManualClock, SystemClock
from graphvine.graph import Graph
from tests.acceptance.cli_support import run
from tests.lanes.neo4j import news_processes
from tests.pipelines.news.servers import Site
from tests.pipelines.news.support import articles, in_order, passed, process, queue, states, update
from tests.pipelines.news.test_commands import settings  # noqa: F401  a fixture
from tests.pipelines.news.test_lines import STORIES, _page
from tests.support.processes import Child, prepare
from tests.support.stores import Place
from tests.support.web_server import WebServer


@pytest.fixture(scope="module", autouse=True)
def warm_server() -> None:
    prepare("neo4j", "httpx", "tests.support.warm", "tests.pipelines.news.warm", "tests.lanes.neo4j.news_processes")


@pytest.fixture
def place(place: Place) -> Place:
    """Emptied: a command opens it by its address, of which it is not seen that this is its first time."""
    place.open().close()
    return place


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site(per_page=20)
    with WebServer(made.answer) as server:
        made.url, made.traffic = server.url, server.traffic
        yield made


@pytest.mark.usefixtures("settings")
def test_the_commands_from_a_provider_to_the_same_story(
    site: Site, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHVINE_NEWS_SAME_STORY", "light")
    for number, (path, (title, text)) in enumerate(STORIES.items(), 1):
        site.add(number, title=title)
        site.pages[path] = _page(text)
    site.add(9, path="/gone")
    assert run("news", "update", "--graph", place.where).out.startswith("Fetched 5 new articles\n")
    done = run("news", "process", "--until-empty", "--batch", "3", "--graph", place.where, status=1)
    assert done.out.count("Loaded: ") == 3 and "Queue length: 0 articles remaining" in done.out
    assert done.err == "1 article failed: 'graphvine failed news_article' says why\n"
    listed = run("news", "list", "--state", "processed", "--json", "--graph", place.where).json["articles"]
    assert {one["title"] for one in listed} == {title for title, _ in STORIES.values()}
    younger = next(one for one in listed if one["link"].endswith("/page/2"))
    assert f"{STORIES['/page/1'][0][:40]}" in run("news", "show", younger["id"], "--graph", place.where).out
    assert run("news", "retry", "--contains", "404", "--first", "--graph", place.where).out == "1 to be tried again\n"


def test_updaters_and_processors_in_many_processes(place: Place, site: Site, full: bool) -> None:
    total, each = (600, 4) if full else (60, 2)
    site.add(*range(total))
    updaters = [Child(news_processes.update, place.where, site.url, 3) for _ in range(each)]
    processors = [Child(news_processes.process, place.where, total) for _ in range(each)]
    try:
        found = sum(child.hear() for child in updaters)
        done = [child.hear() for child in processors]
    finally:
        for child in (*updaters, *processors):
            child.kill()
    assert found == total and sum(one["removed"] for one in done) == total, "none lost, none twice"
    assert sum(one["lost"] + one["dropped"] for one in done) == 0
    with place.open() as graph:
        assert states(graph) == {"processed": total} and queue(graph) == []
        assert passed(graph)["content"] == passed(graph)["sentiment"] == passed(graph)["additions"] == total
        in_order(graph)
        assert [finding.detail for finding in graph.doctor() if not finding.ok] == []
    pages = [path for path in site.traffic.asked if path.startswith("/page/")]
    assert len(pages) == len(set(pages)) == total


def test_what_a_killed_processor_held_is_taken_back_by_the_next(place: Place, site: Site) -> None:
    site.add(1, 2, 3)
    with place.open(SystemClock()) as graph:
        update(graph, site)
    with Child(news_processes.stand, place.where) as child:
        assert child.hear() == "content_saved"
        child.kill()
    with place.open(ManualClock(SystemClock().now_ms())) as graph:
        assert process(graph).loaded == 0 and states(graph) == {"processing": 3}, "it may be alive, on another machine"
        graph.clock.sleep(graph.settings.timeout_seconds + 1)
        told = process(graph)
        assert (told.removed, told.remaining) == (3, 0) and states(graph) == {"processed": 3}
    pages = Counter(path for path in site.traffic.asked if path.startswith("/page/"))
    assert 1 in pages.values(), "a phase that was saved is not done again"


def test_what_was_done_by_hand_is_put_in_order(graph: Graph, site: Site) -> None:
    """An article with its address alone, for which there is no default here, and an entry of the queue for nobody."""
    link = f"{site.url}/page/7"
    graph.execute(f"CREATE (:NewsArticle {{id: '{link}'}})")
    graph.execute("CREATE (:NewsQueued {id: 'nobody', topic: 'BTC', priority: 1, place: 5})")
    told = process(graph)
    assert (told.rebuilt, told.dropped, told.missing, told.removed, queue(graph)) == (1, 1, ["nobody"], 1, [])
    found = articles(graph)["/page/7"]
    assert (found["state"], found["link"], found["lease"]) == ("processed", link, 0) and found["summary"]
