"""A guard can't be overtaken: whoever comes second waits for the first, and then sees what the first has done.

The server reads what is committed and locks a row when it is written. Without the lock in front, the second would check
the row as it was, wait, and write over what the first wrote; each of these tests fails then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from graphvine.clock import ManualClock
from graphvine.engines.neo4j.engine import Neo4jEngine
from graphvine.engines.neo4j.steps import ported
from graphvine.graph import Graph
from graphvine.queries import Block
from graphvine.queries.compile import Statement
from graphvine.queries.compile_neo4j import needs_lock
from graphvine.records import Claim, Step, Unit, UnitResult
from tests.machines.bench import Bench, Stand
from tests.support import servers
from tests.support.articles import linking, row, states, take_one
from tests.support.parameters import NOW, Builder
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT, eventually

MACHINES = ported().machines
GUARDED = [
    pytest.param(pipeline, block, id=block.full_name)
    for pipeline, machine in MACHINES.items()
    for block in ported().entities[machine.entity].blocks.values()
    if needs_lock(block) and block.moves and None not in block.moves[0].sources
]


@pytest.fixture(scope="module")
def graph(template: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    with template.copy_to(tmp_path_factory.mktemp("races") / "store").open(ManualClock(NOW)) as opened:
        yield opened


@pytest.fixture(scope="module")
def benches(graph: Graph) -> dict[str, Bench]:
    return {pipeline: Bench(graph, machine) for pipeline, machine in MACHINES.items()}


@contextmanager
def somebody_else(statement: str, **parameters: Any) -> Iterator[Any]:
    """Another process has written this, and not committed it yet."""
    with servers.session(servers.address()) as asking, asking.begin_transaction() as transaction:
        transaction.run(statement, parameters).consume()
        yield transaction


def waiting_for_a_lock() -> int:
    with servers.session(servers.address()) as asking:
        shown = asking.run("SHOW TRANSACTIONS YIELD status, currentQuery RETURN status, currentQuery").values()
    return sum("Blocked" in str(status) for status, _ in shown)


def in_a_thread(work: Callable[[], Any]) -> Future[Any]:
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def is_waiting() -> None:
    assert waiting_for_a_lock() == 1


@pytest.mark.parametrize(("pipeline", "block"), GUARDED)
def test_a_guard_sees_what_was_committed_while_it_waited(
    graph: Graph, benches: dict[str, Bench], pipeline: str, block: Block
) -> None:
    machine, bench = MACHINES[pipeline], benches[pipeline]
    builder = Builder(machine, dict(next(t.properties for t in graph.tables() if t.name == machine.label)))
    source = str(block.moves[0].sources[0])
    keyed = {"token", "tokens", "cutoff"} & set(block.parameters) and block.role not in ("claim", "claim_one")
    held = bool(keyed) and any(stand.state == source and stand.held for stand in bench.stands())
    situation = bench.row(Stand(source, held))
    unit = Unit.of([Step(block.full_name, builder.build(block, situation))])
    key, column = machine.key, machine.column
    gone = f"MATCH (n:{machine.label} {{{key}: $key}}) SET n.{column} = $state, n.lease = 0, n.due = $never"
    sources = {source for move in block.moves for source in move.sources}
    # A block may start from every final state: then somebody has set what is no state at all.
    elsewhere = next((s.name for s in machine.states if s.final and s.name not in sources), "no state")
    with somebody_else(gone, key=situation.key, state=elsewhere, never=1 << 52) as first:
        second = in_a_thread(lambda: graph.engine.write(unit))
        eventually(is_waiting)
        first.commit()
    result: UnitResult = second.result(WAIT_LIMIT)
    assert result.rows == ([],), "it wrote over what had been committed before it"
    assert bench.look(situation.key)[column] == elsewhere


def test_numbers_follow_a_word_only_while_it_stands(graph: Graph) -> None:
    """Somebody set a word by hand; while the reaper waits for the row, another aligns it, and a worker takes it."""
    graph.seed("article", ["set by hand"])
    past = "MATCH (a:Article {title: 'set by hand'}) SET a.expansion_state = 'discovered', a.lease = 5"
    graph.engine.execute([past])
    claimed = "MATCH (a:Article {title: 'set by hand'}) SET a.expansion_state = 'claimed', a.lease = 77, a.due = $never"
    step = Step("article.align_initial", {"now": NOW, "never": 1 << 52})
    with somebody_else(claimed, never=1 << 52) as first:
        second = in_a_thread(lambda: graph.engine.write(Unit.of([step])))
        eventually(is_waiting)
        first.commit()
    result: UnitResult = second.result(WAIT_LIMIT)
    assert result.rows == ([],)
    assert row(graph, "set by hand")["lease"] == 77


def test_without_the_lock_the_race_is_lost(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests above can fail."""
    engine = graph.engine
    assert isinstance(engine, Neo4jEngine)
    block = engine.library.block("article.finish")
    bare = Statement(block.full_name, f"CALL () {{ {block.text} }} RETURN collect([seq]) AS rows", ("seq",))
    monkeypatch.setitem(engine._statements, block.full_name, bare)
    graph.seed("article", ["raced for"])
    claims = graph.claims("article", "w")
    claim = next(claim for claim in claims.claim(1_000) if claim.key == "raced for")
    taken = "MATCH (a:Article {title: 'raced for'}) SET a.expansion_state = 'discovered', a.lease = 0, a.due = 0"
    with somebody_else(taken) as reaper:
        second = in_a_thread(lambda: claims.complete(claim))
        eventually(is_waiting)
        reaper.commit()
    second.result(WAIT_LIMIT)
    assert row(graph, "raced for")["expansion_state"] == "processed", "both believed that they had won"


