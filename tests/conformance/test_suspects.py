"""Rows that take their worker down: counted, worked on alone, given up in the end."""

from __future__ import annotations

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from tests.support.articles import keys, linking, row, states, take_one


def lose(graph: Graph, clock: ManualClock, title: str, times: int) -> None:
    """Let workers die on this row, which must be the next."""
    for number in range(times):
        claim = take_one(graph.claims("article", f"dead {number}"))
        assert claim.key == title
        clock.forward(301)
        reaped = graph.reap("article")
        assert reaped.reclaimed + reaped.given_up == 1


def test_a_lost_claim_is_counted_and_costs_no_retry(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    lose(graph, clock, "a", 2)
    lost = row(graph, "a")
    assert (lost["lost_claims"], lost["retry_count"], lost["failure_count"]) == (2, 0, 0)
    assert take_one(graph.claims("article", "w")).lost_claims == 2


def test_a_row_that_lost_its_worker_too_often_fails(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b"])
    lose(graph, clock, "a", 5)
    given_up = row(graph, "a")
    assert given_up["expansion_state"] == "failed" and given_up["lost_claims"] == 5
    (failed,) = graph.failed("article")
    assert failed.key == "a" and failed.reason is not None and "5 times" in failed.reason
    (failure,) = failed.failures
    assert failure.kind == "lost" and "dead 4" in failure.message
    assert keys(graph.claims("article", "w").claim(5)) == ["b"]


def test_the_limit_of_lost_claims_is_a_setting(graph_that_gives_up_early: Graph, clock: ManualClock) -> None:
    graph = graph_that_gives_up_early
    graph.seed("article", ["a"])
    lose(graph, clock, "a", 2)
    assert states(graph) == {"a": "failed"}


def test_a_suspect_at_the_front_is_claimed_alone(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["suspect", "b", "c"])
    lose(graph, clock, "suspect", 2)
    claims = graph.claims("article", "w")
    assert keys(claims.claim(10)) == ["suspect"]
    assert keys(claims.claim(10)) == ["b", "c"]


def test_a_suspect_in_the_middle_is_claimed_alone(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["root"])
    claims = graph.claims("article", "w")
    root = take_one(claims)
    claims.complete(root, linking(graph, root, ["suspect", "behind it"]))
    lose(graph, clock, "suspect", 2)
    graph.seed("article", ["nearer", "nearer too"])
    batches = [keys(claims.claim(10)) for _ in range(4)]
    assert batches == [["nearer", "nearer too"], ["suspect"], ["behind it"], []]


def test_a_row_that_lost_one_worker_is_no_suspect_yet(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b"])
    lose(graph, clock, "a", 1)
    assert keys(graph.claims("article", "w").claim(10)) == ["a", "b"]


def test_requeueing_by_hand_clears_the_suspicion(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b"])
    lose(graph, clock, "a", 5)
    assert graph.requeue("article", keys=["a"]) == 1
    assert keys(graph.claims("article", "w").claim(10)) == ["a", "b"]
    assert row(graph, "a")["lost_claims"] == 0
