"""Find articles whose page was revised since, and put them back into the queue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graphvine.graph import Graph
from graphvine.records import Step, Unit
from graphvine.window import spans
from graphvine.workers.wikipedia.opening import open_source
from graphvine.workers.wikipedia.settings import WikipediaSettings, load
from graphvine.workers.wikipedia.sources import Source

_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class RefreshSummary:
    checked: int
    changed: int


def refresh(
    graph: Graph,
    *,
    source: str | Source | None = None,
    settings: WikipediaSettings | None = None,
    progress: Callable[[int], None] | None = None,
) -> RefreshSummary:
    """Compare the revision of every processed article with the source's. `grow` then expands what changed."""
    settings = settings or load(source=source if isinstance(source, str) else None)
    opened = open_source(settings) if source is None or isinstance(source, str) else source
    checked = changed = after = 0
    try:
        while rows := graph.read("article.revisions", after=after, limit=_ROWS_AT_ONCE):
            after = rows[-1]["seq"]
            newer = opened.changed_since({row["key"]: row["revision"] for row in rows})
            changed += _requeue(graph, [row["seq"] for row in rows if row["key"] in newer])
            checked += len(rows)
            if progress is not None:
                progress(checked)
    finally:
        if opened is not source:
            opened.close()
    return RefreshSummary(checked, changed)


def _requeue(graph: Graph, seqs: list[int]) -> int:
    if not seqs:
        return 0
    now = graph.clock.now_ms()
    steps = [Step("article.refresh", {**span, "now": now}) for span in spans(seqs)]
    return sum(len(rows) for rows in graph.run(Unit.of(steps)).rows)
