"""News and pages move from Kuzu to Neo4j in the middle of their work, go on there, and move back.

A load compares every row that it has written with the export's checksums; what is looked at here is that work goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphvine.clock import ManualClock
from graphvine.workers.scrape.batches import find, submit
from graphvine.workers.scrape.manager import Manager
from tests.lanes.neo4j.test_moving import kuzu, sums
from tests.pipelines.news.servers import Site
from tests.pipelines.news.support import (
    additions,
    articles,
    checkpoint,
    in_order,
    passed,
    process,
    queue,
    states,
    update,
)
from tests.pipelines.scrape.support import local, rows, run
from tests.support.stores import Place
from tests.support.web_server import WebServer

MOVED = {
    "NewsArticle", "NewsSource", "NewsAddition", "NewsIndexed", "NewsProvider", "NewsUpdaterRun", "NewsQueued",
    "NewsCheckpoint", "NewsProcessorRun", "PUBLISHED_BY", "NEWS_ARTICLE_FAILURE", "ScrapeBatch", "ScrapeItem", "SCRAPES",
}  # fmt: skip


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    made.add(0, path="/gone")
    made.add(*range(1, 6))
    with WebServer(made.answer) as server:
        made.url = server.url
        yield made


def test_there_and_back_in_the_middle_of_the_work(place: Place, site: Site, tmp_path: Path) -> None:
    pages = [f"{site.url}/page/{number}" for number in range(4)]
    with kuzu(tmp_path) as graph:
        update(graph, site)
        process(graph, max_articles_per_run=3)
        manager = Manager(graph, submit(graph, "b", pages), local())
        manager.lease.take()
        assert len(manager.claim_scrapes()) == 4
        before = (articles(graph), queue(graph), additions(graph), checkpoint(graph), passed(graph))
        held = rows(graph, manager.batch)
        out = graph.export(tmp_path / "out")
    assert out.left_out == [] and set(sums(out)) >= MOVED
    clock = ManualClock()
    with place.open(clock) as graph:
        graph.load(tmp_path / "out")
        assert (articles(graph), queue(graph), additions(graph), checkpoint(graph), passed(graph)) == before
        assert rows(graph, find(graph, "b")) == held
        clock.forward(600)
        for pipeline in ("news_article", "scrape_item"):
            graph.resume(pipeline)
        site.add(6)
        assert update(graph, site).found == 1, "what was known is known here"
        assert process(graph).remaining == 0
        assert states(graph) == {"processed": 6, "failed": 1}
        in_order(graph)
        assert run(graph, batch="b", settings=local())[-1].counts == {"completed": 4}
        done = (articles(graph), rows(graph, find(graph, "b")))
        graph.export(tmp_path / "back")
    (tmp_path / "second").mkdir()
    with kuzu(tmp_path / "second") as graph:
        graph.load(tmp_path / "back")
        assert (articles(graph), rows(graph, find(graph, "b"))) == done
        assert not [finding for finding in graph.doctor() if not finding.ok]
        site.add(7)
        assert update(graph, site).found == 1, "it goes on here"
