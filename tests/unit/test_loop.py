"""The loop settles what is done and claims what comes next in one transaction, and leaves nothing behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from graphvine.outcomes import Done, Outcome
from graphvine.records import Claim, Step
from graphvine.workers.counts import Allowance, Counts
from graphvine.workers.loop import Loop
from graphvine.workers.pipeline import CannotWork, Context
from graphvine.workers.worker_pool import WorkerPool
from tests.support.articles import linking, states
from tests.support.stores import Place

ROWS = [f"row {number}" for number in range(6)]


@pytest.fixture
def graph(place: Place, clock: ManualClock) -> Iterator[Graph]:
    """Nothing is claimed ahead of a quick handler: that is for test_read_ahead.py."""
    with place.open(clock, read_ahead_rows=0) as opened:
        yield opened


class Handler:
    """Answers for each claim, after a look at it."""

    def __init__(self, look: Callable[[Claim], object] = lambda claim: None) -> None:
        self.seen: list[str] = []
        self._look = look

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        for claim in claims:
            self.seen.append(claim.key)
            self._look(claim)
            yield Done(claim, self.results(claim))

    def results(self, claim: Claim) -> list[Step]:
        return []

    def close(self) -> None:
        """Holds nothing."""


class Branching(Handler):
    """The first row leads to one that lies nearer than the others."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self._graph = graph

    def results(self, claim: Claim) -> list[Step]:
        return linking(self._graph, claim, ["nearer"]) if claim.key == "row 0" else []


def writes(graph: Graph) -> list[list[str]]:
    """The blocks of each unit that is written from now on."""
    written: list[list[str]] = []

    def on_event(event: str, facts: dict[str, Any]) -> None:
        if event == "write":
            written.append([name.removeprefix("article.").removesuffix("_one") for name in facts["blocks"]])

    graph.store.subscribe(on_event)
    return written


def test_each_settlement_claims_the_next_row(graph: Graph) -> None:
    graph.seed("article", ROWS)
    written, handler = writes(graph), Handler()
    assert Loop(graph, "article", handler, batch=1).run(until_empty=True) == Counts(claimed=6, done=6)
    assert written == [["claim"], *[["finish", "claim"]] * 5, ["finish"]]
    assert handler.seen == ROWS and set(states(graph).values()) == {"processed"}


def test_batches_too(graph: Graph) -> None:
    graph.seed("article", ROWS)
    written = writes(graph)
    assert Loop(graph, "article", Handler(), batch=4).run(until_empty=True).done == 6
    assert written == [["claim"], ["finish", "claim"], ["finish"]]


def test_once_claims_nothing_beyond_its_batch(graph: Graph) -> None:
    graph.seed("article", ROWS)
    assert Loop(graph, "article", Handler(), batch=2).run(once=True) == Counts(claimed=2, done=2)
    assert list(states(graph).values()).count("discovered") == 4


def test_who_is_to_stop_only_settles(graph: Graph) -> None:
    graph.seed("article", ROWS)
    stop = threading.Event()
    loop = Loop(graph, "article", Handler(lambda claim: claim.key == "row 2" and stop.set()), batch=1, stop=stop)
    written = writes(graph)
    assert loop.run() == Counts(claimed=3, done=3)
    assert written[-1] == ["finish"] and list(states(graph).values()).count("discovered") == 3


def test_who_stops_between_two_turns_gives_back_what_it_has_claimed(graph: Graph) -> None:
    graph.seed("article", ROWS)
    loop = Loop(graph, "article", Handler(), batch=2, allowance=Allowance(4))
    assert loop.turn() == Counts(claimed=2, done=2) and loop.holding and loop.spent
    loop.leave()
    assert not loop.holding and not loop.spent, "what was not begun may be claimed by another"
    assert sorted(states(graph).values()) == ["discovered"] * 4 + ["processed"] * 2


def test_nothing_more_is_claimed_once_the_pipeline_is_paused(graph: Graph) -> None:
    graph.seed("article", ROWS)
    stop = threading.Event()

    def look(claim: Claim) -> None:
        if claim.key == "row 1":
            graph.pause("article")

    loop = Loop(graph, "article", Handler(look), batch=1, stop=stop)
    assert loop.turn().done == 1 and loop.turn().done == 1
    assert not loop.holding and loop.turn() == Counts()
    assert list(states(graph).values()).count("discovered") == 4


def test_an_allowance_holds_to_the_row(graph: Graph) -> None:
    graph.seed("article", ROWS)
    allowance = Allowance(5)
    assert Loop(graph, "article", Handler(), batch=2, allowance=allowance).run(until_empty=True).claimed == 5
    assert allowance.spent and list(states(graph).values()).count("discovered") == 1


def test_what_is_discovered_comes_before_what_lies_deeper(graph: Graph) -> None:
    graph.seed("article", ROWS)
    graph.execute("MATCH (a:Article) WHERE a.title <> 'row 0' SET a.expansion_depth = 5")
    graph.store.forget()
    handler = Branching(graph)
    Loop(graph, "article", handler, batch=1).run(until_empty=True)
    assert handler.seen == ["row 0", "nearer", *ROWS[1:]]


def test_rows_beyond_the_depth_are_left(graph: Graph) -> None:
    graph.seed("article", ROWS)
    graph.execute("MATCH (a:Article) WHERE a.title > 'row 2' SET a.expansion_depth = 5")
    graph.store.forget()
    assert Loop(graph, "article", Handler(), batch=1, max_depth=4).run(until_empty=True).done == 3


def test_who_can_not_work_gives_back_what_it_has_claimed_ahead(graph: Graph) -> None:
    graph.seed("article", ROWS)

    def look(claim: Claim) -> None:
        if claim.key == "row 1":
            raise CannotWork("the model is not there")

    with pytest.raises(CannotWork):
        Loop(graph, "article", Handler(look), batch=1).run()
    assert list(states(graph).values()).count("discovered") == 5


def test_a_claim_that_was_lost_meanwhile_does_not_keep_the_next_from_being_claimed(graph: Graph) -> None:
    graph.seed("article", ROWS)

    def look(claim: Claim) -> None:
        if claim.key == "row 1" and not taken:
            taken.append(claim.key)
            graph.claims("article", "other").release([claim])

    taken: list[str] = []
    handler = Handler(look)
    counts = Loop(graph, "article", handler, batch=1).run(until_empty=True)
    assert (counts.done, counts.lost) == (6, 1)
    assert set(states(graph).values()) == {"processed"}


def test_a_pool_does_not_end_while_one_of_it_has_claims_ahead(graph: Graph) -> None:
    titles = [f"row {number}" for number in range(60)]
    graph.seed("article", titles)
    stop = threading.Event()
    loops = [Loop(graph, "article", Handler(), batch=1, stop=stop) for _ in range(6)]
    assert WorkerPool(graph, "article", loops, stop).run().done == 60
    assert set(states(graph).values()) == {"processed"}
