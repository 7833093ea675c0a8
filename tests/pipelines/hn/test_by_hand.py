"""Transitions that are asked for, and those that people make: three tries, a day's window."""

from __future__ import annotations

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from graphvine.workers.counts import Counts
from graphvine.workers.hn.api import HackerNews
from graphvine.workers.hn.errors import NoSuchItem, TransitionNotAllowed
from graphvine.workers.hn.handler import HNItemHandler
from graphvine.workers.hn.ingest.processors import automatic
from graphvine.workers.hn.schedule import jobs, mend
from graphvine.workers.loop import Loop
from tests.pipelines.hn.conftest import quick
from tests.pipelines.hn.looking import edges, row
from tests.pipelines.hn.server import HackerNewsServer
from tests.pipelines.hn.test_intake import COMMENT, STORY


def work(graph: Graph, server: HackerNewsServer) -> Counts:
    return Loop(graph, "hn_item", HNItemHandler(graph, quick(server))).run_once()


def test_the_transitions_of_an_item_are_told(news: HackerNews) -> None:
    news.add([STORY, {"id": 2, "type": "x"}])
    assert [(way.name, way.manual, way.blocked) for way in news.transitions(1)] == [("mark_failed", True, "")]
    ways = [(way.name, way.target) for way in news.transitions(2)]
    assert ways == [("retry_processing", "ingested"), ("mark_failed", "failed")]
    with pytest.raises(NoSuchItem, match="no item 3"):
        news.transitions(3)


def test_marked_as_failed_it_is_not_found_and_retried_it_is_again(
    news: HackerNews, graph: Graph, server: HackerNewsServer
) -> None:
    news.add([STORY, COMMENT])
    news.mark_failed(2, "looks odd")
    item = row(graph, 2)
    assert (item["state"], item["failedIn"], item["retryCount"], item["last_error"]) == (
        "failed",
        "completed",
        1,
        "looks odd",
    )
    assert graph.failed("hn_item")[0].failures[0].kind == "manual"
    assert news.search("hi").total == 0
    assert news.retry([2]) == 1
    assert row(graph, 2)["state"] == "ingested" and row(graph, 2)["retryAttemptAt"] is not None
    assert work(graph, server) == Counts(claimed=1, done=1)
    assert row(graph, 2)["state"] == "completed" and edges(graph) == [(1, 2)]
    assert news.search("hi").total == 1


def test_three_tries_and_no_more(news: HackerNews, graph: Graph, server: HackerNewsServer) -> None:
    news.add({"id": 2, "type": "x"})
    for tries in (2, 3):
        assert news.retry([2]) == 1
        assert work(graph, server) == Counts(claimed=1, failed=1)
        assert row(graph, 2)["retryCount"] == tries
    with pytest.raises(TransitionNotAllowed, match="tried 3 times"):
        news.retry([2])
    assert news.transitions(2)[0].blocked == "it was tried 3 times, 3 at most"


def test_after_a_day_it_is_too_late(news: HackerNews, clock: ManualClock) -> None:
    news.add({"id": 2, "type": "x"})
    clock.forward(24 * 3600 - 1)
    assert news.transitions(2)[0].blocked == ""
    clock.forward(1)
    with pytest.raises(TransitionNotAllowed, match="more than 24 hours"):
        news.retry([2])


def test_only_what_failed_is_retried(news: HackerNews) -> None:
    news.add(STORY)
    with pytest.raises(TransitionNotAllowed, match="it is completed"):
        news.retry([1])


def test_what_failed_may_be_marked_with_another_reason_at_no_cost(news: HackerNews, graph: Graph) -> None:
    news.add({"id": 2, "type": "x"})
    before = row(graph, 2)
    news.mark_failed(2, "it is spam")
    after = row(graph, 2)
    assert (after["state"], after["last_error"], news.item(2).last_error) == ("failed", "it is spam", "it is spam")
    assert (after["retryCount"], after["failedIn"]) == (before["retryCount"], before["failedIn"])


