"""The daemon's workers: started when there is something to do, started anew when one dies, ended in time."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from graphvine.graph import Graph
from graphvine.outcomes import Done, Outcome
from graphvine.records import Claim
from graphvine.workers.pipeline import CannotWork, Context
from graphvine.workers.serve.settings import ServeSettings
from graphvine.workers.serve.supervisor import Supervisor
from tests.support.articles import states
from tests.support.waiting import WAIT_LIMIT, eventually

QUICK = ServeSettings(restart_seconds=0.01, restart_max_seconds=0.05)


class Practice:
    """Finishes what it gets; dies on the first `deaths` batches of all its kind."""

    def __init__(self, house: House) -> None:
        self._house = house

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        self._house.reached.set()
        if self._house.deaths > 0:
            self._house.deaths -= 1
            raise CannotWork("the model is broken")
        while self._house.hold and not context.stopping:
            threading.Event().wait(0.005)
        for claim in claims:
            if context.stopping and self._house.hold:
                return
            yield Done(claim)

    def close(self) -> None:
        self._house.closed += 1


class House:
    """Builds handlers and counts them."""

    def __init__(self, deaths: int = 0, hold: bool = False) -> None:
        self.deaths, self.hold, self.built, self.closed = deaths, hold, 0, 0
        self.reached = threading.Event()

    def build(self, graph: Graph, pipeline: str, count: int) -> list[Practice]:
        self.built += count
        return [Practice(self) for _ in range(count)]


def processed(graph: Graph) -> None:
    assert set(states(graph).values()) == {"processed"}


def test_nothing_is_loaded_before_there_is_something_to_do(graph: Graph) -> None:
    house = House()
    supervisor = Supervisor(graph, QUICK, {"article": 2}, house.build)
    supervisor.start()
    eventually(lambda: _waiting(supervisor))
    assert house.built == 0
    graph.seed("article", map(str, range(30)))
    eventually(lambda: processed(graph))
    assert house.built == 2
    assert supervisor.stop(WAIT_LIMIT)
    assert house.closed == 2
    assert {info.state for info in supervisor.infos()} == {"ended"}


def _waiting(supervisor: Supervisor) -> None:
    assert [info.state for info in supervisor.infos()] == ["waiting", "waiting"]


def test_a_worker_that_dies_is_started_anew_and_loses_nothing(graph: Graph) -> None:
    told: list[dict[str, Any]] = []
    graph.store.subscribe(lambda event, facts: told.append(facts) if event == "worker_restarted" else None)
    house = House(deaths=3)
    supervisor = Supervisor(graph, QUICK, {"article": 1}, house.build)
    graph.seed("article", map(str, range(30)))
    supervisor.start()
    eventually(lambda: processed(graph))
    (info,) = supervisor.infos()
    assert info.restarts == 3 and "the model is broken" in (info.last_error or "")
    assert [facts["pipeline"] for facts in told] == ["article"] * 3
    assert [facts["pause_seconds"] for facts in told] == [0.01, 0.02, 0.04], "each pause is twice the one before"
    retries = graph.query("MATCH (a:Article) RETURN max(a.retry_count)").rows
    assert retries == [[0]], "what it held was given back, with nothing held against it"
    assert supervisor.stop(WAIT_LIMIT)


def test_one_that_dies_while_it_is_built_is_tried_again(graph: Graph) -> None:
    house, tries = House(), 0

    def build(graph: Graph, pipeline: str, count: int) -> Any:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise OSError("the weights can't be read")
        return house.build(graph, pipeline, count)

    supervisor = Supervisor(graph, QUICK, {"article": 1}, build)
    graph.seed("article", ["a"])
    supervisor.start()
    eventually(lambda: processed(graph))
    assert supervisor.stop(WAIT_LIMIT) and tries == 3


def test_what_is_in_work_is_given_back_when_it_is_told_to_stop(graph: Graph) -> None:
    house = House(hold=True)
    supervisor = Supervisor(graph, QUICK, {"article": 1}, house.build)
    graph.seed("article", map(str, range(5)))
    supervisor.start()
    assert house.reached.wait(WAIT_LIMIT)
    assert supervisor.stop(WAIT_LIMIT)
    assert graph.query("MATCH (a:Article) RETURN DISTINCT a.expansion_state, a.lease").rows == [["discovered", 0]]


def test_a_service_that_dies_is_started_anew_too(graph: Graph) -> None:
    runs: list[int] = []
    over = threading.Event()

    def serve(graph: Graph, stop: threading.Event) -> None:
        runs.append(1)
        if len(runs) < 3:
            raise ValueError("it broke")
        over.set()
        assert stop.wait(WAIT_LIMIT)

    supervisor = Supervisor(graph, QUICK, {}, House().build, {"scrape_item": serve})
    supervisor.start()
    assert over.wait(WAIT_LIMIT)
    assert supervisor.stop(WAIT_LIMIT) and len(runs) == 3


@pytest.mark.parametrize("paused", [True, False])
def test_a_paused_pipeline_rests(graph: Graph, paused: bool) -> None:
    house = House()
    supervisor = Supervisor(graph, QUICK, {"article": 1}, house.build)
    if paused:
        graph.pause("article", "holidays")
    graph.seed("article", ["a"])
    supervisor.start()
    if paused:
        assert not house.reached.wait(0.7)
        graph.resume("article")
    assert house.reached.wait(WAIT_LIMIT)
    assert supervisor.stop(WAIT_LIMIT)
