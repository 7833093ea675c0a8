"""The machine of a pipeline as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphvine.workers.cli.output import Listing, table

if TYPE_CHECKING:
    from graphvine.queries import Machine


def overview(machines: Mapping[str, Machine]) -> Listing:
    rows = [
        (name, f"{one.label}.{one.column}", one.key, ", ".join(_marked(one)), len(one.moves))
        for name, one in machines.items()
    ]
    return table(("pipeline", "state column", "key", "states (* first, ! may rest)", "moves"), rows, right=["moves"])


def _marked(one: Machine) -> list[str]:
    return [state.name + "*" * state.initial + "!" * state.final for state in one.states]


def states(one: Machine) -> Listing:
    rows = []
    for state in one.states:
        marks = [word for word in ("initial", "claimed", "final") if getattr(state, word)]
        rows.append((state.name, ", ".join(marks), state.beyond or ""))
    return table(("state", "is", "beyond"), rows, title=f"{one.label}.{one.column}")


def moves(one: Machine) -> Listing:
    from graphvine.queries import render

    rows = render.as_table(one)
    columns = [name for name in rows[0] if name == "from" or any(row[name] for row in rows)]
    return table(columns, [[row[name] for name in columns] for row in rows])
