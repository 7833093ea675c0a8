"""What a process does until it is killed: it uploads a file, retries it once, and tells its parent how far it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphvine.workers.uploads.api import Uploads
from tests.pipelines.hn.looking import whole
from tests.pipelines.uploads.making import Item, ailments, collected, items, small
from tests.support.processes import Send, die_after
from tests.support.stores import Place

OPTIONS: dict[str, Any] = {"max_lost_claims": 100_000, "checkpoint_log_mb": 1, "checkpoint_memory_mb": 4}
BATCH = 20


def mixed(count: int) -> list[Any]:
    """Good items, items that come twice, and every seventh bad in one of several ways."""
    made: list[Any] = items(count)
    bad: list[Any] = [{"id": 7}, {"id": -1, "type": "story"}, 5, None, {"type": "story"}, {"id": 9, "type": "comment"}]
    for place in range(0, count, 7):
        one = bad[place % len(bad)]
        made[place] = one | {"id": 1_000_000 + place} if isinstance(one, dict) and one.get("id", 0) > 0 else one
    for place in range(3, count, 11):
        if isinstance(made[place], dict) and isinstance(made[place - 1], dict):
            made[place] = dict(made[place - 1])
    # Comments below what was spoilt wait for it: stories stand by themselves.
    return [_standing(item) if isinstance(item, dict) else item for item in made]


def _standing(item: Item) -> Item:
    return item | {"type": "story"} if "parent" in item and item["id"] % 3 else item


@dataclass(frozen=True)
class Death:
    """When a process is to die: so long after the so-manieth step of a phase."""

    phase: str
    step: int
    seconds: float


def bring(send: Send, place: Place, file: Path, death: Death | None = None) -> str:
    """Upload, or go on with it; then try the failed items once more. Tells of every step, unless it dies before."""
    with place.open(**OPTIONS) as graph:
        steps: Counter[str] = Counter()

        def listen(event: str, facts: dict[str, Any]) -> None:
            if event == "upload":
                phase = facts["phase"]
                send(phase)
                steps[phase] += 1
                if death is not None and death.phase == phase and steps[phase] == death.step:
                    die_after(death.seconds)

        graph.store.subscribe(listen)
        uploads = Uploads(graph, small(items_at_once=BATCH, chunk_bytes=700, bytes_at_once=1 << 20))
        found = uploads.upload(file)
        if found.state == "partial_success" and not found.retry_count:
            found = uploads.retry(found.upload_id)
        return found.state


def look(send: Send, place: Place) -> dict[str, Any]:
    """All that must not depend on kills."""
    from graphvine.workers.hn.search import HNSearch

    with place.open(**OPTIONS) as graph:
        uploads = Uploads(graph)
        (found,) = uploads.list()
        with HNSearch(graph) as searching:
            indexed = searching.search("").total
        errors = [
            tuple(row[name] for name in ("index", "hnId", "field", "message", "given", "round"))
            for row in uploads.errors(found.upload_id)
        ]
        nodes = graph.query("MATCH (:Upload)-[:UPLOAD_ERROR]->(e:UploadError) RETURN e.id ORDER BY e.id").rows
        return {
            "state": found.state,
            "counts": (found.total_items, found.processed_items, found.failed_items, found.new_items,
                       found.updated_items, found.unchanged_items, found.retry_count, found.retry_total),
            "reports": (found.processing_report, found.failure_report, found.processing_errors),
            "progress": found.processing_progress,
            "errors": errors,
            "error nodes": nodes,
            "collection": collected(graph, found.collection_id),
            "graph": whole(graph),
            "indexed": indexed,
            "ailments": ailments(graph),
        }  # fmt: skip
