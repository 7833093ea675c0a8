"""What people do to the queue: look at what failed, requeue, exclude, prioritise, release."""

from __future__ import annotations

import pytest

from graphvine.clock import NEVER, ManualClock, moment
from graphvine.errors import ClaimLost, GraphvineError
from graphvine.graph import Graph
from graphvine.outcomes import GiveUp, Skip
from graphvine.queue_admin import BadKey
from tests.support.articles import keys, row, rows, states, take_one


def with_failures(graph: Graph, errors: dict[str, str]) -> None:
    """Articles that failed for good, in this order."""
    graph.seed("article", errors)
    claims = graph.claims("article", "w")
    claims.settle([GiveUp(claim, errors[claim.key]) for claim in claims.claim(len(errors))])


def test_what_failed_can_be_looked_at(graph: Graph, clock: ManualClock) -> None:
    with_failures(graph, {"a": "404 not found", "b": "parse error"})
    clock.forward(1)
    with_failures(graph, {"c": "404 not found"})
    assert next(failed.key for failed in graph.failed("article")) == "c"
    assert {failed.key for failed in graph.failed("article", contains="404")} == {"a", "c"}
    assert [failed.key for failed in graph.failed("article", contains="b")] == ["b"]
    (one,) = graph.failed("article", keys=["a"])
    assert (one.reason, one.failed_at) == ("404 not found", moment(clock.now_ms() - 1000))
    assert len(graph.failed("article", limit=2)) == 2
    assert graph.failed("article", contains="nothing like it") == []


def test_a_named_failure_is_found_however_many_there_are(graph: Graph, clock: ManualClock) -> None:
    with_failures(graph, {"wanted": "old"})
    clock.forward(1)
    with_failures(graph, {f"{number}": "newer" for number in range(5)})
    assert [failed.key for failed in graph.failed("article", keys=["wanted"], limit=3)] == ["wanted"]


def test_failed_rows_go_back_with_a_clean_slate(graph: Graph, clock: ManualClock) -> None:
    with_failures(graph, {"a": "x", "b": "y"})
    clock.forward(5)
    assert graph.requeue("article", keys=["a"]) == 1
    back = row(graph, "a")
    assert (back["expansion_state"], back["retry_count"], back["last_error"]) == ("discovered", 0, None)
    assert (back["processed_at"], back["lease"], back["due"]) == (None, 0, clock.now_ms())
    assert states(graph)["b"] == "failed"
    claim = take_one(graph.claims("article", "w"))
    assert (claim.key, claim.retry_count, claim.failure_count) == ("a", 0, 1)
    assert len(graph.read("article.failures", key="a")) == 1, "what went wrong before is still known"


def test_requeue_by_a_part_of_the_error_or_title(graph: Graph) -> None:
    with_failures(graph, {"a": "404", "b": "timeout", "404 (number)": "timeout"})
    assert graph.requeue("article", contains="404") == 2
    assert states(graph) == {"a": "discovered", "b": "failed", "404 (number)": "discovered"}


def test_requeue_everything(graph: Graph) -> None:
    with_failures(graph, {"a": "x", "b": "y"})
    graph.seed("article", ["c"])
    held = take_one(graph.claims("article", "w"))
    assert graph.requeue("article", everything=True) == 2
    assert states(graph) == {"a": "discovered", "b": "discovered", "c": "claimed"}
    graph.claims("article", "w").complete(held)


def test_what_was_skipped_is_listed_apart_and_goes_back_when_asked(graph: Graph, clock: ManualClock) -> None:
    with_failures(graph, {"bad": "malformed"})
    graph.seed("article", ["none", "list", "other"])
    claims = graph.claims("article", "w")
    claims.settle([Skip(claim, f"there is no page {claim.key!r}") for claim in claims.claim(3)])
    left_out = row(graph, "none")
    assert (left_out["expansion_state"], left_out["last_error"]) == ("skipped", "there is no page 'none'")
    assert (left_out["retry_count"], left_out["failure_count"], left_out["lease"], left_out["due"]) == (0, 0, 0, NEVER)
    assert (left_out["claimed_by"], left_out["processed_at"]) == (None, moment(clock.now_ms()))
    assert [one.key for one in graph.failed("article")] == ["bad"]
    assert {one.key for one in graph.failed("article", skipped=True)} == {"none", "list", "other"}
    assert [one.key for one in graph.failed("article", keys=["list", "bad"], skipped=True)] == ["list"]
    assert graph.failed("section", skipped=True) == [], "a pipeline that skips nothing"
    status = next(one for one in graph.status() if one.pipeline == "article")
    assert (status.failed, status.skipped, status.states["skipped"], status.total) == (1, 3, 3, 4)
    assert graph.requeue("article", everything=True) == 1 and states(graph)["bad"] == "discovered"
    assert graph.requeue("article", contains="list", skipped=True) == 1
    assert graph.requeue("article", keys=["none"]) == 1
    assert graph.exclude("article", ["other"]) == 1
    assert states(graph) == {"bad": "discovered", "none": "discovered", "list": "discovered", "other": "excluded"}
    back = row(graph, "none")
    assert (back["last_error"], back["processed_at"], back["due"]) == (None, None, clock.now_ms())


