"""Status again and again: redrawn in a terminal, one after another elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphvine.workers.cli.output import screen, show_json
from graphvine.workers.cli.status_table import Rates, status_table

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.records import PipelineStatus


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
