"""Scheduled jobs: new items, changed items, retries that are due, threads that were left behind."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from graphvine.errors import StoreClosed
from graphvine.graph import Graph
from graphvine.records import Row, Step, Unit
from graphvine.workers.hn.errors import SourceAway
from graphvine.workers.hn.ingest.ingest import intake
from graphvine.workers.hn.pull import SINCE_LAST, Pull, Pulled
from graphvine.workers.hn.settings import HNSettings, load
from graphvine.workers.hn.transitions import retry_due
from graphvine.workers.scheduler import Job

_log = logging.getLogger("graphvine.hn")
_ROWS_AT_ONCE = 5_000


def jobs(graph: Graph, settings: HNSettings | None = None) -> list[Job]:
    """The jobs of this pipeline. Pulls begin once somebody has pulled with --since-last, in that graph alone."""
    settings = settings or load()
    found = [Job("hn-retries", settings.retry_seconds, lambda: mend(graph))]
    if settings.since_last_seconds:
        found.append(Job("hn-since-last", settings.since_last_seconds, _pulling(graph, settings, Pull.since_last)))
    if settings.updates_seconds:
        found.append(Job("hn-updates", settings.updates_seconds, _pulling(graph, settings, Pull.updates)))
    return found


def mend(graph: Graph) -> int:
    """Retries that are due go back into the queue, and items that missed their parent or their story get them.

    Returns how many.
    """
    moved = retry_due(graph)
    taking = intake(graph)
    if "unlinked" in graph.library.entities["hn_item"].blocks:
        while linked := taking.alone(lambda: _link(graph)):
            moved += linked
    while settled := taking.alone(lambda: _settle(graph, graph.read("hn_item.left_behind", limit=_ROWS_AT_ONCE))):
        moved += settled
    return moved


def _link(graph: Graph) -> int:
    rows = graph.read("hn_item.unlinked", limit=_ROWS_AT_ONCE)
    for block, options in (("link", False), ("option", True)):
        pairs = [{"parent": r["parent"], "child": r["hnId"], "claim": 0} for r in rows if r["option"] == options]
        if pairs:
            graph.run(Unit.of([Step(f"hn_item.{block}", {"rows": pairs, "first_parent": 1, "first_child": 1})]))
    _settle(graph, [row for row in rows if row["story"]])
    return len(rows)


def _settle(graph: Graph, rows: list[Row]) -> int:
    if rows:
        settled = [{"hnId": row["hnId"], "story": row["story"], "stamp": 0} for row in rows]
        first = min(row["hnId"] for row in rows)
        graph.run(Unit.of([Step("hn_item.settle_story", {"rows": settled, "first_id": first})]))
    return len(rows)


def _pulling(graph: Graph, settings: HNSettings, pull: Callable[[Pull], Pulled]) -> Callable[[], Any]:
    def run() -> Pulled | None:
        asked = any(row["name"] == SINCE_LAST for row in graph.read("hn_item.walks"))
        if graph.store.paused("hn_item") is not None or not asked:
            return None
        try:
            return pull(Pull(graph, settings))
        except SourceAway as error:
            # The next pass finds what this one missed.
            _log.warning("Hacker News is away: %s", error)
        except StoreClosed:
            return None
        return None

    return run
