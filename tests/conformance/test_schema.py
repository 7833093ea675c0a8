"""Tables and machines in the graph: applied once, refused when newer, drawn as the query files have them."""

from __future__ import annotations

import pytest

from graphvine.clock import ManualClock, moment
from graphvine.errors import SchemaTooNew
from graphvine.graph import Graph
from graphvine.queries import Machine
from graphvine.records import Step, Unit
from graphvine.schema import Migration, migrations
from tests.support.articles import states
from tests.support.stores import Place


def known_to(graph: Graph) -> dict[str, tuple[Migration, ...]]:
    """The migrations of the entities that this engine has."""
    every = migrations(graph.engine.dialect)
    return {entity: steps for entity, steps in every.items() if entity in graph.library.entities}


def test_every_version_is_applied_and_recorded_once(graph: Graph, place: Place, clock: ManualClock) -> None:
    known = {entity: steps[-1].version for entity, steps in known_to(graph).items()}
    recorded = {row["entity"]: row["version"] for row in graph.read("graph.schema_versions")}
    assert recorded == known
    assert graph.migrated == [], "the store was there already"
    before = graph.tables()
    graph.seed("article", ["a"])
    graph.close()
    with place.open(clock) as again:
        assert again.migrated == []
        assert again.tables() == before
        assert states(again) == {"a": "discovered"}


def test_a_new_store_gets_every_version(tmp_path: object, engine_name: str, place: Place) -> None:
    new = Place(place.engine, place.folder / "new")
    new.folder.mkdir()
    with new.open() as graph:
        wanted = [f"{entity} {step.version}" for entity, steps in known_to(graph).items() for step in steps]
        assert graph.migrated == wanted


@pytest.mark.parametrize("entity", ["article", "graph", "an entity of the future"])
def test_a_graph_of_a_newer_graphvine_is_refused(graph: Graph, place: Place, clock: ManualClock, entity: str) -> None:
    at = moment(clock.now_ms())
    graph.run(Unit.of([Step("graph.record_version", {"entity": entity, "version": 99, "at": at})]))
    graph.close()
    with pytest.raises(SchemaTooNew, match="version 99.*upgrade Graphvine") as raised:
        place.open(clock)
    assert (raised.value.entity, raised.value.found) == (entity, 99)
    with pytest.raises(SchemaTooNew):
        place.open(clock)  # and it was closed again


def drawn(graph: Graph, machine: Machine) -> tuple[set[tuple[object, ...]], list[tuple[object, ...]]]:
    shown = graph.query(
        "MATCH (s:State) WHERE s.machine = $label AND s.gone = 0"
        " RETURN s.name, s.initial, s.final, s.claimed, s.beyond",
        {"label": machine.label},
    )
    moves = graph.query(
        "MATCH (a:State)-[t:TRANSITION]->(b:State) WHERE a.machine = $label AND t.gone = 0"
        " RETURN a.name, b.name, t.name, t.block, t.manual, t.purpose, t.beyond, t.processors, t.criteria",
        {"label": machine.label},
    )
    return {tuple(row) for row in shown.rows}, sorted((_hashable(row) for row in moves.rows), key=repr)


def _hashable(row: list[object]) -> tuple[object, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value or "" for value in row)


def expected(machine: Machine) -> tuple[set[tuple[object, ...]], list[tuple[object, ...]]]:
    shown: set[tuple[object, ...]] = {(s.name, s.initial, s.final, s.claimed, s.beyond) for s in machine.states}
    moves = [
        _hashable([
            m.source, m.target, m.name, m.block, m.manual, m.purpose, m.beyond,
            list(m.processors) or None, list(m.criteria) or None,
        ])
        for m in machine.moves if m.source is not None
    ]  # fmt: skip
    return shown, sorted(moves, key=repr)


def test_the_machines_in_the_graph_are_those_of_the_query_files(graph: Graph) -> None:
    assert graph.library.machines
    for machine in graph.library.machines.values():
        assert drawn(graph, machine) == expected(machine)


def test_a_machine_that_changed_is_drawn_anew(graph: Graph, place: Place, clock: ManualClock) -> None:
    machine = graph.library.machines["article"]
    graph.run(Unit.of([
        Step("graph.draw_state", {
            "id": "Article.outdated", "machine": "Article", "name": "outdated", "initial": False, "final": True,
            "claimed": False, "beyond": "",
        }),
        Step("graph.machine_drawn", {"name": "article", "machine": "the fingerprint of another time"}),
    ]))  # fmt: skip
    assert drawn(graph, machine) != expected(machine)
    graph.pause("article", "kept through it")
    graph.close()
    with place.open(clock) as again:
        assert drawn(again, machine) == expected(machine)
        assert again.store.paused("article") == "kept through it"


def test_opening_again_draws_nothing(graph: Graph, place: Place, clock: ManualClock) -> None:
    count = "MATCH (:State)-[t:TRANSITION]->(:State) RETURN count(*)"
    before = graph.query(count).rows
    graph.close()
    with place.open(clock) as again:
        assert again.query(count).rows == before


def test_a_pause_outlives_the_process(graph: Graph, place: Place, clock: ManualClock) -> None:
    graph.seed("article", ["a"])
    graph.pause("article", "holidays")
    graph.close()
    with place.open(clock) as again:
        assert again.claims("article", "w").claim(1) == []
        assert again.store.paused("article") == "holidays"
        again.resume("article")
        assert len(again.claims("article", "w").claim(1)) == 1


def test_what_was_written_is_there_after_opening_again(graph: Graph, place: Place, clock: ManualClock) -> None:
    graph.seed("article", map(str, range(500)))
    claims = graph.claims("article", "w")
    claims.complete(claims.claim(100))
    held = claims.claim(50)
    before = states(graph)
    graph.close()
    with place.open(clock) as again:
        assert states(again) == before
        again.claims("article", "w").complete(held)  # a claim is its token, not the process
        assert len(again.claims("article", "w").claim(1000)) == 350