def test_two_that_claim_the_same_rows_share_them_out(graph: Graph) -> None:
    graph.seed("article", [f"shared {number}" for number in range(20)])
    rows = graph.read("article.ready", now=NOW, lease=0, limit=1_000)
    seqs = [found["seq"] for found in rows if found["key"].startswith("shared")]
    start = threading.Barrier(8)

    def claim(number: int) -> list[int]:
        given = {"worker": f"w{number}", "token": 1_000 + number, "now": NOW, "at": None, "never": 1 << 52}
        unit = Unit.of([Step("article.claim", {"seqs": seqs, "lo": min(seqs), "hi": max(seqs), **given})])
        start.wait(WAIT_LIMIT)
        return [found["seq"] for found in graph.engine.write(unit).rows[0]]

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(claim, range(8)))
    assert sorted(seq for batch in taken for seq in batch) == sorted(seqs)


def test_a_deadlock_is_tried_again(graph: Graph) -> None:
    """Two units that take the same two rows in opposite order: one of them is thrown back by the server."""
    graph.seed("article", ["left", "right"])
    left, right = row(graph, "left")["seq"], row(graph, "right")["seq"]
    start = threading.Barrier(2)

    def depth(title: str, value: int) -> Step:
        return Step("article.lower_depth", {"rows": [{"key": title, "depth": value}]})

    def write(titles: list[str], value: int) -> None:
        for turn in range(20):
            start.wait(WAIT_LIMIT)
            graph.engine.write(Unit.of([depth(title, value - turn) for title in titles]))

    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(write, ["left", "right"], -100), pool.submit(write, ["right", "left"], -200)]:
            future.result(WAIT_LIMIT)
    assert (row(graph, "left")["expansion_depth"], row(graph, "right")["expansion_depth"]) == (-219, -219)
    assert (row(graph, "left")["seq"], row(graph, "right")["seq"]) == (left, right)


def test_many_that_put_in_the_same_titles_make_each_once(graph: Graph) -> None:
    titles = [f"popular {number}" for number in range(50)]
    start = threading.Barrier(6)

    def seed() -> int:
        start.wait(WAIT_LIMIT)
        return graph.seed("article", titles)

    with ThreadPoolExecutor(6) as pool:
        made = [future.result(WAIT_LIMIT) for future in [pool.submit(seed) for _ in range(6)]]
    assert sum(made) == 50
    assert sum(title.startswith("popular") for title in states(graph)) == 50


def test_many_that_open_a_new_graph_at_once_agree(place: Place) -> None:
    new = Place(place.engine, place.folder / "new")
    new.folder.mkdir()
    new._take_the_server()
    start = threading.Barrier(4)

    def opening() -> list[list[Any]]:
        start.wait(WAIT_LIMIT)
        with new.open() as opened:
            return opened.query("MATCH (:State)-[t:TRANSITION]->(:State) WHERE t.gone = 0 RETURN count(*)").rows

    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(opening) for _ in range(4)]:
            future.result(WAIT_LIMIT)
    with new.open() as opened:
        moves = {(m.source, m.target, m.block) for m in opened.library.machines["article"].moves if m.source}
        text = "MATCH (s:State)-[t:TRANSITION]->(:State) WHERE s.machine = 'Article' AND t.gone = 0 RETURN count(*)"
        assert opened.query(text).rows == [[len(moves)]]


def test_numbers_that_collide_are_drawn_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with place.open() as opened:
        engine = opened.engine
        assert isinstance(engine, Neo4jEngine)
        opened.seed("article", ["first"])
        taken = row(opened, "first")["seq"]
        drawn = [range(taken, taken + 1)]
        real = engine._numbers.take
        monkeypatch.setattr(engine._numbers, "take", lambda count: drawn.pop() if drawn else real(count))
        assert opened.seed("article", ["second"]) == 1
        assert row(opened, "second")["seq"] != taken


def test_a_worker_reads_what_it_wrote(place: Place) -> None:
    with place.open() as opened:
        engine = opened.engine
        assert isinstance(engine, Neo4jEngine)
        opened.seed("article", ["a"])
        assert list(engine._server._bookmarks.get_bookmarks()), "every session asks for a server that has seen this"
        claim: Claim = take_one(opened.claims("article", "w"))
        opened.claims("article", "w").complete(claim, linking(opened, claim, ["b"]))
        assert states(opened) == {"a": "processed", "b": "discovered"}
