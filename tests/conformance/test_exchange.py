"""Claims of given rows, partial saves, and settling and claiming in one transaction: for pipelines with a queue."""

from __future__ import annotations

import pytest

from graphvine.claims import Claims
from graphvine.clock import ManualClock
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.outcomes import Done, GiveUp, Retry, Save
from graphvine.records import Claim, Row, Step
from tests.support.articles import keys, linking, row, states


def ready(graph: Graph, *titles: str) -> list[Row]:
    rows = {one["key"]: one for one in graph.read("article.ready", now=graph.clock.now_ms(), lease=0, limit=100)}
    return [rows[title] for title in titles]


def loading(claims: Claims, claim: Claim, graph: Graph) -> Step:
    (step,) = claims.step("load", [claim], at=row(graph, claim.key)["claimed_at"], due=graph.clock.now_ms())
    return step


def test_given_rows_are_claimed_in_the_given_order(graph: Graph) -> None:
    graph.seed("article", ["a", "b", "c"])
    first = graph.claims("article", "w1")
    rows = ready(graph, "c", "a")
    taken = first.claim_rows(rows)
    assert keys(taken) == ["c", "a"] and {claim.state for claim in taken} == {"claimed"}
    assert graph.claims("article", "w2").claim_rows([*rows, *ready(graph, "b")])[0].key == "b", "others got the rest"


def test_nothing_is_claimed_while_the_pipeline_is_paused(graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    claims = graph.claims("article", "w")
    (claim,) = claims.claim_rows(ready(graph, "a"))
    rows = ready(graph, "b")
    graph.pause("article")
    assert claims.exchange([Done(claim)], rows) == ([], [])
    assert states(graph) == {"a": "processed", "b": "discovered"}


def test_what_is_settled_and_what_is_claimed_is_one_transaction(graph: Graph) -> None:
    graph.seed("article", ["a", "b", "c"])
    claims = graph.claims("article", "w")
    done, lost = claims.claim_rows(ready(graph, "a", "b"))
    claims.release([lost])
    written: list[list[str]] = []
    graph.store.subscribe(lambda event, facts: written.append(facts["blocks"]) if event == "write" else None)
    taken, gone = claims.exchange([Done(done), Done(lost)], ready(graph, "c"))
    assert len(written) == 1 and keys(taken) == ["c"] and gone == [lost]
    assert states(graph) == {"a": "processed", "b": "discovered", "c": "claimed"}


def test_a_save_is_written_under_the_claim_or_not_at_all(graph: Graph) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    (claim,) = claims.claim_rows(ready(graph, "a"))
    save = Save(claim, [loading(claims, claim, graph)])
    claims.settle([save])
    assert states(graph) == {"a": "loaded"}
    with pytest.raises(ClaimLost):
        claims.settle([save])


def test_a_pipeline_that_counts_its_attempts_is_retried_as_often_as_it_says(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    for _ in range(graph.settings.max_retries + 2):
        (claim,) = claims.claim_rows(ready(graph, "a"))
        claims.settle([Retry(claim, "away", attempt=1)])
        assert row(graph, "a")["due"] - clock.now_ms() <= 1000 * graph.settings.backoff_seconds
        clock.forward(graph.settings.backoff_seconds)
    (claim,) = claims.claim_rows(ready(graph, "a"))
    claims.settle([GiveUp(claim, "gone")])
    assert states(graph) == {"a": "failed"}


def test_what_is_done_is_settled_and_what_comes_next_claimed(graph: Graph) -> None:
    graph.seed("article", ["a", "b", "c", "d"])
    claims = graph.claims("article", "w")
    held = claims.claim(1)
    taken, lost = claims.settle_and_claim([Done(claim) for claim in held], 2)
    assert keys(taken) == ["b", "c"] and lost == []
    assert states(graph) == {"a": "processed", "b": "claimed", "c": "claimed", "d": "discovered"}
    claims.heartbeat(taken)
    claims.release(taken[:1])
    (again,), lost = claims.settle_and_claim([Done(claim) for claim in taken], 1)
    assert again.key == "b" and lost == taken[:1], "given back, it is the next, and not settled by the old claim"
    assert states(graph) == {"a": "processed", "b": "claimed", "c": "processed", "d": "discovered"}
    claims.complete(again)


def test_a_paused_pipeline_settles_and_claims_nothing(graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    claims = graph.claims("article", "w")
    held = claims.claim(1)
    graph.pause("article")
    assert claims.settle_and_claim([Done(claim) for claim in held], 1) == ([], [])
    assert states(graph) == {"a": "processed", "b": "discovered"}


def test_outcomes_that_discover_rows_leave_the_next_claim_for_later(graph: Graph) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    (claim,) = claims.claim(1)
    assert claims.settle_and_claim([Done(claim, linking(graph, claim, ["b"]))], 1) == ([], [])
    assert keys(claims.claim(1)) == ["b"]
