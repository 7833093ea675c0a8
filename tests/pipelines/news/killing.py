"""What a process does until it is killed: it runs the updater or the processor, and tells its parent of every step."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from graphvine.clock import SystemClock
from graphvine.graph import Graph
from graphvine.workers.news.processor import Processor
from graphvine.workers.news.updater import Updater
from tests.pipelines.news.servers import Site
from tests.pipelines.news.support import additions, articles, checkpoint, in_order, local, newsdata, passed, queue
from tests.support.processes import Send
from tests.support.stores import Place

# Checkpoints come often, so that kills hit them too.
OPTIONS: dict[str, Any] = {"max_lost_claims": 100_000, "backoff_seconds": 0.01, "checkpoint_memory_mb": 4}


def working(send: Send, place: Place, url: str, works: Sequence[str], stand_at: str = "") -> dict[str, Any]:
    """Look around, then run the updater, the processor, or both; at this step it stands still, once it has told."""
    with place.open(SystemClock(), **OPTIONS) as graph:
        in_order(graph)
        send(look_at(graph))
        tell = _telling(send, stand_at)
        for work in works:
            if work == "update":
                Updater(graph, local(), providers=[newsdata(Site(url=url))], on_step=tell).run_once()
            else:
                Processor(graph, local(mentions=False, max_articles_per_run=50), on_step=tell).run(until_empty=True)
        in_order(graph)
        return look_at(graph)


def _telling(send: Send, stand_at: str) -> Callable[[str], None]:
    def tell(step: str) -> None:
        send(step)
        if step == stand_at:
            threading.Event().wait()  # until the kill

    return tell


def look_at(graph: Graph) -> dict[str, Any]:
    """What is in the store."""
    return {
        "states": {path: row["state"] for path, row in articles(graph).items()}, "additions": additions(graph),
        "checkpoint": checkpoint(graph), "queue": queue(graph), "passed": passed(graph),
    }  # fmt: skip


def examine(send: Send, place: Place) -> list[str]:
    """What the doctor has to say."""
    with place.open(SystemClock(), **OPTIONS) as graph:
        return [finding.detail for finding in graph.doctor() if not finding.ok]
