"""Where every pipeline stands, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from graphvine.workers.cli.output import table
from graphvine.workers.cli.text import one_line

if TYPE_CHECKING:
    from rich.table import Table

    from graphvine.records import PipelineStatus

# Rows a second by pipeline and state.
Rates = Mapping[str, Mapping[str, float]]

_NUMBERS = "ready", "backing off", "claimed", "failed", "total", "progress"


def status_table(found: Sequence[PipelineStatus], rates: Rates | None = None) -> Table:
    """One row a pipeline; with rates, each state tells how it changes."""
    rows = [
        (
            one.pipeline,
            _states(one.states, (rates or {}).get(one.pipeline, {})),
            f"{one.ready:,}",
            f"{one.backing_off:,}",
            f"{one.claimed:,}",
            f"{one.failed:,}",
            f"{one.total:,}",
            f"{one.progress_percent:.1f} %",
            _pause(one),
        )
        for one in found
    ]
    return table(("pipeline", "states", *_NUMBERS, "paused"), rows, right=_NUMBERS)


def _states(states: Mapping[str, int], rates: Mapping[str, float]) -> str:
    if not any(states.values()):
        return "empty"
    return "\n".join(f"{name} {count:,}{_rate(rates.get(name, 0.0))}" for name, count in states.items())


def _rate(rows_a_second: float) -> str:
    return f" ({rows_a_second:+,.1f}/s)" if abs(rows_a_second) >= 0.05 else ""


def _pause(one: PipelineStatus) -> str:
    if not one.paused:
        return ""
    return f"yes: {one_line(one.paused_reason, 60)}" if one.paused_reason else "yes"
