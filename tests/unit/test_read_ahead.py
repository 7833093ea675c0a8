"""Rows that are claimed ahead of a quick handler are worked on once, settled soon, and never kept from others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from graphvine.graph import Graph
from graphvine.outcomes import Done, GiveUp, Outcome
from graphvine.records import Claim, Step
from graphvine.workers import read_ahead
from graphvine.workers.counts import Allowance, Counts
from graphvine.workers.loop import Loop
from graphvine.workers.pipeline import CannotWork, Context
from graphvine.workers.worker_pool import WorkerPool
from tests.support.articles import states

ROWS = [f"row {number:03}" for number in range(200)]
PATIENCE_SECONDS = 120


class Handler:
    """Quick, after a look at the row."""

    def __init__(self, look: Callable[[Claim], object] = lambda claim: None) -> None:
        self.seen: list[str] = []
        self.sizes: set[int] = set()
        self._look = look

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        self.sizes.add(len(claims))
        for claim in claims:
            self.seen.append(claim.key)
            answer = self._look(claim)
            yield answer if isinstance(answer, Done | GiveUp) else Done(claim)

    def close(self) -> None:
        """Holds nothing."""


class Watch:
    """Waits until the store's rows are as wanted, looking after every write."""

    def __init__(self, graph: Graph) -> None:
        self._graph, self._written = graph, threading.Semaphore(0)
        graph.store.subscribe(lambda event, facts: self._written.release() if event == "write" else None)

    def until(self, wanted: Callable[[dict[str, str]], bool]) -> bool:
        while not wanted(states(self._graph)):
            if not self._written.acquire(timeout=PATIENCE_SECONDS):
                return False
        return True


def count(found: dict[str, str], state: str) -> int:
    return list(found.values()).count(state)


