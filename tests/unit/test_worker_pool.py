"""Several loops in one process: none goes home while another may still discover something."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import pytest

from graphvine.graph import Graph
from graphvine.outcomes import Done, GiveUp, Outcome
from graphvine.records import Claim, Step
from graphvine.workers.counts import Allowance
from graphvine.workers.loop import Loop
from graphvine.workers.pipeline import CannotWork, Context
from graphvine.workers.worker_pool import WorkerPool
from tests.support.articles import linking, row, states
from tests.support.waiting import WAIT_LIMIT

LENGTH = 25


class Chain:
    """Every article links to one other, which nobody knew before: there is never more than one thing to do."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        for claim in claims:
            following = [f"link {claim.depth + 1}"] if claim.depth + 1 < LENGTH else []
            yield Done(claim, linking(self._graph, claim, following))

    def close(self) -> None:
        """Holds nothing."""


class Broken(Chain):
    """Something is missing that every article needs."""

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        yield from super().handle(claims[:1], context)
        raise CannotWork("the model is not there")


class Withdrawing(Chain):
    """Gives up, and takes back what was written before."""

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        for claim in claims:
            rows = [{"claim": claim.seq, "article": claim.key}]
            yield GiveUp(claim, "it vanished", steps=[Step("article.retire_edges", {"rows": rows, "at_ms": 7})])


def pool(graph: Graph, handler: Chain, loops: int, allowance: Allowance | None = None) -> WorkerPool:
    stop = threading.Event()
    made = [Loop(graph, "article", handler, batch=4, stop=stop, allowance=allowance) for _ in range(loops)]
    return WorkerPool(graph, "article", made, stop)


class Alone(Chain):
    """Sees to it that a suspect is the only row in hand."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.in_hand: set[str] = set()
        self.met: list[set[str]] = []
        self._lock = threading.Lock()

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        with self._lock:
            self.in_hand |= {claim.key for claim in claims}
            self.met.append(set(self.in_hand))
        for claim in claims:
            with self._lock:
                self.in_hand.discard(claim.key)
            yield Done(claim)


def test_a_crew_works_on_suspects_one_at_a_time_and_on_all_of_them(graph: Graph) -> None:
    titles = [f"row {number}" for number in range(30)]
    suspects = set(titles[::3])
    graph.seed("article", titles)
    for title in suspects:
        graph.execute(f"MATCH (a:Article {{title: '{title}'}}) SET a.lost_claims = 2")
    handler = Alone(graph)
    assert pool(graph, handler, 3).run().done == len(titles)
    assert set(states(graph).values()) == {"processed"}
    assert all(len(met) == 1 for met in handler.met if met & suspects), "nothing beside a suspect"


def test_a_crew_stays_until_the_last_has_discovered_nothing_more(graph: Graph) -> None:
    graph.seed("article", ["link 0"])
    total = pool(graph, Chain(graph), loops=4).run()
    assert total.done == LENGTH
    assert set(states(graph).values()) == {"processed"}


def test_an_allowance_is_shared_and_not_waited_beyond(graph: Graph) -> None:
    graph.seed("article", ["link 0", "backs off"])
    claims = graph.claims("article")
    both = claims.claim(2)
    claims.release([claim for claim in both if claim.key == "link 0"])
    claims.fail(next(claim for claim in both if claim.key == "backs off"), "busy", retry_after_seconds=3600)
    assert pool(graph, Chain(graph), 3, Allowance(5)).run().claimed == 5


def test_who_can_not_work_at_all_gives_everything_back_and_says_why(graph: Graph) -> None:
    graph.seed("article", [f"row {number}" for number in range(8)])
    with pytest.raises(CannotWork, match="the model is not there"):
        pool(graph, Broken(graph), 2).run()
    left = [title for title, state in states(graph).items() if state != "processed" and title.startswith("row")]
    assert len(left) >= 6
    for title in left:
        assert row(graph, title)["expansion_state"] == "discovered" and row(graph, title)["retry_count"] == 0


def test_giving_up_takes_back_what_was_written_in_the_same_move(graph: Graph) -> None:
    graph.seed("article", ["link 0", "link 1"])
    graph.execute("MATCH (a:Article {title: 'link 0'}), (b:Article {title: 'link 1'}) CREATE (a)-[:LINKS_TO]->(b)")
    pool(graph, Withdrawing(graph), 1).run()
    assert graph.query("MATCH ()-[l:LINKS_TO]->() RETURN l.gone").rows == [[7]]
    assert row(graph, "link 0")["expansion_state"] == "failed"


def test_who_found_nothing_looks_again_when_another_has_finished_since(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One finds nothing; before it can tell, the other finishes the batch in which the next row was discovered."""
    finished, window = threading.Event(), graph.store.ready_cache("article")
    real = window.next_due

    def late(now: int) -> int | None:
        assert finished.wait(WAIT_LIMIT)
        return real(now)

    def between_two_batches(counts: object) -> None:
        finished.set()
        idle.wait(0.2)

    idle = threading.Event()
    monkeypatch.setattr(window, "next_due", late)
    graph.seed("article", ["link 0"])
    assert pool(graph, Chain(graph), loops=2).run(between_two_batches).done == LENGTH
