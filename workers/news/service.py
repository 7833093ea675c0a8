"""The daemon's part of this pipeline: the scheduler runs the processor; what it holds is given back when all ends."""

from __future__ import annotations

import threading

from graphvine.graph import Graph
from graphvine.workers.news.jobs import shift


def serve(graph: Graph, stop: threading.Event) -> None:
    """Until told to stop: then the run that is at work ends, and is waited for."""
    ours = shift(graph)
    ours.stop.clear()
    stop.wait()
    ours.stop.set()
    with ours.at_work:
        return
