"""News on a server: many processes at once lose nothing and do nothing twice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphvine.graph import Graph
from tests.neo4j import newsroom
from tests.news.servers import Site
from tests.news.support import articles, in_order, passed, process, queue, states, update
from tests.news.test_commands import settings, test_from_providers_to_a_summary  # noqa: F401  the same on every engine
from tests.news.test_lines import (  # noqa: F401
    test_the_same_story_from_two_sources_is_linked_and_others_are_not,
    told,
)
from tests.support.processes import Child, prepare
from tests.support.stores import Place
from tests.support.web_server import WebServer


@pytest.fixture(scope="module", autouse=True)
def warm_server() -> None:
    prepare("neo4j", "httpx", "tests.support.warm", "tests.news.warm", "tests.neo4j.newsroom")


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


def test_updaters_and_processors_in_many_processes(place: Place, site: Site, full: bool) -> None:
    total, each = (600, 4) if full else (60, 2)
    site.add(*range(total))
    updaters = [Child(newsroom.update, place.where, site.url, 3) for _ in range(each)]
    processors = [Child(newsroom.process, place.where, total) for _ in range(each)]
    try:
        found = sum(child.hear(100) for child in updaters)
        done = [child.hear(100) for child in processors]
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


def test_what_is_made_by_hand_is_taken_up(graph: Graph, site: Site) -> None:
    """A node with its address alone, as somebody makes it at the console: there is no default for anything here."""
    link = f"{site.url}/page/7"
    graph.execute(f"CREATE (:NewsArticle {{id: '{link}'}})")
    assert process(graph).rebuilt == 1
    found = articles(graph)["/page/7"]
    assert (found["state"], found["link"], found["lease"]) == ("processed", link, 0) and found["summary"]


def test_an_entry_that_does_not_belong_in_the_queue_leaves_it(graph: Graph, site: Site) -> None:
    site.add(1, 2)
    update(graph, site)
    process(graph, max_articles_per_run=1)
    (left,) = queue(graph)
    graph.execute("CREATE (:NewsQueued {id: 'nobody', topic: 'BTC', priority: 1, place: 5})")
    run = process(graph, max_articles_per_run=1)
    assert (run.dropped, run.missing, run.removed, queue(graph)) == (1, ["nobody"], 1, [])
    assert left not in queue(graph) and states(graph) == {"processed": 2}
