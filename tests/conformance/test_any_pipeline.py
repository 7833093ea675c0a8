"""What holds for every pipeline, whoever wrote it: those of the package, and those that are installed beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from graphvine.claims import Claims
from graphvine.clock import ManualClock
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.pipelines import library, tables
from graphvine.records import Claim

LIBRARY = library("kuzu", "")
PIPELINES = list(LIBRARY.machines)
TIMEOUT_SECONDS, LONG_SECONDS = 300, 7200


@pytest.fixture(params=PIPELINES)
def pipeline(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def three(graph: Graph, pipeline: str) -> Iterator[list[str]]:
    """The keys of three rows that wait. Whatever the test does, nothing is out of line in the end."""
    machine = LIBRARY.machines[pipeline]
    number = tables(LIBRARY)[machine.label].columns[machine.key].startswith("INT")
    keys = ["11", "12", "13"] if number else ["https://a.example/1", "https://a.example/2", "https://a.example/3"]
    assert graph.seed(pipeline, keys) == 3 and graph.seed(pipeline, keys) == 0
    yield keys
    assert [finding for finding in graph.doctor() if not finding.ok] == []
    status = next(one for one in graph.status() if one.pipeline == pipeline)
    assert sum(status.states.values()) == status.total == 3


def look(graph: Graph, pipeline: str, key: str) -> dict[str, Any]:
    (row,) = graph.read(f"{pipeline}.named", keys=[key])
    return row


def one(claims: Claims) -> Claim:
    (claim,) = claims.claim(1)
    return claim


def test_a_row_is_claimed_by_one_worker(graph: Graph, pipeline: str, three: list[str]) -> None:
    first, second = graph.claims(pipeline, "first"), graph.claims(pipeline, "second")
    taken = [*first.claim(2), *second.claim(5)]
    assert [claim.key for claim in taken] == three
    assert first.claim(1) == [] == second.claim(1)
    assert next(one for one in graph.status() if one.pipeline == pipeline).claimed == 3


def test_what_is_given_back_is_free_at_once_and_none_the_worse(graph: Graph, pipeline: str, three: list[str]) -> None:
    claims = graph.claims(pipeline, "a worker")
    claims.release(claims.claim(3))
    again = claims.claim(3)
    assert sorted(claim.key for claim in again) == three
    assert {(claim.retry_count, claim.lost_claims, claim.failure_count) for claim in again} == {(0, 0, 0)}


def test_what_was_prioritised_comes_first_once(graph: Graph, pipeline: str, three: list[str]) -> None:
    claims = graph.claims(pipeline, "a worker")
    claims.release(claims.claim(3))
    assert graph.prioritise(pipeline, three[1:]) == 2 and graph.prioritise(pipeline, three[1:]) == 0
    taken = claims.claim(2)
    assert [claim.key for claim in taken] == three[1:]
    claims.release(taken)
    assert graph.prioritise(pipeline, [three[2]]) == 1
    claims.release(
        claims.claim_keys([three[2]]) if "retry_count" in look(graph, pipeline, three[2]) else claims.claim(1)
    )
    assert [claim.key for claim in claims.claim(3)] == three, "whoever claimed it, it held for one claim"


def test_what_failed_waits_and_is_tried_again_until_it_has_failed_for_good(
    graph: Graph, clock: ManualClock, pipeline: str, three: list[str]
) -> None:
    claims = graph.claims(pipeline, "a worker")
    for attempt in range(graph.settings.max_retries):
        (claim,) = [claim for claim in claims.claim(3) if claim.key == three[0] or claims.release([claim])]
        assert claim.retry_count == attempt
        claims.fail(claim, f"away {attempt}", trace="where")
        assert three[0] not in [claim.key for claim in claims.claim(3) if claims.release([claim]) is None]
        clock.forward(LONG_SECONDS)
    (failed,) = graph.failed(pipeline)
    assert (failed.key, failed.reason) == (three[0], f"away {graph.settings.max_retries - 1}")
    assert [row["message"] for row in graph.read(f"{pipeline}.failures", key=three[0])] == [
        "away 2",
        "away 1",
        "away 0",
    ]
    assert graph.requeue(pipeline, keys=[three[0]]) == 1 and graph.failed(pipeline) == []
    assert three[0] in [claim.key for claim in claims.claim(3) if claim.retry_count == 0]


def test_what_can_t_be_mended_fails_at_once(graph: Graph, pipeline: str, three: list[str]) -> None:
    claims = graph.claims(pipeline, "a worker")
    claims.fail(one(claims), "gone", permanent=True)
    assert [row.reason for row in graph.failed(pipeline)] == ["gone"]
    assert len(claims.claim(9)) == 2


@pytest.mark.parametrize("act", ["heartbeat", "release", "fail"])
def test_who_lost_a_claim_writes_nothing(
    graph: Graph, clock: ManualClock, pipeline: str, three: list[str], act: str
) -> None:
    slow, quick = graph.claims(pipeline, "slow"), graph.claims(pipeline, "quick")
    claim = one(slow)
    clock.forward(TIMEOUT_SECONDS + 1)
    assert graph.reap(pipeline).reclaimed == 1
    (again,) = [other for other in quick.claim(3) if other.key == claim.key]
    before = look(graph, pipeline, claim.key)
    acts = {
        "heartbeat": lambda: slow.heartbeat([claim]),
        "release": lambda: slow.release([claim]),
        "fail": lambda: slow.fail(claim, "too late"),
    }
    with pytest.raises(ClaimLost):
        acts[act]()
    assert look(graph, pipeline, claim.key) == before and again.lost_claims == 1
    quick.heartbeat([again])


def test_a_heartbeat_keeps_a_claim(graph: Graph, clock: ManualClock, pipeline: str, three: list[str]) -> None:
    claims = graph.claims(pipeline, "a worker")
    claim = one(claims)
    clock.forward(TIMEOUT_SECONDS - 1)
    claims.heartbeat([claim])
    clock.forward(TIMEOUT_SECONDS - 1)
    assert graph.reap(pipeline).reclaimed == 0
    claims.release([claim])


def test_a_row_that_takes_its_workers_down_fails_in_the_end(
    graph: Graph, clock: ManualClock, pipeline: str, three: list[str]
) -> None:
    graph.exclude(pipeline, three[1:])
    claims = graph.claims(pipeline, "a worker")
    for _ in range(graph.settings.max_lost_claims):
        assert one(claims).key == three[0]
        clock.forward(TIMEOUT_SECONDS + 1)
        graph.reap(pipeline)
        clock.forward(graph.settings.backoff_max_seconds)
    assert three[0] in [row.key for row in graph.failed(pipeline)] and claims.claim(1) == []


def test_nothing_is_claimed_while_it_is_paused(graph: Graph, pipeline: str, three: list[str]) -> None:
    graph.pause(pipeline, "frost")
    assert graph.claims(pipeline, "a worker").claim(3) == []
    graph.resume(pipeline)
    assert len(graph.claims(pipeline, "a worker").claim(3)) == 3


def test_what_is_excluded_is_never_claimed(graph: Graph, pipeline: str, three: list[str]) -> None:
    assert graph.exclude(pipeline, three[:1]) == 1
    assert [claim.key for claim in graph.claims(pipeline, "a worker").claim(3)] == three[1:]


def test_a_state_set_by_hand_is_what_counts(graph: Graph, pipeline: str, three: list[str]) -> None:
    machine = LIBRARY.machines[pipeline]
    resting = next(state.name for state in machine.states if state.final)
    for state in (resting, machine.initial.name):
        graph.execute(f"MATCH (n:{machine.label}) SET n.{machine.column} = '{state}'")
        claimed = graph.claims(pipeline, "a worker").claim(9)
        assert len(claimed) == (0 if state == resting else 3)
