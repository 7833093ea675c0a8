"""Rows that take their worker down: counted, worked on alone, given up in the end."""

from __future__ import annotations

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from tests.support.articles import keys, linking, row, rows, states, take_one


def lose(graph: Graph, clock: ManualClock, title: str, times: int) -> None:
    """Let workers die on this row, which must be the next."""
    for number in range(times):
        claim = take_one(graph.claims("article", f"dead {number}"))
        assert claim.key == title
        clock.forward(301)
        reaped = graph.reap("article")
        assert reaped.reclaimed + reaped.given_up == 1
        clock.forward(graph.settings.backoff_max_seconds)  # each time it waits longer for its next worker


def test_a_lost_claim_is_counted_and_costs_no_retry(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    lose(graph, clock, "a", 2)
    lost = row(graph, "a")
    assert (lost["lost_claims"], lost["retry_count"], lost["failure_count"]) == (2, 0, 0)
    assert take_one(graph.claims("article", "w")).lost_claims == 2


def test_a_row_that_lost_its_worker_too_often_fails(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b"])
    lose(graph, clock, "a", 10)
    given_up = row(graph, "a")
    assert given_up["expansion_state"] == "failed" and given_up["lost_claims"] == 10
    (failed,) = graph.failed("article")
    assert failed.key == "a" and failed.reason is not None and "10 times" in failed.reason
    (failure,) = failed.failures
    assert failure.kind == "lost" and "dead 9" in failure.message
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
    suspect = take_one(claims, 10)
    assert suspect.key == "suspect" and claims.claim(10) == [] and claims.held_back
    claims.complete(suspect)
    assert keys(claims.claim(10)) == ["b", "c"] and not claims.held_back


def test_a_suspect_in_the_middle_is_claimed_alone(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["root"])
    claims = graph.claims("article", "w")
    root = take_one(claims)
    claims.complete(root, linking(graph, root, ["suspect", "behind it"]))
    lose(graph, clock, "suspect", 2)
    graph.seed("article", ["nearer", "nearer too"])
    batches = []
    for _ in range(4):
        batch = claims.claim(10)
        batches.append(keys(batch))
        claims.complete(batch)
    assert batches == [["nearer", "nearer too"], ["suspect"], ["behind it"], []]


def test_a_row_that_lost_one_worker_is_no_suspect_yet(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b"])
    lose(graph, clock, "a", 1)
    assert keys(graph.claims("article", "w").claim(10)) == ["a", "b"]


def test_requeueing_by_hand_clears_the_suspicion(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b"])
    lose(graph, clock, "a", graph.settings.max_lost_claims)
    assert graph.requeue("article", keys=["a"]) == 1
    assert keys(graph.claims("article", "w").claim(10)) == ["a", "b"]
    assert row(graph, "a")["lost_claims"] == 0


def die(graph: Graph, clock: ManualClock) -> None:
    """Let all time-outs pass: whoever held something is dead."""
    clock.forward(301)
    graph.reap("article")
    clock.forward(graph.settings.backoff_max_seconds)


def test_rows_that_were_lost_together_are_never_given_up(graph: Graph, clock: ManualClock) -> None:
    """A machine that is killed again and again says nothing about the rows that it held."""
    titles = list("abcdef")
    graph.seed("article", titles)
    for number in range(2 * graph.settings.max_lost_claims):
        held = graph.read("article.named", keys=titles)
        # Suspects are claimed alone, so whoever wants several at once has to say so to the statement itself.
        claims = graph.claims("article", f"host:{number}:ab")
        assert len(claims._run((), held)[0]) == len(titles)
        die(graph, clock)
    assert set(states(graph).values()) == {"discovered"}
    assert {one["lost_claims"] for one in rows(graph).values()} == {2}, "suspects, and no more than that"


def test_workers_of_one_process_are_lost_together(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b"])
    for number in range(2):
        for worker in (f"host:{number}:aa", f"host:{number}:bb"):
            take_one(graph.claims("article", worker))
        die(graph, clock)
    assert {one["lost_claims"] for one in rows(graph).values()} == {2}
    first, second = graph.claims("article", "host:9:aa"), graph.claims("article", "host:9:bb")
    suspect = take_one(first, 10)
    assert second.claim(10) == [] and second.held_back, "of one process only one works on a suspect"
    elsewhere = graph.claims("article", "host:10:aa")
    assert keys(elsewhere.claim(10)) == ["b"], "another process does not wait for it"
    first.complete(suspect)
    assert second.claim(10) == [] and not second.held_back


def test_a_suspect_waits_until_its_process_has_nothing_else_in_hand(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["suspect"])
    lose(graph, clock, "suspect", 2)
    graph.exclude("article", ["suspect"])
    graph.seed("article", ["a", "b"])
    first, second = graph.claims("article", "host:1:aa"), graph.claims("article", "host:1:bb")
    a = take_one(first)
    graph.execute("MATCH (a:Article {title: 'suspect'}) SET a.expansion_state = 'discovered'")
    assert second.claim(1) == [] and second.held_back, "a is in hand"
    first.complete(a)
    assert first.claim(1) == [] and first.held_back, "the other one waits for its turn"
    suspect = take_one(second)
    assert suspect.key == "suspect" and first.claim(1) == []
    second.complete(suspect)
    assert take_one(first).key == "b"


def test_a_heartbeat_keeps_others_out_and_a_silent_worker_does_not(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["suspect", "b"])
    lose(graph, clock, "suspect", 2)
    first, second = graph.claims("article", "host:1:aa"), graph.claims("article", "host:1:bb")
    suspect = take_one(first)
    for _ in range(3):
        clock.forward(200)
        first.heartbeat([suspect])
        assert second.claim(1) == []
    clock.forward(301)
    assert take_one(second).key == "b"


def test_the_guilty_row_is_found_and_the_others_are_done(graph: Graph, clock: ManualClock) -> None:
    """Two workers a process, batches of four, and one row that takes the process down each time."""
    titles = [f"row {number}" for number in range(12)]
    graph.seed("article", titles)
    for number in range(60):
        workers = [graph.claims("article", f"host:{number}:{name}") for name in ("aa", "bb")]
        batches = [(worker, worker.claim(4)) for worker in workers]
        if any(claim.key == "row 5" for _, batch in batches for claim in batch):
            die(graph, clock)
            continue
        if not any(batch for _, batch in batches):
            break
        for worker, batch in batches:
            worker.complete(batch)
    assert states(graph) == {title: "failed" if title == "row 5" else "processed" for title in titles}


def test_a_pipeline_with_a_queue_of_its_own_claims_suspects_alone_too(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b", "c"])
    lose(graph, clock, "a", 2)
    claims = graph.claims("article", "w")
    batches = []
    while batch := claims.claim_rows(graph.read("article.ready", now=clock.now_ms(), lease=0, limit=10)):
        batches.append(keys(batch))
        claims.complete(batch)
    assert batches == [["a"], ["b", "c"]]
