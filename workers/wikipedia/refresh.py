"""Find articles whose page was revised since, and put them back into the queue."""

from __future__ import annotations

from dataclasses import dataclass

from graphvine.dispatch import Run
from graphvine.graph import Graph
from graphvine.ready_cache import spans
from graphvine.records import Step, Unit
from graphvine.workers.wikipedia.requests import RefreshRequest
from graphvine.workers.wikipedia.resources import open_source, settings_for

_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class RefreshSummary:
    """Articles compared with the source, and those put back into the queue."""

    checked: int
    changed: int


def run_refresh(graph: Graph, request: RefreshRequest, run: Run[int]) -> RefreshSummary:
    """Compare the revision of every processed article with the source's. `grow` then expands what changed."""
    opened = request.opened or open_source(
        settings_for(graph, request.settings, source=request.source, other_source=request.other_source)
    )
    checked = changed = after = 0
    try:
        while rows := graph.read("article.revisions", after=after, limit=_ROWS_AT_ONCE):
            after = rows[-1]["seq"]
            newer = opened.changed_since({row["key"]: row["revision"] for row in rows})
            changed += _requeue(graph, [row["seq"] for row in rows if row["key"] in newer])
            checked += len(rows)
            run.publish(checked)
            if run.stop.is_set():
                break
    finally:
        if opened is not request.opened:
            opened.close()
    return RefreshSummary(checked, changed)


def _requeue(graph: Graph, seqs: list[int]) -> int:
    if not seqs:
        return 0
    now = graph.clock.now_ms()
    steps = [Step("article.refresh", {**span, "now": now}) for span in spans(seqs)]
    return sum(len(rows) for rows in graph.run(Unit.of(steps)).rows)
