"""Complete: results and the new state in one transaction, for the claims that still hold."""

from __future__ import annotations

import pytest

from graphvine.clock import NEVER, ManualClock, moment
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.outcomes import Done, GiveUp, Retry
from graphvine.records import Claim
from tests.support.articles import keys, linking, links, row, rows, states, take_one


def reclaimed(graph: Graph, clock: ManualClock, title: str) -> Claim:
    """A claim on this article, the next one, that its worker has lost without knowing."""
    claim = take_one(graph.claims("article", "slow"))
    assert claim.key == title
    clock.forward(301)
    assert graph.reap("article").reclaimed == 1
    return claim


def test_results_and_state_are_written_together(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["Vine"])
    claims = graph.claims("article", "w")
    vine = take_one(claims)
    clock.forward(3)
    claims.complete(vine, linking(graph, vine, ["Wine", "Grape"]))
    done = row(graph, "Vine")
    assert (done["expansion_state"], done["processed_at"]) == ("processed", moment(clock.now_ms()))
    assert (done["lease"], done["due"]) == (0, NEVER)
    assert (done["claimed_by"], done["claimed_at"]) == ("w", moment(clock.now_ms() - 3_000)), "who did it, and when"
    assert states(graph) == {"Vine": "processed", "Wine": "discovered", "Grape": "discovered"}
    assert links(graph) == [("Vine", "Grape"), ("Vine", "Wine")]
    assert row(graph, "Grape")["expansion_depth"] == 1


def test_a_lost_claim_writes_none_of_its_results(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["Vine"])
    claim = reclaimed(graph, clock, "Vine")
    before = rows(graph)
    with pytest.raises(ClaimLost) as raised:
        graph.claims("article", "slow").complete(claim, linking(graph, claim, ["Wine"]))
    assert raised.value.claims == (claim,)
    assert rows(graph) == before
    assert links(graph) == []


def test_one_lost_claim_does_not_cost_the_others_theirs(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["lost", "kept"])
    lost = reclaimed(graph, clock, "lost")
    claims = graph.claims("article", "w")
    other, kept = claims.claim(2)
    assert (other.key, kept.key) == ("lost", "kept")
    done = [Done(kept, linking(graph, kept, ["x"])), Done(lost, linking(graph, lost, ["y"]))]
    with pytest.raises(ClaimLost) as raised:
        claims.settle(done)
    assert keys(raised.value.claims) == ["lost"]
    assert states(graph) == {"lost": "claimed", "kept": "processed", "x": "discovered"}
    assert links(graph) == [("kept", "x")]
    claims.complete(other)


def test_many_claims_of_several_batches_finish_together(graph: Graph) -> None:
    graph.seed("article", map(str, range(30)))
    claims = graph.claims("article", "w")
    taken = [claim for _ in range(3) for claim in claims.claim(10)]
    claims.complete(taken)
    assert set(states(graph).values()) == {"processed"}


def test_each_claim_may_end_in_its_own_way(graph: Graph) -> None:
    graph.seed("article", ["done", "again", "never"])
    claims = graph.claims("article", "w")
    done, again, never = claims.claim(3)
    claims.settle([Done(done, linking(graph, done, ["x"])), Retry(again, "busy"), GiveUp(never, "not there")])
    assert states(graph) == {"done": "processed", "again": "discovered", "never": "failed", "x": "discovered"}
    assert [len(graph.read("article.failures", key=key)) for key in ("done", "again", "never")] == [0, 1, 1]


def test_an_old_and_a_new_claim_on_one_row_are_told_apart(graph: Graph, clock: ManualClock) -> None:
    """Both in one unit, as a group commit over workers may have them: only the new one's results count."""
    graph.seed("article", ["Vine"])
    old = reclaimed(graph, clock, "Vine")
    claims = graph.claims("article", "w")
    new = take_one(claims)
    with pytest.raises(ClaimLost) as raised:
        claims.settle([Done(old, linking(graph, old, ["old"])), Done(new, linking(graph, new, ["new"]))])
    assert raised.value.claims == (old,)
    assert states(graph) == {"Vine": "processed", "new": "discovered"}


def test_a_failure_of_an_old_claim_is_not_noted_on_a_row_that_is_done(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["Vine"])
    old = reclaimed(graph, clock, "Vine")
    claims = graph.claims("article", "w")
    new = take_one(claims)
    with pytest.raises(ClaimLost) as raised:
        claims.settle([Done(new), Retry(old, "too slow")])
    assert raised.value.claims == (old,)
    assert graph.read("article.failures", key="Vine") == []


def test_a_link_that_is_there_stays_one_link(graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    claims = graph.claims("article", "w")
    a, b = claims.claim(2)
    claims.complete(a, linking(graph, a, ["b", "b", "c"]))
    claims.complete(b, linking(graph, b, ["a", "c"]))
    assert links(graph) == [("a", "b"), ("a", "c"), ("b", "a"), ("b", "c")]


def test_what_is_done_is_not_claimed_again(graph: Graph) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    claims.complete(take_one(claims))
    assert claims.claim(1) == []
    with pytest.raises(ClaimLost):
        claims.complete(Claim("article", "a", 1, 12345, "claimed"))


def test_finishing_nothing_is_no_work(graph: Graph) -> None:
    claims = graph.claims("article", "w")
    claims.complete([])
    claims.settle([])
    claims.release([])
    claims.heartbeat([])
    assert rows(graph) == {}


def test_a_release_gives_rows_back_at_no_cost(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b", "c"])
    before = rows(graph)
    claims = graph.claims("article", "w")
    claims.release(claims.claim(2))
    assert rows(graph) == before
    assert keys(claims.claim(5)) == ["a", "b", "c"]


def test_a_release_is_due_at_once_and_takes_its_place_in_the_order(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b", "c"])
    claims = graph.claims("article", "w")
    a, _ = claims.claim(2)
    clock.forward(10)
    claims.release([a])
    assert row(graph, "a")["due"] == clock.now_ms()
    assert keys(claims.claim(5)) == ["a", "c"]


def test_loaded_work_goes_on_from_there(graph: Graph) -> None:
    graph.seed("article", ["Vine"])
    graph.execute("MATCH (a:Article) SET a.expansion_state = 'loaded'")
    claims = graph.claims("article", "w")
    vine = take_one(claims)
    assert vine.state == "loaded" and states(graph) == {"Vine": "loaded"}
    claims.release([vine])
    vine = take_one(claims)
    claims.complete(vine, linking(graph, vine, ["Wine"]))
    assert states(graph) == {"Vine": "processed", "Wine": "discovered"}
