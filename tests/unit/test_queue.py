"""The manager's own affairs: what it keeps by title, and how it waits. Its face is in tests/conformance."""

from __future__ import annotations

import pytest

from graphvine import WorkQueueManager
from graphvine.clock import ManualClock
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from tests.support.articles import states


class Sleepless(ManualClock):
    """Notes how long it was asked to sleep."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        super().sleep(seconds)


@pytest.fixture
def clock() -> Sleepless:
    return Sleepless()


def test_it_sleeps_in_short_naps_and_no_longer_than_needed(graph: Graph, clock: Sleepless) -> None:
    queue = WorkQueueManager(graph, "w")
    queue.initialize_seeds(["a"])
    queue.claim_work(1)
    queue.mark_failed("a", "busy")
    started = clock.now_ms()
    assert [article["title"] for article in queue.claim_work(1)] == ["a"]
    assert max(clock.slept) <= 1.0
    assert 2_500 <= clock.now_ms() - started <= 5_000


def test_it_does_not_wait_when_there_is_work(graph: Graph, clock: Sleepless) -> None:
    queue = WorkQueueManager(graph, "w")
    queue.initialize_seeds(["a", "b"])
    queue.claim_work(1)
    queue.mark_failed("a", "busy")
    assert [article["title"] for article in queue.claim_work(5)] == ["b"]
    assert clock.slept == []


def test_it_does_not_wait_for_what_another_worker_holds(graph: Graph, clock: Sleepless) -> None:
    queue = WorkQueueManager(graph, "w")
    queue.initialize_seeds(["a"])
    graph.claims("article", "other").claim(1)
    assert queue.claim_work(5) == [] and clock.slept == []


def test_claims_of_the_silent_are_taken_back_first(graph: Graph, clock: Sleepless) -> None:
    queue = WorkQueueManager(graph, "w")
    queue.initialize_seeds(["a"])
    graph.claims("article", "dead").claim(1)
    clock.forward(11)
    assert [article["title"] for article in queue.claim_work(5, timeout_seconds=10)] == ["a"]


def test_a_finished_title_is_forgotten(graph: Graph) -> None:
    queue = WorkQueueManager(graph, "w")
    queue.initialize_seeds(["a"])
    queue.claim_work(1)
    queue.advance_state("a", "loaded")
    with pytest.raises(ClaimLost):
        queue.update_heartbeat("a")
    with pytest.raises(ClaimLost):
        queue.advance_state("a", "loaded")


def test_two_managers_do_not_share_claims(graph: Graph) -> None:
    one, two = WorkQueueManager(graph, "one"), WorkQueueManager(graph, "two")
    one.initialize_seeds(["a"])
    one.claim_work(1)
    with pytest.raises(ClaimLost):
        two.advance_state("a", "loaded")
    two.mark_failed("a", "not mine")
    assert states(graph) == {"a": "claimed"}


def test_batch_size_limits_a_claim(graph: Graph) -> None:
    queue = WorkQueueManager(graph, "w")
    queue.initialize_seeds(map(str, range(25)))
    assert len(queue.claim_work()) == 10
    assert len(queue.claim_work(batch_size=3)) == 3
