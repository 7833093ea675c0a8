"""Where every pipeline stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from graphvine.clock import NEVER, moment
from graphvine.records import PipelineStatus, Row
from graphvine.store import Store

if TYPE_CHECKING:
    from graphvine.graph import Graph

_NONE_QUEUED: Row = {"ready": 0, "backing_off": 0, "beyond": 0, "oldest": None}
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
    queued, beat = _NONE_QUEUED, _NONE_CLAIMED
    if total:  # each statement costs a few milliseconds to plan, and most graphs use one pipeline or two
        queued = store.read(f"{pipeline}.queued", now=store.clock.now_ms(), never=NEVER, depth=depth)[0]
        beat = store.read(f"{pipeline}.oldest_heartbeat")[0]
    done = sum(states.get(name, 0) for name in machine.done)
    reason = store.paused(pipeline)
    return PipelineStatus(
        pipeline=pipeline,
        paused=reason is not None,
        paused_reason=reason,
        states=states,
        ready=queued["ready"] or 0,
        backing_off=queued["backing_off"] or 0,
        claimed=beat["claimed"],
        failed=states.get("failed", 0),
        total=total,
        # Nothing can come of what was skipped: work that is finished is at 100 %.
        progress_percent=100.0 * done / (total - skipped) if total > skipped else 100.0 if skipped else 0.0,
        oldest_heartbeat=beat["at"],
        skipped=skipped,
        beyond_depth=queued["beyond"] or 0,
        oldest_ready=moment(queued["oldest"]) if queued["ready"] else None,
    )
