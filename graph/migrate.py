"""Migrates a graph's tables to this version, and writes the state machines into it for the console."""

from __future__ import annotations

from graphvine.clock import moment
from graphvine.errors import SchemaTooNew
from graphvine.pipelines import migrations
from graphvine.queries import Machine
from graphvine.records import Step, Unit
from graphvine.store import Store


def migrate(store: Store) -> list[str]:
    """Apply what is missing, each version with its record in one transaction. Returns what was applied."""
    every = migrations(store.library)
    known = {entity: steps for entity, steps in every.items() if entity in store.library.entities}
    recorded = _recorded(store)
    for entity, version in recorded.items():
        newest = known[entity][-1].version if entity in known else 0
        if version > newest:
            raise SchemaTooNew(entity, version, newest)
    applied = []
    for entity, steps in known.items():
        for migration in steps:
            if migration.version <= recorded.get(entity, 0):
                continue
            at = moment(store.clock.now_ms())
            record = Step("graph.record_version", {"entity": entity, "version": migration.version, "at": at})
            store.engine.execute(list(migration.statements), then=Unit.of([record]))
            applied.append(f"{entity} {migration.version}")
    return applied


def draw_machines(store: Store) -> list[str]:
    """Show each machine as (:State)-[:TRANSITION]->(:State), where the graph does not show it as it is now."""
    shown = {row["name"]: row["machine"] for row in store.read("graph.pipelines")}
    drawn = []
    for name, machine in store.library.machines.items():
        if shown.get(name) != machine.fingerprint:
            store.run(Unit.of(_drawing(name, machine, store.clock.now_ms())))
            drawn.append(name)
    return drawn


def _recorded(store: Store) -> dict[str, int]:
    # Only where tables are made first does asking for one that is not there fail.
    if store.engine.dialect == "kuzu":
        shown = store.engine.query("CALL show_tables() RETURN name", {}, max_rows=None, timeout_seconds=None)
        if ["SchemaVersion"] not in shown.rows:
            return {}
    return {row["entity"]: row["version"] for row in store.read("graph.schema_versions")}


def _drawing(name: str, machine: Machine, now: int) -> list[Step]:
    label = machine.label
    steps = [
        Step("graph.erase_machine", {"machine": label, "at_ms": now}),
        Step("graph.erase_transitions", {"machine": label, "at_ms": now}),
    ]
    for state in machine.states:
        drawn = {
            "id": f"{label}.{state.name}", "machine": label, "name": state.name, "initial": state.initial,
            "final": state.final, "claimed": state.claimed, "beyond": state.beyond,
        }  # fmt: skip
        steps.append(Step("graph.draw_state", drawn))
    for move in machine.moves:
        if move.source is None:
            continue
        drawn = {
            "source": f"{label}.{move.source}", "target": f"{label}.{move.target}", "name": move.name,
            "block": move.block, "manual": move.manual, "processors": list(move.processors) or None,
            "criteria": list(move.criteria) or None, "purpose": move.purpose, "beyond": move.beyond,
        }  # fmt: skip
        steps.append(Step("graph.draw_transition", drawn))
    steps.append(Step("graph.machine_drawn", {"name": name, "machine": machine.fingerprint}))
    return steps
