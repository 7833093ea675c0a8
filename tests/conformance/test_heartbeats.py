"""Heartbeats keep claims alive; the reaper takes back those that are silent."""

from __future__ import annotations

import pytest

from graphvine.clock import ManualClock, moment
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from tests.support.articles import keys, row, rows, states, take_one


def test_a_heartbeat_moves_the_time_of_all_claims_at_once(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", map(str, range(6)))
    claims = graph.claims("article", "w")
    held = [*claims.claim(2), *claims.claim(2)]
    clock.forward(30)
    claims.heartbeat(held)
    beats = {title: one["claimed_at"] for title, one in rows(graph).items()}
    assert [beats[claim.key] for claim in held] == [moment(clock.now_ms())] * 4
    assert beats["4"] is None


def test_a_claim_with_heartbeats_is_never_taken_back(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    claim = take_one(claims)
    for _ in range(20):
        clock.forward(299)
        claims.heartbeat([claim])
        assert graph.reap("article").reclaimed == 0
    claims.complete(claim)


def test_a_silent_claim_is_taken_back_after_the_timeout_and_not_before(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claim = take_one(graph.claims("article", "w"))
    clock.forward(300)
    assert graph.reap("article").reclaimed == 0
    clock.forward(0.001)
    assert graph.reap("article").reclaimed == 1
    back = row(graph, "a")
    assert (back["expansion_state"], back["lease"], back["claimed_by"], back["claimed_at"]) == (
        "discovered",
        0,
        None,
        None,
    )
    assert back["due"] == clock.now_ms() and back["retry_count"] == 0
    assert take_one(graph.claims("article", "other")).token != claim.token


def test_the_timeout_may_be_given(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    take_one(graph.claims("article", "w"))
    clock.forward(31)
    assert graph.reap("article", timeout_seconds=30).reclaimed == 1


def test_a_heartbeat_tells_which_claims_are_lost_and_keeps_the_rest(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["lost", "kept"])
    claims = graph.claims("article", "w")
    lost, kept = claims.claim(2)
    graph.execute("MATCH (a:Article {title: 'lost'}) SET a.expansion_state = 'discovered'")
    clock.forward(10)
    with pytest.raises(ClaimLost) as raised:
        claims.heartbeat([lost, kept])
    assert raised.value.claims == (lost,)
    assert row(graph, "kept")["claimed_at"] == moment(clock.now_ms())
    assert row(graph, "lost")["claimed_at"] is None


def test_a_heartbeat_after_the_row_went_to_another_worker_touches_nothing(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    slow = graph.claims("article", "slow")
    claim = take_one(slow)
    clock.forward(301)
    graph.reap("article")
    take_one(graph.claims("article", "quick"))
    clock.forward(10)
    before = row(graph, "a")
    with pytest.raises(ClaimLost):
        slow.heartbeat([claim])
    assert row(graph, "a") == before


def test_the_cutoff_is_checked_by_the_statement_that_writes(graph: Graph, clock: ManualClock) -> None:
    """The reaper saw the claim as stale; the heartbeat came between its look and its write."""
    graph.seed("article", ["a", "b"])
    claims = graph.claims("article", "w")
    a, _ = claims.claim(2)
    clock.forward(301)
    cutoff = moment(clock.now_ms() - 300_000)
    stale = graph.read("article.stale", cutoff=cutoff, limit=10)
    assert [seen["key"] for seen in stale] == ["a", "b"]
    claims.heartbeat([a])
    seqs = [seen["seq"] for seen in stale]
    given = {"seqs": seqs, "lo": min(seqs), "hi": max(seqs), "cutoff": cutoff, "counted": 1}
    done = graph.run(Unit.of([Step("article.reclaim", {**given, "due": clock.now_ms()})]))
    assert [moved["key"] for moved in done.rows[0]] == ["b"]
    assert states(graph) == {"a": "claimed", "b": "discovered"}


def test_giving_up_checks_the_cutoff_too(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    claim = take_one(claims)
    clock.forward(301)
    cutoff = moment(clock.now_ms() - 300_000)
    claims.heartbeat([claim])
    given = {"seqs": [claim.seq], "lo": claim.seq, "hi": claim.seq, "cutoff": cutoff, "max_lost": 1}
    given |= {"at": moment(clock.now_ms()), "error": "lost", "never": 1 << 52}
    assert graph.run(Unit.of([Step("article.give_up", given)])).rows == ([],)
    assert states(graph) == {"a": "claimed"}


def test_reclaimed_rows_keep_their_place_in_the_order(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b", "c", "d"])
    take = graph.claims("article", "dead").claim(2)
    assert keys(take) == ["a", "b"]
    clock.forward(301)
    graph.reap("article")
    assert keys(graph.claims("article", "w").claim(4)) == ["a", "b", "c", "d"]


def test_a_loaded_row_whose_worker_died_goes_on_from_there(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    graph.execute("MATCH (a:Article) SET a.expansion_state = 'loaded'")
    take_one(graph.claims("article", "dead"))
    clock.forward(301)
    assert graph.reap("article").reclaimed == 1
    assert states(graph) == {"a": "loaded"}
    again = take_one(graph.claims("article", "w"))
    assert (again.state, again.lost_claims) == ("loaded", 1)


def test_thousands_of_lost_claims_come_back_in_one_pass(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", map(str, range(6_000)))
    assert len(graph.claims("article", "dead").claim(6_000)) == 6_000
    clock.forward(301)
    assert graph.reap("article").reclaimed == 6_000
    assert len(graph.claims("article", "w").claim(6_000)) == 6_000


def test_the_oldest_heartbeat_is_in_the_status(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b"])
    claims = graph.claims("article", "w")
    first = take_one(claims)
    at = moment(clock.now_ms())
    clock.forward(20)
    second = take_one(claims)
    claims.heartbeat([second])
    (status,) = [status for status in graph.status() if status.pipeline == "article"]
    assert (status.claimed, status.oldest_heartbeat) == (2, at)
    claims.complete([first, second])
