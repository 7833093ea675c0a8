"""Many at once: nobody gets what another has, nothing is lost, readers and checkpoints do not harm each other."""

from __future__ import annotations

import threading
from collections import Counter
from functools import partial

import pytest

from graphvine.clock import ManualClock
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.records import Claim
from tests.support.articles import keys, linking, links, rows, states, take_one
from tests.support.stores import Place
from tests.support.threads import together

THREADS = 8


def drain(graph: Graph, worker: str, batch: int, *, complete: bool = True) -> list[Claim]:
    """Claim until nothing is left."""
    claims = graph.claims("article", worker)
    taken: list[Claim] = []
    while got := claims.claim(batch):
        taken += got
        if complete:
            claims.complete(got)
    return taken


@pytest.mark.long("claims twenty thousand rows")
def test_eight_threads_claim_twenty_thousand_rows_once_each(graph: Graph) -> None:
    graph.seed("article", (f"{number:05}" for number in range(20_000)))
    taken = together([partial(drain, graph, f"w{n}", 200, complete=False) for n in range(THREADS)])
    counts = Counter(claim.key for batch in taken for claim in batch)
    assert len(counts) == 20_000, "some were never claimed"
    assert max(counts.values()) == 1, "some were claimed twice"
    found = graph.query("MATCH (a:Article) RETURN a.title, a.claimed_by, a.lease", max_rows=20_000).rows
    held = {claim.key: (f"w{n}", claim.token) for n, batch in enumerate(taken) for claim in batch}
    assert {title: (worker, lease) for title, worker, lease in found} == held


def test_threads_that_finish_and_discover_lose_nothing(graph: Graph) -> None:
    graph.seed("article", (f"root {number}" for number in range(40)))

    def work(worker: str) -> int:
        claims = graph.claims("article", worker)
        done = 0
        while got := claims.claim(5, max_depth=1):
            for claim in got:
                found = [f"{claim.key}.{n}" for n in range(3)] + ["shared"] if claim.depth == 0 else []
                claims.complete(claim, linking(graph, claim, found))
            done += len(got)
        return done

    together([partial(work, f"w{n}") for n in range(THREADS)])
    drain(graph, "the last", 100)  # a thread may have seen an empty queue while another held the rest
    found = states(graph)
    assert set(found.values()) == {"processed"} and len(found) == 40 + 120 + 1
    assert len(links(graph)) == 160
    numbers = [row["seq"] for row in rows(graph).values()]
    assert len(set(numbers)) == len(numbers)


def test_two_that_race_for_one_row(graph: Graph) -> None:
    for number in range(20):
        graph.seed("article", [f"{number}"])
        taken = together([partial(graph.claims("article", f"w{n}").claim, 1) for n in range(2)])
        assert sorted(map(len, taken)) == [0, 1]


def test_a_worker_and_the_reaper_race_for_one_claim(graph: Graph, clock: ManualClock) -> None:
    outcomes = set()
    for number in range(20):
        graph.seed("article", [f"{number}"])
        claims = graph.claims("article", "w")
        claim = take_one(claims)
        clock.forward(301)

        def complete(claim: Claim = claim, number: int = number) -> str:
            try:
                graph.claims("article", "w").complete(claim, linking(graph, claim, [f"result {number}"]))
            except ClaimLost:
                return "lost"
            return "done"

        done, reaped = together([complete, lambda: str(graph.reap("article").reclaimed)])
        assert (done, reaped) in {("done", "0"), ("lost", "1")}
        found = states(graph)
        assert (found[str(number)], f"result {number}" in found) == (
            ("processed", True) if done == "done" else ("discovered", False)
        )
        outcomes.add(done)
        graph.exclude("article", [title for title, state in found.items() if state == "discovered"])


def test_heartbeats_of_many_workers_do_not_disturb_each_other(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", map(str, range(80)))

    def work(worker: str) -> int:
        claims = graph.claims("article", worker)
        held = claims.claim(10)
        for _ in range(5):
            claims.heartbeat(held)
        claims.complete(held)
        return len(held)

    assert sum(together([partial(work, f"w{n}") for n in range(THREADS)])) == 80
    assert set(states(graph).values()) == {"processed"}


def test_readers_see_whole_transactions_only(graph: Graph) -> None:
    """Each unit writes two rows: an odd count would be half of one."""
    stop = threading.Event()

    def write() -> int:
        for number in range(60):
            graph.seed("article", [f"{number} a", f"{number} b"])
        stop.set()
        return 0

    def read() -> int:
        seen = 0
        while not stop.is_set():
            (count,) = graph.query("MATCH (a:Article) RETURN count(*)").rows[0]
            assert count % 2 == 0 and count >= seen
            seen = count
        return seen

    together([write, read, read])


@pytest.mark.long("reads and writes through many checkpoints")
@pytest.mark.parametrize("wait", [True, False])
def test_readers_and_writers_go_on_through_checkpoints(graph: Graph, wait: bool) -> None:
    checkpoint = getattr(graph.engine, "checkpoint", None)
    if checkpoint is None:
        assert not graph.engine.capabilities.file_backup, "an engine with files of its own has checkpoints"
        return
    graph.seed("article", map(str, range(300)))
    stop = threading.Event()

    def write() -> int:
        done = len(drain(graph, "w", 10))
        stop.set()
        return done

    def read() -> int:
        looks = 0
        while not stop.is_set():
            assert sum(row["count"] for row in graph.read("article.counts")) == 300
            looks += 1
        return looks

    def fold() -> int:
        folds = 0
        while not stop.is_set():
            folds += bool(checkpoint(wait=wait))
        return folds

    done, looks, folds = together([write, read, fold])
    assert done == 300 and looks and folds
    assert set(states(graph).values()) == {"processed"}


def test_a_graph_reopened_by_a_failing_unit_keeps_serving_readers(graph: Graph) -> None:
    from graphvine.errors import UnitFailed
    from graphvine.records import Unit
    from tests.conformance.test_units import failing

    graph.seed("article", map(str, range(50)))
    stop = threading.Event()

    def break_it() -> int:
        for _ in range(5):
            with pytest.raises(UnitFailed):
                graph.run(Unit.of([failing(graph)]))
        stop.set()
        return 5

    def read() -> int:
        looks = 0
        while not stop.is_set():
            assert graph.query("MATCH (a:Article) RETURN count(*)").rows == [[50]]
            looks += 1
        return looks

    assert together([break_it, read, read])[0] == 5


def test_one_process_opens_a_graph_once(graph: Graph, place: Place) -> None:
    from graphvine.errors import StoreBusy

    if not graph.engine.capabilities.single_owner:
        place.open().close()
        return
    with pytest.raises(StoreBusy, match="this process already"):
        place.open()
    graph.seed("article", ["a"])
    assert keys(graph.claims("article", "w").claim(1)) == ["a"]
