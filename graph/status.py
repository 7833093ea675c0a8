"""Where every pipeline stands."""

from __future__ import annotations

from graphvine.clock import NEVER
from graphvine.door import Door
from graphvine.records import PipelineStatus

_DONE = "processed", "loaded", "completed"


def status(door: Door) -> list[PipelineStatus]:
    """One row for each pipeline, from a few aggregate reads."""
    return [_one(door, pipeline) for pipeline in door.library.machines]


def _one(door: Door, pipeline: str) -> PipelineStatus:
    machine = door.machine(pipeline)
    found = {row["state"] or "(none)": row["count"] for row in door.read(f"{pipeline}.counts")}
    states = {state.name: found.pop(state.name, 0) for state in machine.states} | found
    waiting = door.read(f"{pipeline}.next_due", now=door.clock.now_ms(), lease=0, never=NEVER)[0]["waiting"]
    beat = door.read(f"{pipeline}.oldest_heartbeat")[0]
    total = sum(states.values())
    done = sum(states.get(name, 0) for name in _DONE)
    reason = door.paused(pipeline)
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
