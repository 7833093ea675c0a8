"""What a hand, or a fault, may do to queue, log, checkpoint and articles: the next run brings it in order."""

from __future__ import annotations

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from tests.pipelines.news.servers import Site
from tests.pipelines.news.support import (
    additions,
    articles,
    checkpoint,
    in_order,
    process,
    process_all,
    queue,
    states,
    update,
)
from tests.support.web_server import Request


@pytest.fixture
def half_done(graph: Graph, site: Site) -> Graph:
    """Twelve articles: five processed, seven in the queue, all still in the log."""
    site.add(*range(12))
    update(graph, site)
    process(graph)
    return graph


def fetched_once(site: Site) -> bool:
    pages = [path for path in site.traffic.asked if path.startswith("/page/")]
    return len(pages) == len(set(pages))


@pytest.mark.parametrize(
    "damage",
    [
        "MATCH (q:NewsQueued) DELETE q",
        "MATCH (q:NewsQueued) SET q.place = NULL",
        "MATCH (q:NewsQueued) SET q.priority = NULL",
        "MATCH (q:NewsQueued) SET q.topic = NULL",
        "MATCH (q:NewsQueued) WHERE q.place % 2 = 0 DELETE q",
        "CREATE (:NewsQueued {id: 'news-unheard-of'})",
    ],
)
def test_an_invalid_queue_is_rebuilt(half_done: Graph, site: Site, clock: ManualClock, damage: str) -> None:
    half_done.execute(damage)
    runs = process_all(half_done, clock)
    assert sum(run.rebuilt + run.dropped for run in runs) > 0, "and it is told"
    assert states(half_done) == {"processed": 12} and fetched_once(site), "none lost, none twice"
    assert checkpoint(half_done) == additions(half_done)[-1]


def test_a_rebuilt_queue_keeps_the_order_of_arrival(half_done: Graph) -> None:
    before = queue(half_done)
    half_done.execute("MATCH (q:NewsQueued) DELETE q")
    process(half_done, max_articles_per_run=1)
    assert queue(half_done) == before[1:]


@pytest.mark.parametrize("unknown", ["news-unheard-of", ""])
def test_an_unknown_checkpoint_merges_with_dedupe(
    half_done: Graph, site: Site, clock: ManualClock, unknown: str
) -> None:
    before = queue(half_done)
    half_done.execute(
        "MATCH (c:NewsCheckpoint {name: 'BTC_ADDITIONS_CHECKPOINT'}) SET c.article = $to", {"to": unknown}
    )
    site.add(*range(12, 14))
    update(half_done, site)
    assert len(additions(half_done)) == 14, "by an unknown checkpoint nothing is trimmed"
    run = process(half_done, max_articles_per_run=1)
    assert run.merged == 2 and queue(half_done)[: len(before) - 1] == before[1:]
    process_all(half_done, clock)
    assert states(half_done) == {"processed": 14} and fetched_once(site)


def test_a_checkpoint_that_is_gone_is_made_anew(half_done: Graph, site: Site, clock: ManualClock) -> None:
    half_done.execute("MATCH (c:NewsCheckpoint) DELETE c")
    process_all(half_done, clock)
    in_order(half_done)
    assert (
        states(half_done) == {"processed": 12}
        and fetched_once(site)
        and checkpoint(half_done) == additions(half_done)[-1]
    )


def test_a_log_that_is_gone_costs_nothing(graph: Graph, site: Site, clock: ManualClock) -> None:
    site.add(*range(6))
    update(graph, site)
    graph.execute("MATCH (n:NewsAddition) DELETE n")
    run = process(graph)
    assert run.rebuilt == 6 and run.merged == 0, "their articles say that they wait"
    process_all(graph, clock)
    assert states(graph) == {"processed": 6}


def test_missing_articles_are_reported_and_dropped(graph: Graph, site: Site, clock: ManualClock) -> None:
    site.add(*range(6))
    update(graph, site)
    ids = {path: row["id"] for path, row in articles(graph).items()}
    graph.execute("MATCH (a:NewsArticle {id: $id}) DETACH DELETE a", {"id": ids["/page/0"]})
    first = process(graph, max_articles_per_run=1)
    assert first.missing == [ids["/page/0"]] and f"Missing articles dropped: {ids['/page/0']}" in list(first.lines())
    graph.execute("MATCH (a:NewsArticle {id: $id}) DETACH DELETE a", {"id": ids["/page/4"]})
    second = process(graph, max_articles_per_run=1)
    assert second.missing == [ids["/page/4"]] and second.dropped == 1
    process_all(graph, clock)
    assert states(graph) == {"processed": 4} and queue(graph) == []


def test_words_set_by_hand_win(half_done: Graph, clock: ManualClock) -> None:
    done = next(row["id"] for row in articles(half_done).values() if row["state"] == "processed")
    half_done.execute("MATCH (a:NewsArticle {id: $id}) SET a.state = 'pending', a.needsSentiment = true", {"id": done})
    waiting = queue(half_done)[0]
    half_done.execute("MATCH (a:NewsArticle {id: $id}) SET a.state = 'excluded'", {"id": waiting})
    run = process(half_done)
    assert run.rebuilt == 1 and run.dropped == 1
    process_all(half_done, clock)
    assert states(half_done) == {"processed": 11, "excluded": 1}


def test_failed_articles_come_back_by_either_command(graph: Graph, site: Site, clock: ManualClock) -> None:
    site.add(1, 2, 3, path="")
    update(graph, site)
    site.pages |= dict.fromkeys(("/page/1", "/page/2", "/page/3"), _gone)
    process(graph)
    assert states(graph) == {"failed": 3} and queue(graph) == []
    site.pages.clear()
    ids = {path: row["id"] for path, row in articles(graph).items()}
    assert graph.requeue("news_article", keys=[ids["/page/1"]]) == 1
    assert graph.news.retry([ids["/page/2"]]) == 1 and queue(graph) == [ids["/page/2"]]
    assert graph.news.retry(contains="404", first=True) == 1 and queue(graph) == [ids["/page/3"], ids["/page/2"]]
    process_all(graph, clock)
    assert states(graph) == {"processed": 3}


def test_another_try_is_made_in_the_queue_of_its_own_topic(graph: Graph, site: Site) -> None:
    site.add(1)
    site.pages["/page/1"] = _gone
    update(graph, site, topic="ETH")
    process(graph, topic="ETH")
    assert graph.news.retry(everything=True) == 1 and queue(graph) == [] and len(queue(graph, "ETH")) == 1


def test_a_graph_without_news_stays_without(graph: Graph) -> None:
    assert process(graph).loaded == 0
    counted = [
        graph.query(f"MATCH (n:{label}) RETURN count(*)").rows[0][0] for label in ("NewsCheckpoint", "NewsProcessorRun")
    ]
    assert counted == [0, 0]


async def _gone(request: Request) -> None:
    await request.answer(b"gone", status=404)


def test_an_excluded_article_leaves_the_index(graph: Graph, site: Site) -> None:
    site.add(1, 2)
    update(graph, site)

    def found() -> set[str]:
        return {hit.key for hit in graph.search("happened", kind=["news"], mode="text")}

    both = found()
    assert len(both) == 2
    gone = min(both)
    assert graph.exclude("news_article", [gone]) == 1
    assert found() == both - {gone}
