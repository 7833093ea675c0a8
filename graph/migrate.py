"""Bring a graph's tables up to what this code knows, and draw the machines into it for people at the console."""

from __future__ import annotations

from graphvine.clock import moment
from graphvine.door import Door
from graphvine.errors import SchemaTooNew
from graphvine.queries import Machine
from graphvine.records import Step, Unit
from graphvine.schema import migrations


def migrate(door: Door) -> list[str]:
    """Apply what is missing, each version with its record in one transaction. Returns what was applied."""
    every = migrations(door.engine.dialect)
    known = {entity: steps for entity, steps in every.items() if entity in door.library.entities}
    recorded = _recorded(door)
    for entity, version in recorded.items():
        newest = known[entity][-1].version if entity in known else 0
        if version > newest:
            raise SchemaTooNew(entity, version, newest)
    applied = []
    for entity, steps in known.items():
        for migration in steps:
            if migration.version <= recorded.get(entity, 0):
                continue
            at = moment(door.clock.now_ms())
            record = Step("graph.record_version", {"entity": entity, "version": migration.version, "at": at})
            door.engine.execute(list(migration.statements), then=Unit.of([record]))
            applied.append(f"{entity} {migration.version}")
    return applied


def draw_machines(door: Door) -> list[str]:
    """Show each machine as (:State)-[:TRANSITION]->(:State), where the graph does not show it as it is now."""
    shown = {row["name"]: row["machine"] for row in door.read("graph.pipelines")}
    drawn = []
    for name, machine in door.library.machines.items():
        if shown.get(name) != machine.fingerprint:
            door.run(Unit.of(_drawing(name, machine, door.clock.now_ms())))
            drawn.append(name)
    return drawn


def _recorded(door: Door) -> dict[str, int]:
    # Only where tables are made first does asking for one that is not there fail.
    if door.engine.dialect == "kuzu" and not any(table.name == "SchemaVersion" for table in door.engine.tables()):
        return {}
    return {row["entity"]: row["version"] for row in door.read("graph.schema_versions")}


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
