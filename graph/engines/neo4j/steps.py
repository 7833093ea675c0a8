"""Which blocks a server runs, and as how many steps.

Steps that the embedded engines want apart are one step here. Their cost is what the bounds of a batch span, so a batch
of scattered rows comes in several steps of one block. Here an index finds each row by its number: one statement for all
of them saves the round trips.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphvine.pipelines import library, migrations
from graphvine.queries import Library
from graphvine.queries.model import By
from graphvine.records import Row, Step, Unit, UnitResult


def ported(pipelines_folder: str = "") -> Library:
    """The entities that have their constraints for Neo4j: without these two workers could make a row twice."""
    whole = library("neo4j", pipelines_folder)
    bare = {entity for entity, steps in migrations(whole).items() if "/neo4j/" not in steps[0].file}
    return whole.without(bare) if bare else whole


def joined(unit: Unit, blocks: Library) -> tuple[Unit, list[int]]:
    """The unit with such steps joined, and for each step of the old one its place in the new."""
    steps: list[Step] = []
    places: list[int] = []
    for step in unit.steps:
        batch = blocks.block(step.block).batch
        if steps and batch is not None and _alike(steps[-1], step, batch):
            steps[-1] = Step(step.block, _wider(steps[-1].parameters, step.parameters, batch))
        else:
            steps.append(step)
        places.append(len(steps) - 1)
    return Unit.of(steps, if_held=unit.if_held), places


def parted(unit: Unit, blocks: Library, places: list[int], result: UnitResult) -> UnitResult:
    """The answers of the joined unit, given to the steps that asked."""
    answers: list[list[Row]] = []
    for step, place in zip(unit.steps, places, strict=True):
        rows = result.rows[place]
        batch = blocks.block(step.block).batch
        if places.count(place) > 1 and batch is not None:
            mine = set(step.parameters[batch.parameter])
            rows = [row for row in rows if row["seq"] in mine]
        answers.append(rows)
    return UnitResult(tuple(answers), result.held)


def _alike(one: Step, other: Step, batch: By) -> bool:
    """Whether the steps differ in their row numbers alone; rows of a table are joined before (units.join)."""
    if one.block != other.block or not _numbers(one, batch) or not _numbers(other, batch):
        return False
    return _rest(one.parameters, batch) == _rest(other.parameters, batch)


def _numbers(step: Step, batch: By) -> bool:
    return all(isinstance(number, int) for number in step.parameters[batch.parameter][:1])


def _rest(parameters: Mapping[str, Any], batch: By) -> dict[str, Any]:
    span = (batch.parameter, batch.lo, batch.hi)
    return {name: value for name, value in parameters.items() if name not in span}


def _wider(one: Mapping[str, Any], other: Mapping[str, Any], batch: By) -> dict[str, Any]:
    span = {
        batch.parameter: [*one[batch.parameter], *other[batch.parameter]],
        batch.lo: min(one[batch.lo], other[batch.lo]),
        batch.hi: max(one[batch.hi], other[batch.hi]),
    }
    return {**one, **span}
