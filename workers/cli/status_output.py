"""Status as a table, once or redrawn while it changes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphvine.workers.cli.output import one_line, screen, show_json, table

if TYPE_CHECKING:
    from rich.table import Table

    from graphvine.graph import Graph
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


@dataclass(frozen=True, slots=True)
class Sample:
    at_seconds: float
    pipelines: Sequence[PipelineStatus]


def watch(graph: Graph, *, every_seconds: float, samples: int | None, as_lines: bool) -> None:
    """Show samples until there were enough, or until Ctrl-C."""
    console = screen()
    live: Any = nullcontext()
    if console.is_terminal and not as_lines:
        from rich.live import Live

        live = Live(console=console, auto_refresh=False)
    before: Sample | None = None
    with live as drawn:
        for sample in _samples(graph, every_seconds, samples):
            rates = rates_between(before, sample)
            before = sample
            if as_lines:
                show_json({"graph": graph.where, "pipelines": sample.pipelines, "rates": rates}, indent=None)
            elif drawn is not None:
                drawn.update(status_table(sample.pipelines, rates), refresh=True)
            else:
                console.print(status_table(sample.pipelines, rates))


def rates_between(before: Sample | None, after: Sample) -> Rates:
    """How many rows a second each state won or lost."""
    if before is None or after.at_seconds <= before.at_seconds:
        return {}
    seconds = after.at_seconds - before.at_seconds
    earlier = {one.pipeline: one.states for one in before.pipelines}
    return {
        one.pipeline: {
            state: (count - earlier.get(one.pipeline, {}).get(state, 0)) / seconds
            for state, count in one.states.items()
        }
        for one in after.pipelines
    }


def _samples(graph: Graph, every_seconds: float, most: int | None) -> Iterator[Sample]:
    taken = 0
    while True:
        yield Sample(time.monotonic(), graph.status())
        taken += 1
        if taken == most:
            return
        graph.clock.sleep(every_seconds)
