"""A worker in the daemon for as long as a command in another process wants it: how `graphvine work` works on pipelines
that are the owner's alone. Of hn_item and upload: what waits for its parent is known in the memory of one process.
"""

from __future__ import annotations

import threading
from contextlib import closing
from typing import Any

from graphvine.graph import Graph
from graphvine.workers.loop import Counts, Loop
from graphvine.workers.reaper import Reaper
from graphvine.workers.registry import handler
from graphvine.workers.serve.jobs import Tell

HIRED = "work"


def run_hired(graph: Graph, asked: dict[str, Any], tell: Tell, stop: threading.Event) -> Counts:
    """The job: a loop that tells of each batch."""
    pipeline, me = str(asked["pipeline"]), threading.get_ident()

    def hear(event: str, facts: dict[str, Any]) -> None:
        # A loop reports in its own thread: so this batch is ours, and no other worker's.
        if event == "batch" and threading.get_ident() == me:
            tell("batch", facts["counts"])

    with closing(handler(graph, pipeline)) as handling:
        loop = Loop(graph, pipeline, handling, batch=asked["batch"], stop=stop)
        graph.door.listen(hear)
        try:
            if asked["once"]:
                Reaper(graph).run_once()
            return loop.run(once=asked["once"], until_empty=asked["until_empty"])
        finally:
            graph.door.unlisten(hear)