@pytest.fixture(autouse=True)
def _however_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler counts as quick on a machine that has no time for it, too."""
    monkeypatch.setattr("graphvine.workers.loop.QUICK_SECONDS", 1e9)
    monkeypatch.setattr(read_ahead, "QUICK_SECONDS", 1e9)
    monkeypatch.setattr(read_ahead, "_AHEAD_SECONDS", 1e9)


@pytest.mark.parametrize("batch", [1, 7])
def test_every_row_is_worked_on_once_in_order_by_a_handler_that_gets_no_more_than_a_batch(
    graph: Graph, batch: int
) -> None:
    graph.seed("article", ROWS)
    handler = Handler()
    assert Loop(graph, "article", handler, batch=batch).run(until_empty=True) == Counts(claimed=200, done=200)
    assert handler.seen == ROWS and max(handler.sizes) == batch
    assert set(states(graph).values()) == {"processed"}


@pytest.mark.parametrize("pool", [False, True])
def test_a_handler_that_gets_slow_empties_the_queue_all_the_same(
    graph: Graph, monkeypatch: pytest.MonkeyPatch, pool: bool
) -> None:
    # Too slow to be given anything ahead from the first row on, and for a second batch in one turn.
    monkeypatch.setattr(read_ahead, "QUICK_SECONDS", -1.0)
    monkeypatch.setattr("graphvine.workers.loop._GATHER_SECONDS", 0.0)
    graph.seed("article", ROWS)
    loop = Loop(graph, "article", Handler(), batch=7)
    counts = WorkerPool(graph, "article", [loop], loop.stop).run() if pool else loop.run(until_empty=True)
    assert counts == Counts(claimed=200, done=200)
    assert set(states(graph).values()) == {"processed"}


def test_rows_share_transactions(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """With answers that wait for each other however long, what is settled together grows to what is held."""
    monkeypatch.setattr(read_ahead, "_GATHER_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(read_ahead, "_LONG_SECONDS", 1e9)
    graph.seed("article", ROWS)
    units: list[int] = []
    graph.store.subscribe(lambda event, facts: units.append(facts["held"]) if event == "write" else None)
    assert Loop(graph, "article", Handler(), batch=1).run(until_empty=True).done == 200
    assert max(units) >= 64 and len(units) < 20


def test_what_was_answered_is_settled_while_the_handler_is_busy_with_the_next(graph: Graph) -> None:
    graph.seed("article", ROWS[:9])
    watch = Watch(graph)

    def look(claim: Claim) -> None:
        if claim.key == "row 005":
            assert watch.until(lambda found: count(found, "processed") == 5)

    assert Loop(graph, "article", Handler(look), batch=1).run(until_empty=True) == Counts(claimed=9, done=9)


def test_a_handler_that_takes_long_keeps_no_row_from_others(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "_STUCK_SECONDS", 0.05)
    graph.seed("article", ROWS)
    watch, allowance = Watch(graph), Allowance(150)
    held: list[int] = []

    def look(claim: Claim) -> None:
        if claim.key == "row 100":
            held.append(count(states(graph), "claimed"))
            assert watch.until(lambda found: count(found, "claimed") == 1)
            assert graph.claims("article", "another").claim(1), "what was given back can be claimed"

    counts = Loop(graph, "article", Handler(look), batch=1, allowance=allowance).run(until_empty=True)
    assert held[0] > 1, "rows were held ahead"
    assert counts == Counts(claimed=150, done=150) and allowance.spent


def test_who_is_to_stop_settles_what_is_done_and_gives_the_rest_back(graph: Graph) -> None:
    graph.seed("article", ROWS)
    stop = threading.Event()
    handler = Handler(lambda claim: claim.key == "row 099" and stop.set())
    assert Loop(graph, "article", handler, batch=1, stop=stop).run() == Counts(claimed=100, done=100)
    found = states(graph)
    assert (count(found, "processed"), count(found, "discovered")) == (100, 100)


@pytest.mark.parametrize("problem", [CannotWork("no model"), KeyboardInterrupt()])
def test_who_ends_by_an_error_does_so_too(graph: Graph, problem: BaseException) -> None:
    graph.seed("article", ROWS)

    def look(claim: Claim) -> None:
        if claim.key == "row 100":
            raise problem

    with pytest.raises(type(problem)):
        Loop(graph, "article", Handler(look), batch=1).run()
    found = states(graph)
    assert (count(found, "processed"), count(found, "discovered")) == (100, 100)


def test_a_row_whose_results_the_store_refuses_fails_alone(graph: Graph) -> None:
    graph.seed("article", ROWS)
    wrong = Step("article.finish_one", {"key": "row 100", "seq": "no number", "token": 1, "at": None})

    def look(claim: Claim) -> object:
        return Done(claim, [wrong]) if claim.key == "row 100" else None

    stop = threading.Event()
    graph.store.subscribe(lambda event, facts: stop.set() if event == "batch" and _all_done(graph) else None)
    counts = Loop(graph, "article", Handler(look), batch=1, stop=stop).run()
    assert (counts.done, counts.retried) == (199, 1)


def _all_done(graph: Graph) -> bool:
    return count(states(graph), "processed") == 199


def test_a_handler_that_raises_costs_its_own_row_alone(graph: Graph) -> None:
    graph.seed("article", ROWS)

    def look(claim: Claim) -> object:
        if claim.key == "row 100":
            raise ValueError("this page is odd")
        return GiveUp(claim, "there is no page") if claim.key == "row 101" else None

    stop = threading.Event()
    graph.store.subscribe(lambda event, facts: stop.set() if event == "batch" and _at_rest(graph) else None)
    counts = Loop(graph, "article", Handler(look), batch=5, stop=stop).run()
    assert (counts.done, counts.retried, counts.failed) == (198, 1, 1)


def _at_rest(graph: Graph) -> bool:
    found = states(graph)
    return count(found, "processed") == 198 and count(found, "failed") == 1


def test_workers_of_a_process_share_the_rows_and_the_allowance(graph: Graph) -> None:
    graph.seed("article", ROWS)
    stop, allowance = threading.Event(), Allowance(190)
    handlers = [Handler() for _ in range(8)]
    loops = [Loop(graph, "article", handler, batch=1, stop=stop, allowance=allowance) for handler in handlers]
    assert WorkerPool(graph, "article", loops, stop).run().done == 190
    assert sorted(key for handler in handlers for key in handler.seen) == ROWS[:190]
    assert count(states(graph), "discovered") == 10


def test_a_lost_claim_is_counted_and_the_rest_goes_on(graph: Graph) -> None:
    graph.seed("article", ROWS)
    taken: list[str] = []

    def look(claim: Claim) -> None:
        if claim.key == "row 100" and not taken:
            taken.append(claim.key)
            graph.claims("article", "other").release([claim])

    counts = Loop(graph, "article", Handler(look), batch=1).run(until_empty=True)
    assert (counts.done, counts.lost) == (200, 1)
    assert set(states(graph).values()) == {"processed"}
