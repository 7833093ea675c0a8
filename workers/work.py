"""A worker: the common loop with the handler of one pipeline, and the jobs of the scheduler beside it."""

from __future__ import annotations

import threading
from contextlib import closing, nullcontext
from typing import Any

from graphvine.dispatch import Run
from graphvine.graph import Graph
from graphvine.workers.counts import Counts
from graphvine.workers.loop import Loop
from graphvine.workers.registry import handler
from graphvine.workers.requests import WorkRequest
from graphvine.workers.scheduler import Reaper, running


def run_work(graph: Graph, request: WorkRequest, run: Run[Counts]) -> Counts:
    """Claim, handle and settle until there is a reason to end; publishes the counts of each batch."""
    me = threading.get_ident()

    def on_event(event: str, facts: dict[str, Any]) -> None:
        # A loop reports in its own thread: so this batch is ours, and no other worker's.
        if event == "batch" and threading.get_ident() == me:
            run.publish(facts["counts"], "batch")

    # The daemon has a scheduler of its own, for itself and for whoever is connected to it.
    scheduled = request.once or run.in_daemon or not graph.engine.capabilities.maintains
    with closing(handler(graph, request.pipeline)) as handling:
        batch = request.batch or getattr(handling, "batch_size", None)
        loop = Loop(graph, request.pipeline, handling, batch=batch, stop=run.stop)
        graph.store.subscribe(on_event)
        try:
            if request.once or (request.until_empty and not scheduled):
                # The scheduler would not come to it in one batch, nor where dead workers hold all that is left.
                Reaper(graph).run_once()
            with nullcontext() if scheduled else running(graph):
                return loop.run(once=request.once, until_empty=request.until_empty)
        finally:
            graph.store.unsubscribe(on_event)
