"""Steps that the embedded engines want apart are one step here.

Their cost is what the bounds of a batch span, so a batch of scattered rows comes in several steps of one block. Here an
index finds each row by its number: one statement for all of them saves the round trips.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphvine.records import Row, Step, Unit, UnitResult

_SPAN = ("seqs", "lo", "hi")


def joined(unit: Unit) -> tuple[Unit, list[int]]:
    """The unit with such steps joined, and for each step of the old one its place in the new."""
    steps: list[Step] = []
    places: list[int] = []
    for step in unit.steps:
        if steps and _alike(steps[-1], step):
            steps[-1] = Step(step.block, _wider(steps[-1].parameters, step.parameters))
        else:
            steps.append(step)
        places.append(len(steps) - 1)
    return Unit.of(steps, if_held=unit.if_held), places


def parted(unit: Unit, places: list[int], result: UnitResult) -> UnitResult:
    """The answers of the joined unit, given to the steps that asked."""
    answers: list[list[Row]] = []
    for step, place in zip(unit.steps, places, strict=True):
        rows = result.rows[place]
        if places.count(place) > 1:
            mine = set(step.parameters["seqs"])
            rows = [row for row in rows if row["seq"] in mine]
        answers.append(rows)
    return UnitResult(tuple(answers), result.held)


def _alike(one: Step, other: Step) -> bool:
    if one.block != other.block or any(name not in step.parameters for step in (one, other) for name in _SPAN):
        return False
    return _rest(one.parameters) == _rest(other.parameters)


def _rest(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in _SPAN}


def _wider(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    span = {
        "seqs": [*one["seqs"], *other["seqs"]],
        "lo": min(one["lo"], other["lo"]),
        "hi": max(one["hi"], other["hi"]),
    }
    return {**one, **span}
