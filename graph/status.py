"""Where every pipeline stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphvine.clock import NEVER, moment
from graphvine.records import PipelineStatus, Row
from graphvine.store import Store

if TYPE_CHECKING:
    from graphvine.graph import Graph

_NONE_QUEUED: Row = {"ready": 0, "oldest": None}
_NONE_CLAIMED: Row = {"claimed": 0, "at": None}


def status(graph: Graph, depths: Mapping[str, int] | None = None) -> list[PipelineStatus]:
    """One row for each pipeline, from a few aggregate reads. `depths` says how far down the order workers go."""
    given = depths or {}
    return [_one(graph.store, pipeline, given.get(pipeline, NEVER)) for pipeline in graph.library.machines]


def _one(store: Store, pipeline: str, depth: int) -> PipelineStatus:
    machine = store.machine(pipeline)
    found = {row["state"] or "(none)": row["count"] for row in store.read(f"{pipeline}.counts")}
    states = {state.name: found.pop(state.name, 0) for state in machine.states} | found
    total, skipped = sum(states.values()), states.get("skipped", 0)
    queued, beat, beyond, backing_off = _NONE_QUEUED, _NONE_CLAIMED, 0, 0
    if total:  # each statement costs a few milliseconds to plan, and most graphs use one pipeline or two
        now = store.clock.now_ms()
        # One after the other: counting all of it in one pass, by a CASE for each row, takes ten times as long.
        queued = store.read(f"{pipeline}.queued", now=now, depth=depth)[0]
        if queued["ready"] and queued["oldest"] <= 0:
            queued |= store.read(f"{pipeline}.waiting_since", now=now, depth=depth)[0]
        backing_off = store.read(f"{pipeline}.backing_off", now=now, never=NEVER)[0]["backing_off"]
        if depth < NEVER and machine.order:
            beyond = store.read(f"{pipeline}.beyond_depth", now=now, depth=depth)[0]["beyond"]
        beat = store.read(f"{pipeline}.oldest_heartbeat")[0]
    done = sum(states.get(name, 0) for name in machine.done)
    reason = store.paused(pipeline)
    return PipelineStatus(
        pipeline=pipeline,
        paused=reason is not None,
        paused_reason=reason,
        states=states,
        ready=queued["ready"],
        backing_off=backing_off,
        claimed=beat["claimed"],
        failed=states.get("failed", 0),
        total=total,
        # Nothing can come of what was skipped: work that is finished is at 100 %.
        progress_percent=100.0 * done / (total - skipped) if total > skipped else 100.0 if skipped else 0.0,
        oldest_heartbeat=beat["at"],
        skipped=skipped,
        beyond_depth=beyond,
        oldest_ready=None if queued["oldest"] is None else moment(queued["oldest"]),
    )