def test_who_lost_the_claim_skips_nothing(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    claim = take_one(claims)
    clock.forward(1_000)
    assert graph.reap("article").reclaimed == 1
    with pytest.raises(ClaimLost):
        claims.settle([Skip(claim, "there is no page")])
    assert states(graph) == {"a": "discovered"}


def test_requeue_must_be_told_what(graph: Graph) -> None:
    with_failures(graph, {"a": "x"})
    with pytest.raises(GraphvineError, match="say what to requeue"):
        graph.requeue("article")
    with pytest.raises(BadKey, match="not in the graph: 'b'"):
        graph.requeue("article", keys=["a", "b"])
    assert states(graph) == {"a": "failed"}


def test_only_what_failed_is_requeued(graph: Graph) -> None:
    graph.seed("article", ["a", "b"])
    claims = graph.claims("article", "w")
    a = take_one(claims)
    before = rows(graph)
    assert graph.requeue("article", keys=["a", "b"]) == 0
    assert rows(graph) == before
    claims.complete(a)
    assert graph.requeue("article", keys=["a"]) == 0


def test_excluded_rows_are_out_for_good(graph: Graph, clock: ManualClock) -> None:
    with_failures(graph, {"failed": "x"})
    graph.seed("article", ["waiting", "wanted"])
    assert graph.exclude("article", ["failed", "waiting"]) == 2
    assert keys(graph.claims("article", "w").claim(5)) == ["wanted"]
    out = row(graph, "waiting")
    assert (out["expansion_state"], out["lease"], out["due"]) == ("excluded", 0, NEVER)
    graph.seed("article", ["waiting"])
    clock.forward(10_000)
    graph.reap("article")
    assert states(graph)["waiting"] == "excluded"
    assert graph.requeue("article", everything=True) == 0


def test_what_is_in_work_or_done_is_not_excluded(graph: Graph) -> None:
    graph.seed("article", ["in work", "done"])
    claims = graph.claims("article", "w")
    held, done = claims.claim(2)
    claims.complete(done)
    assert graph.exclude("article", ["in work", "done"]) == 0
    claims.complete(held)


def test_what_is_released_goes_back_and_its_worker_writes_nothing(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b", "waiting"])
    claims, others = graph.claims("article", "w"), graph.claims("article", "another")
    (a,), (b,) = claims.claim(1), others.claim(1)
    clock.forward(1)
    assert graph.release("article", ["a", "b", "waiting"]) == 2
    back = row(graph, "a")
    assert (back["expansion_state"], back["lease"], back["claimed_by"]) == ("discovered", 0, None)
    assert (back["retry_count"], back["lost_claims"], back["due"]) == (0, 0, clock.now_ms())
    with pytest.raises(ClaimLost):
        claims.heartbeat([a])
    with pytest.raises(ClaimLost):
        others.complete(b)
    assert states(graph) == {"a": "discovered", "b": "discovered", "waiting": "discovered"}
    again = graph.claims("article", "third").claim(3)
    assert keys(again) == ["a", "b", "waiting"]
    assert graph.release("article", ["a"]) == 1
    graph.claims("article", "third").complete(again[1])
    assert graph.release("article", ["a", "b"]) == 0, "one waits, one is done"
    with pytest.raises(BadKey, match="not in the graph: 'none such'"):
        graph.release("article", ["none such"])


def test_prioritised_rows_come_first_once(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", [f"{number:02}" for number in range(20)])
    claims = graph.claims("article", "w")
    (first,) = claims.claim(1)
    claims.fail(first, "busy")
    assert graph.prioritise("article", ["15", "11", first.key]) == 3
    assert graph.prioritise("article", ["11"]) == 0, "it is at the front already"
    (status,) = [status for status in graph.status() if status.pipeline == "article"]
    assert (status.ready, status.backing_off) == (20, 0)
    assert status.oldest_ready == moment(clock.now_ms())
    taken = claims.claim(4)
    assert keys(taken) == ["00", "11", "15", "01"], "those that back off wait no longer"
    assert graph.prioritise("article", ["11"]) == 0, "it is held"
    claims.release(taken)
    assert keys(claims.claim(3)) == ["00", "01", "02"], "it held for one claim"


@pytest.mark.parametrize("key", ["", "   ", "x" * 2_001, "\ud800", "nul \0", 7, None])
def test_a_bad_key_is_named_with_its_place(graph: Graph, key: object) -> None:
    with pytest.raises(BadKey, match="item 1: title"):
        graph.seed("article", ["good", key])  # type: ignore[list-item]
    assert "good" not in states(graph) or states(graph) == {"good": "discovered"}


def test_odd_keys_are_keys(graph: Graph) -> None:
    odd = [
        "it's",
        'a "quote"',
        "back\\slash",
        "$now",
        "line\nbreak",
        " space ",
        "ÅÄÖ",
        "漢字",
        "🌱",
        "{title: 'x'}",
        "%s",
    ]
    assert graph.seed("article", odd) == len(odd)
    claims = graph.claims("article", "w")
    taken = claims.claim(50)
    assert keys(taken) == odd
    claims.settle([GiveUp(claim, claim.key) for claim in taken])
    assert graph.requeue("article", keys=odd) == len(odd)


def test_the_status_adds_up(graph: Graph, clock: ManualClock) -> None:
    with_failures(graph, {"failed": "x"})
    graph.seed("article", ["done", "backing off", "in work", "ready 1", "ready 2"])
    claims = graph.claims("article", "w")
    done, back, _ = claims.claim(3)
    claims.complete(done)
    claims.fail(back, "busy")
    (status,) = [status for status in graph.status() if status.pipeline == "article"]
    assert (status.ready, status.backing_off, status.claimed, status.failed, status.total) == (2, 1, 1, 1, 6)
    assert status.states["processed"] == 1 and status.states["excluded"] == 0
    assert status.progress_percent == pytest.approx(100 / 6)


def test_articles_that_wait_for_their_links_do_not_back_off(graph: Graph) -> None:
    from graphvine import WorkQueueManager

    graph.seed("article", ["loaded", "ready"])
    queue = WorkQueueManager(graph, "w")
    queue.claim_work(1)
    queue.advance_state("loaded", "loaded")
    (status,) = [status for status in graph.status() if status.pipeline == "article"]
    assert (status.ready, status.backing_off) == (1, 0)
