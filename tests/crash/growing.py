"""What the processes of the kill tests of growth do: run the real command, and look at what came of it."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from tests.support.grown import content, vectors
from tests.support.processes import Send
from tests.support.stores import Place

# Small batches and budgets: many commits, and a checkpoint every few of them.
SMALL = {
    "GRAPHVINE_WIKIPEDIA_BATCH_SIZE": "6",
    "GRAPHVINE_CHECKPOINT_MEMORY_MB": "1",
    "GRAPHVINE_CHECKPOINT_LOG_MB": "1",
    "GRAPHVINE_BUFFER_POOL_MB": "128",
    "GRAPHVINE_READER_THREADS": "1",
    "GRAPHVINE_SYNC": "false",
}


def grow(send: Send, place: Place, seeds: list[str], source: str, embedder: str, cache: str) -> float:
    """`graphvine grow`, as somebody at a terminal starts it; returns how long it took."""
    os.environ.update(SMALL, GRAPHVINE_WIKIPEDIA_EMBEDDER=embedder, XDG_CACHE_HOME=cache)
    sys.argv = ["graphvine", "--graph", place.where, "grow", *seeds, "--source", source, "--depth", "20"]
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  for the life of the process
    from graphvine.workers.cli.main import main

    started = time.monotonic()
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise AssertionError(f"graphvine grow ended with status {ended.code}") from ended
    return time.monotonic() - started


def look(send: Send, place: Place) -> dict[str, Any]:
    """Everything that holds, what opening had to mend, and what a doctor would complain of."""
    with place.open() as graph:
        return {
            "recovered": graph.engine.recovered,  # type: ignore[attr-defined]  # embedded engines have it
            "content": content(graph),
            "vectors": vectors(graph),
            "ailments": [finding for finding in graph.doctor() if not finding.ok],
        }
