"""Where every pipeline stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphvine.clock import NEVER
from graphvine.records import PipelineStatus
from graphvine.store import Store

if TYPE_CHECKING:
    from graphvine.graph import Graph


def status(graph: Graph) -> list[PipelineStatus]:
    """One row for each pipeline, from a few aggregate reads."""
    return [_one(graph.store, pipeline) for pipeline in graph.library.machines]


def _one(store: Store, pipeline: str) -> PipelineStatus:
    machine = store.machine(pipeline)
    found = {row["state"] or "(none)": row["count"] for row in store.read(f"{pipeline}.counts")}
    states = {state.name: found.pop(state.name, 0) for state in machine.states} | found
    waiting = store.read(f"{pipeline}.next_due", now=store.clock.now_ms(), lease=0, never=NEVER)[0]["waiting"]
    beat = store.read(f"{pipeline}.oldest_heartbeat")[0]
    total = sum(states.values())
    done = sum(states.get(name, 0) for name in machine.done)
    reason = store.paused(pipeline)
    return PipelineStatus(
        pipeline=pipeline,
        paused=reason is not None,
        paused_reason=reason,
        states=states,
        ready=max(0, states[machine.initial.name] - waiting),
        backing_off=waiting,
        claimed=beat["claimed"],
        failed=states.get("failed", 0),
        total=total,
        progress_percent=100.0 * done / total if total else 0.0,
        oldest_heartbeat=beat["at"],
    )