def test_every_way_that_is_offered_can_be_taken(news: HackerNews) -> None:
    news.add({"id": 2, "type": "x"})
    ways = {way.name: way for way in news.transitions(2)}
    assert set(ways) == {"retry_processing", "mark_failed"} and not any(way.blocked for way in ways.values())
    assert news.advance(2, "retry_processing") == "ingested"
    assert news.advance(2, "mark_failed") == "failed"


def test_a_retry_is_planned_and_made_by_the_job(
    news: HackerNews, graph: Graph, server: HackerNewsServer, clock: ManualClock
) -> None:
    news.add({"id": 2, "type": "x"})
    assert mend(graph) == 0
    tries = []
    for _ in range(4):
        clock.forward(301)
        mend(graph)
        work(graph, server)
        tries.append((row(graph, 2)["state"], row(graph, 2)["retryCount"], row(graph, 2)["retryDue"] is None))
    assert tries == [("failed", 2, False), ("failed", 3, True), ("failed", 3, True), ("failed", 3, True)]


def test_a_planned_retry_that_comes_too_late_is_not_made(news: HackerNews, graph: Graph, clock: ManualClock) -> None:
    news.add({"id": 2, "type": "x"})
    clock.forward(25 * 3600)
    assert mend(graph) == 0 and row(graph, 2)["retryDue"] is None and row(graph, 2)["state"] == "failed"


def test_an_item_can_be_taken_through_the_chain_step_by_step(news: HackerNews, graph: Graph) -> None:
    news.add([STORY, COMMENT])
    graph.execute("MATCH (a:HNItem {hnId: 2}) SET a.state = 'initial_state'")
    chain = automatic(graph.library.machines["hn_item"])
    for step in chain:
        assert [way.name for way in news.transitions(2) if not way.manual] == [step.name]
        assert news.advance(2, step.name) == step.target
    assert row(graph, 2)["state"] == "completed"
    with pytest.raises(TransitionNotAllowed, match="it is completed"):
        news.advance(2, "validate_item")


@pytest.mark.parametrize("state", ["ingested", "validated", "deduplicated", "hierarchy_resolved", "indexed"])
def test_what_a_hand_left_in_a_middle_state_goes_on_from_there(
    news: HackerNews, graph: Graph, server: HackerNewsServer, state: str
) -> None:
    news.add([STORY, COMMENT])
    before = row(graph, 2)
    graph.execute(f"MATCH (a:HNItem {{hnId: 2}}) SET a.state = '{state}'")
    assert work(graph, server) == Counts(claimed=1, done=1)
    after = row(graph, 2)
    assert {name for name in after if after[name] != before[name]} <= {"stamp", "due"}
    assert edges(graph) == [(1, 2)] and news.search("hi").total == 1


def test_a_claimed_item_is_in_nobody_else_s_hands(news: HackerNews, graph: Graph) -> None:
    news.add(STORY)
    graph.execute("MATCH (a:HNItem) SET a.state = 'ingested'")
    (claim,) = graph.claims("hn_item", "w").claim(5)
    assert (claim.key, claim.state, row(graph, 1)["claimed_by"]) == ("1", "ingested", "w")
    assert graph.claims("hn_item", "v").claim(5) == []
    with pytest.raises(TransitionNotAllowed, match="a worker holds it"):
        news.mark_failed(1, "mine")


def test_the_jobs_are_there_and_pull_only_where_somebody_asked(
    news: HackerNews, graph: Graph, server: HackerNewsServer
) -> None:
    made = {job.name: job for job in jobs(graph, quick(server))}
    assert set(made) == {"hn-retries", "hn-since-last", "hn-updates"}
    server.items[1] = STORY
    assert made["hn-since-last"].run() is None and server.asked == []
    news.pull(since_last=True)
    server.items[2] = COMMENT
    assert made["hn-since-last"].run().taken.new == 1
    server.lists["updates"] = {"items": [2], "profiles": []}
    assert made["hn-updates"].run().taken.unchanged + made["hn-updates"].run().taken.skipped == 1
    graph.pause("hn_item")
    assert made["hn-updates"].run() is None
