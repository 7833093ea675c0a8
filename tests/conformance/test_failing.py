"""Fail: back into the queue after a pause, or for good, with what went wrong kept."""

from __future__ import annotations

import pytest

from graphvine.clock import NEVER, ManualClock, moment
from graphvine.graph import Graph
from graphvine.outcomes import Retry
from tests.support.articles import keys, linking, row, states, take_one


def pause_ms(graph: Graph, clock: ManualClock, title: str) -> int:
    due: int = row(graph, title)["due"]
    return due - clock.now_ms()


def test_a_failure_that_may_pass_puts_the_row_back(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    claims.fail(take_one(claims), "timed out")
    failed = row(graph, "a")
    assert (failed["expansion_state"], failed["retry_count"], failed["last_error"]) == ("discovered", 1, "timed out")
    assert (failed["lease"], failed["claimed_by"], failed["claimed_at"], failed["processed_at"]) == (
        0,
        None,
        None,
        None,
    )


def test_the_row_comes_back_when_its_pause_is_over_and_not_before(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    claims.fail(take_one(claims), "timed out")
    pause = pause_ms(graph, clock, "a")
    clock.forward((pause - 1) / 1000)
    assert claims.claim(1) == []
    clock.forward(0.001)
    again = take_one(claims)
    assert (again.key, again.retry_count, again.failure_count) == ("a", 1, 1)


def test_pauses_double_and_are_spread(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", map(str, range(40)))
    claims = graph.claims("article", "w")
    for shortest, longest in ((2_500, 5_000), (5_000, 10_000)):
        taken = claims.claim(40)
        assert len(taken) == 40
        claims.settle([Retry(claim, "busy") for claim in taken])
        pauses = [pause_ms(graph, clock, claim.key) for claim in taken]
        assert all(shortest <= pause <= longest for pause in pauses)
        assert len(set(pauses)) > 20, "rows that failed together must not come back together"
        clock.forward(longest / 1000)


def test_a_pause_has_an_upper_limit(patient_but_quick: Graph, clock: ManualClock) -> None:
    graph = patient_but_quick
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    for _ in range(8):
        claims.fail(take_one(claims), "busy")
        assert pause_ms(graph, clock, "a") <= 20_000
        clock.forward(20)


def test_the_other_side_may_ask_for_a_longer_pause(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    claims.fail(take_one(claims), "429", retry_after_seconds=120)
    assert pause_ms(graph, clock, "a") == 120_000


def test_a_shorter_pause_than_ours_is_not_granted(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    claims.fail(take_one(claims), "429", retry_after_seconds=0.1)
    assert pause_ms(graph, clock, "a") >= 2_500


def test_the_third_failure_is_the_last(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    for attempt in (1, 2, 3):
        assert states(graph) == {"a": "discovered"}
        claims.fail(take_one(claims), f"attempt {attempt}")
        clock.forward(3600)
    dead = row(graph, "a")
    assert (dead["expansion_state"], dead["retry_count"], dead["last_error"]) == ("failed", 3, "attempt 3")
    assert (dead["processed_at"], dead["lease"], dead["due"]) == (moment(clock.now_ms() - 3_600_000), 0, NEVER)
    assert claims.claim(1) == []


def test_a_failure_that_can_not_pass_is_for_good_at_once(graph: Graph) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    claims.fail(take_one(claims), "404", permanent=True)
    assert states(graph) == {"a": "failed"}
    (failed,) = graph.failed("article")
    assert (failed.key, failed.reason, failed.retry_count) == ("a", "404", 1)
    assert [failure.kind for failure in failed.failures] == ["permanent"]


def test_a_row_that_failed_comes_behind_its_depth_but_in_order(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b"])
    claims = graph.claims("article", "w")
    claims.fail(take_one(claims), "busy")
    assert keys(claims.claim(1)) == ["b"]
    graph.seed("article", ["c"])
    clock.forward(5)
    assert keys(claims.claim(5)) == ["a", "c"]


def test_seeding_a_row_that_backs_off_keeps_its_count(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    claims.fail(take_one(claims), "busy")
    graph.seed("article", ["a"])
    clock.forward(5)
    again = take_one(claims)
    assert (again.retry_count, again.failure_count) == (1, 1)


def test_a_link_to_a_row_that_backs_off_keeps_its_count(graph: Graph, clock: ManualClock) -> None:
    """Popular articles are linked to all the time: a link must not give a failing one endless tries."""
    graph.seed("article", ["failing"])
    claims = graph.claims("article", "w")
    for number in range(3):
        graph.seed("article", [f"linking {number}"])
        failing, source = claims.claim(2)
        assert (failing.key, failing.retry_count) == ("failing", number)
        claims.fail(failing, "busy")
        claims.complete(source, linking(graph, source, ["failing"]))
        clock.forward(60)
    assert row(graph, "failing")["retry_count"] == 3
    assert states(graph)["failing"] == "failed"


def test_each_failure_is_kept_with_its_story(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    for number in range(3):
        claims.fail(take_one(claims), f"error {number}", trace=f"trace {number}" if number else None)
        clock.forward(60)
    (failed,) = graph.failed("article")
    assert [(f.attempt, f.kind, f.message, f.trace) for f in failed.failures] == [
        (3, "transient", "error 2", "trace 2"),
        (2, "transient", "error 1", "trace 1"),
        (1, "transient", "error 0", None),
    ]
    assert failed.failures[0].at == moment(clock.now_ms() - 60_000)


def test_the_ten_newest_failures_are_kept(patient: Graph, clock: ManualClock) -> None:
    graph = patient
    graph.seed("article", ["a", "b"])
    claims = graph.claims("article", "w")
    for number in range(13):
        for claim in claims.claim(2):
            claims.fail(claim, f"error {number}")
        clock.forward(60)
    kept = graph.read("article.failures", key="a")
    assert [failure["message"] for failure in kept] == [f"error {number}" for number in range(12, 2, -1)]
    assert graph.query("MATCH (f:Failure) RETURN count(*)").rows == [[20]]
    assert graph.query("MATCH (:Article)-[:ARTICLE_FAILURE]->(:Failure) RETURN count(*)").rows == [[20]]


@pytest.mark.parametrize("text", ["\ud800 broken", "zero \0 byte", "x" * 100_000, "", 'it\'s "quoted" \\ $key'])
def test_any_text_may_be_an_error(graph: Graph, text: str) -> None:
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    claims.fail(take_one(claims), text, permanent=True, trace=text)
    (failed,) = graph.failed("article")
    assert failed.reason is not None and len(failed.reason) <= 2_000
    assert failed.failures[0].message == failed.reason
