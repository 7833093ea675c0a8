"""The machines test themselves: every block that moves rows meets a row in every state.

Where the move is declared, the row goes to the declared state and comes back from the statement. Everywhere else no
row comes back, and nothing of the row changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from graphvine.pipelines import library
from graphvine.queries import Block, Machine
from tests.machines.bench import OTHER_TOKEN, Bench, Stand
from tests.support.parameters import NOW, Situation
from tests.support.stores import Place

LIBRARY = library("kuzu", "")
MACHINES = LIBRARY.machines
MOVING = [
    (pipeline, block)
    for pipeline in MACHINES
    for block in LIBRARY.entities[MACHINES[pipeline].entity].blocks.values()
    if block.moves
]


def every(wanted: Callable[[Block], bool] = lambda block: True) -> pytest.MarkDecorator:
    """A case for each block of this kind."""
    cases = [pytest.param(pipeline, block, id=block.full_name) for pipeline, block in MOVING if wanted(block)]
    return pytest.mark.parametrize(("pipeline", "block"), cases)


@pytest.fixture(scope="module")
def graph(template: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    with template.copy_to(tmp_path_factory.mktemp("machines") / "store").open(ManualClock(NOW)) as opened:
        yield opened
        # Whatever was played, nobody's numbers are out of line in the end.
        assert [finding for finding in opened.doctor() if not finding.ok] == []


@pytest.fixture(scope="module")
def benches(graph: Graph) -> dict[str, Bench]:
    return {pipeline: Bench(graph, machine) for pipeline, machine in MACHINES.items()}


def targets(block: Block) -> dict[str | None, str]:
    return {source: move.target for move in block.moves for source in move.sources}


def meets(bench: Bench, block: Block, stand: Stand, row: Situation) -> bool:
    """Let the block meet the row; tells whether it moved, and fails where it did what was not declared."""
    before = bench.look(row.key)
    assert before[bench.machine.column] == stand.state, f"{row.key} was touched before its turn: {before}"
    rows_before = bench.count()
    returned = [found["seq"] for rows in bench.run(block, row).rows for found in rows]
    after = bench.look(row.key)
    case = f"{block.full_name} on a row that is {stand}"
    assert bench.count() == rows_before, f"{case} made or removed a row"
    if before == after and (not returned or None in targets(block)):
        return False
    assert returned == [row.seq], f"{case} changed {_changes(before, after)} and returned {returned}"
    assert stand.state in targets(block), f"{case} is not declared, but changed {_changes(before, after)}"
    assert after[bench.machine.column] == targets(block)[stand.state], f"{case} went to another state"
    return True


def _changes(before: dict[str, object], after: dict[str, object]) -> dict[str, tuple[object, object]]:
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}


@every()
def test_declared_moves_move_and_others_change_nothing(benches: dict[str, Bench], pipeline: str, block: Block) -> None:
    bench = benches[pipeline]
    moved = {
        stand.state
        for stand in bench.stands()
        for tired in ((False, True) if "max_lost" in block.parameters else (False,))
        if meets(bench, block, stand, replace(bench.row(stand), tired=tired))
    }
    assert moved == set(targets(block)) - {None}


@every(lambda block: bool({"token", "tokens"} & set(block.parameters)))
def test_with_another_s_token_nothing_moves(benches: dict[str, Bench], pipeline: str, block: Block) -> None:
    bench = benches[pipeline]
    for stand in bench.stands():
        if stand.held:
            assert not meets(bench, block, stand, replace(bench.row(stand), token=OTHER_TOKEN)), stand


@every(lambda block: "cutoff" in block.parameters)
def test_before_the_cutoff_nothing_moves(benches: dict[str, Bench], pipeline: str, block: Block) -> None:
    bench = benches[pipeline]
    for stand in bench.stands():
        if stand.held:
            for tired in (False, True):
                assert not meets(bench, block, stand, replace(bench.row(stand), late=False, tired=tired)), stand


@every(lambda block: block.role.startswith("claim"))
def test_what_is_not_due_is_not_claimed(benches: dict[str, Bench], pipeline: str, block: Block) -> None:
    bench = benches[pipeline]
    for stand in bench.stands():
        if not stand.held:
            assert not meets(bench, block, stand, replace(bench.row(stand), early=True)), stand


@every(lambda block: None in targets(block))
def test_what_creates_makes_a_row_in_the_declared_state(benches: dict[str, Bench], pipeline: str, block: Block) -> None:
    bench = benches[pipeline]
    if any(slot.field == "claim" for slot in block.held):
        bench.claimed_by_nobody()
    before = bench.count()
    key = bench.new_key()
    bench.run(block, Situation(key, 0, OTHER_TOKEN))
    assert bench.count() == before + 1
    made = bench.look(key)
    assert made[bench.machine.column] == targets(block)[None] and made["seq"] > 0 and made["lease"] <= 0
    bench.run(block, Situation(key, 0, OTHER_TOKEN))
    assert bench.look(key) == made and bench.count() == before + 1


@pytest.mark.parametrize("pipeline", MACHINES)
def test_every_state_can_be_stood_in(benches: dict[str, Bench], pipeline: str) -> None:
    machine: Machine = MACHINES[pipeline]
    assert {stand.state for stand in benches[pipeline].stands()} == {state.name for state in machine.states}
