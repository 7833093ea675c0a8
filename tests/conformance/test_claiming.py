"""Who gets which rows, in which order."""

from __future__ import annotations

import pytest

from graphvine.clock import ManualClock, moment
from graphvine.errors import UnknownPipeline
from graphvine.graph import Graph
from tests.support.articles import keys, linking, row, states, take_one


def test_rows_are_claimed_first_in_first_out(graph: Graph) -> None:
    graph.seed("article", ["pear", "apple", "quince", "fig"])
    claims = graph.claims("article", "w1")
    assert keys(claims.claim(3)) == ["pear", "apple", "quince"]
    assert keys(claims.claim(3)) == ["fig"]
    assert claims.claim(3) == []


def test_nearer_rows_are_claimed_before_deeper_ones(graph: Graph) -> None:
    graph.seed("article", ["root"])
    claims = graph.claims("article", "w1")
    root = take_one(claims)
    claims.complete(root, linking(graph, root, ["child 1", "child 2"]))
    first = take_one(claims)
    claims.complete(first, linking(graph, first, ["grandchild"]))
    graph.seed("article", ["late root"])
    taken = claims.claim(10)
    assert [(claim.key, claim.depth) for claim in taken] == [("late root", 0), ("child 2", 1), ("grandchild", 2)]


def test_a_claim_writes_who_holds_the_row_since_when(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["Vine"])
    clock.forward(5)
    claim = take_one(graph.claims("article", "host-1"))
    held = row(graph, "Vine")
    assert held["expansion_state"] == "claimed" == claim.state
    assert (held["claimed_by"], held["claimed_at"]) == ("host-1", moment(clock.now_ms()))
    assert (held["lease"], held["seq"]) == (claim.token, claim.seq)
    assert claim.token > 1 and held["processed_at"] is None and held["retry_count"] == 0


def test_every_batch_has_a_token_of_its_own(graph: Graph) -> None:
    graph.seed("article", map(str, range(50)))
    claims = graph.claims("article", "w1")
    tokens = [{claim.token for claim in claims.claim(5)} for _ in range(10)]
    assert all(len(batch) == 1 for batch in tokens)
    assert len(set.union(*tokens)) == 10


def test_a_row_claimed_again_has_another_token(graph: Graph) -> None:
    graph.seed("article", ["Vine"])
    claims = graph.claims("article", "w1")
    first = take_one(claims)
    claims.release([first])
    assert take_one(claims).token != first.token


def test_what_one_worker_holds_no_other_gets(graph: Graph) -> None:
    graph.seed("article", ["a", "b", "c"])
    assert keys(graph.claims("article", "w1").claim(2)) == ["a", "b"]
    assert keys(graph.claims("article", "w2").claim(2)) == ["c"]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_claim_of_nothing_takes_nothing(graph: Graph, limit: int) -> None:
    graph.seed("article", ["a"])
    assert graph.claims("article", "w1").claim(limit) == []
    assert states(graph) == {"a": "discovered"}


def test_a_claim_may_ask_for_certain_states_alone(graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    graph.execute("MATCH (a:Article {title: 'a'}) SET a.expansion_state = 'loaded'")
    claims = graph.claims("article", "w1")
    assert keys(claims.claim(5, states={"discovered"})) == ["b"]
    (loaded,) = claims.claim(5, states={"loaded"})
    assert (loaded.key, loaded.state) == ("a", "loaded")


def test_an_unwanted_state_in_front_does_not_hide_what_comes_behind_it(short_sighted: Graph) -> None:
    graph = short_sighted
    graph.seed("article", ["a", "b", "c", "d", "e"])
    graph.execute("MATCH (a:Article) WHERE a.title IN ['a', 'b', 'c'] SET a.expansion_state = 'loaded'")
    assert keys(graph.claims("article", "w1").claim(5, states={"discovered"})) == ["d", "e"]


def test_rows_beyond_the_window_are_claimed_in_order_too(short_sighted: Graph) -> None:
    graph = short_sighted
    graph.seed("article", [f"{number:02}" for number in range(20)])
    claims = graph.claims("article", "w1")
    assert keys(claims.claim(7)) == [f"{number:02}" for number in range(7)]
    graph.seed("article", ["later"])
    assert keys(claims.claim(50)) == [*(f"{number:02}" for number in range(7, 20)), "later"]


def test_seeding_what_is_there_changes_nothing(graph: Graph) -> None:
    assert graph.seed("article", ["a", "b", "a"]) == 2
    claim = take_one(graph.claims("article", "w1"))
    before = row(graph, "a"), row(graph, "b")
    assert graph.seed("article", ["a", "b", "c"]) == 1
    assert (row(graph, "a"), row(graph, "b")) == before
    assert claim.key == "a"


def test_a_paused_pipeline_gives_nothing_until_it_goes_on(graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    claims = graph.claims("article", "w1")
    held = take_one(claims)
    graph.pause("article", "the wiki is down")
    assert claims.claim(5) == []
    (status,) = [status for status in graph.status() if status.pipeline == "article"]
    assert (status.paused, status.paused_reason) == (True, "the wiki is down")
    claims.complete(held)  # what is in hand may be finished
    graph.resume("article")
    assert keys(claims.claim(5)) == ["b"]


def test_a_pause_needs_no_reason(graph: Graph) -> None:
    graph.seed("article", ["a"])
    graph.pause("article")
    assert graph.claims("article", "w1").claim(5) == []


def test_a_pipeline_that_is_not_there_is_named(graph: Graph) -> None:
    with pytest.raises(UnknownPipeline, match="artcle.*did you mean 'article'"):
        graph.claims("artcle")
    with pytest.raises(UnknownPipeline):
        graph.pause("nothing")
