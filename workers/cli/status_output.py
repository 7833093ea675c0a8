"""Status as a table, once or redrawn while it changes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphvine.workers.cli.output import Listing, one_line, plural, printable, screen, show_json, table

if TYPE_CHECKING:
    from rich.console import Group

    from graphvine.graph import Graph
    from graphvine.records import PipelineStatus
    from graphvine.workers.search.edges import EdgeCounts


# Rows a second by pipeline and state.
Rates = Mapping[str, Mapping[str, float]]


def status_view(where: str, found: Sequence[PipelineStatus], rates: Rates | None = None) -> Group:
    """The totals, then one row a pipeline that has rows or is paused; columns that are zero throughout are left out."""
    from rich.console import Group
    from rich.text import Text

    shown = [one for one in found if one.total or one.paused]
    total, wanted = sum(one.total for one in found), sum(one.total - one.skipped for one in found)
    done = sum((one.total - one.skipped) * one.progress_percent / 100 for one in found)
    parts = [plural(total, "row")]
    if wanted:
        parts.append(f"{100 * done / wanted:.1f} % done")
    counts = {what: sum(getattr(one, what) for one in found) for what in ("claimed", "failed", "skipped")}
    parts += [f"{count:,} {what}" for what, count in counts.items() if count]
    head = Text(f"{printable(where)}: {', '.join(parts)}")
    if not shown:
        return Group(head)
    return Group(head, Text(), _status_table(shown, rates or {}))


def _status_table(found: Sequence[PipelineStatus], rates: Rates) -> Listing:
    numbers = {
        "rows": [f"{one.total:,}" for one in found], "done": [f"{one.progress_percent:.1f} %" for one in found],
        **{
            what.replace("_", " "): [f"{getattr(one, what):,}" for one in found]
            for what in ("ready", "backing_off", "claimed", "failed", "skipped")
            if any(getattr(one, what) for one in found)
        },
    }  # fmt: skip
    columns = {
        "pipeline": [one.pipeline for one in found], **numbers,
        "states": [_states(one.states, rates.get(one.pipeline, {})) for one in found],
        **({"paused": [_pause(one) for one in found]} if any(one.paused for one in found) else {}),
    }  # fmt: skip
    return table(tuple(columns), list(zip(*columns.values(), strict=True)), right=tuple(numbers))


def edge_lines(found: Sequence[EdgeCounts]) -> Iterator[str]:
    """How many edges lead from each kind to others; nothing where none were made."""
    for one in found:
        if one.same_page or one.mentions or one.near_duplicates:
            behind = f", {one.newest - one.done:,} numbers behind" if one.newest > one.done else ""
            made = f"{one.same_page:,} same page, {one.mentions:,} mentions of articles"
            yield f"edges of {one.kind}: {made}, {one.near_duplicates:,} near duplicates{behind}"


def _states(states: Mapping[str, int], rates: Mapping[str, float]) -> str:
    counted = [f"{name} {count:,}{_rate(rates.get(name, 0.0))}" for name, count in states.items() if count]
    return ", ".join(counted) or "empty"


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
                drawn.update(status_view(graph.where, sample.pipelines, rates), refresh=True)
            else:
                console.print(status_view(graph.where, sample.pipelines, rates))


def rates_between(before: Sample | None, after: Sample) -> Rates:
    """How many rows a second each state gained or lost."""
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
