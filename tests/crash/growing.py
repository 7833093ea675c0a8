"""What the processes of the kill tests of growth do: run the real command, and look at what came of it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
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
    os.environ.update(XDG_CACHE_HOME=cache)
    started = time.monotonic()
    command(place, "grow", *seeds, "--source", source, "--depth", "20", embedder=embedder)
    return time.monotonic() - started


def command(place: Place, *arguments: str, embedder: str = "none") -> None:
    """A command of `graphvine`, to its end."""
    os.environ.update(SMALL, GRAPHVINE_WIKIPEDIA_EMBEDDER=embedder)
    sys.argv = ["graphvine", "--graph", place.where, *arguments]
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  for the life of the process
    from graphvine.workers.cli.main import main

    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise AssertionError(f"graphvine {arguments[0]} ended with status {ended.code}") from ended


def grow_and_switch(send: Send, place: Place, seeds: list[str], source: str, embedder: str, cache: str) -> float:
    """Vectors from the queue, then those of another model; the models are folders in the cache."""
    return grow_and_embed(send, place, seeds, source, embedder, cache, [["model", "switch", f"{cache}/another"]])


def grow_and_embed(
    send: Send, place: Place, seeds: list[str], source: str, embedder: str, cache: str,
    then: Sequence[Sequence[str]] = (["work", "section", "--until-empty", "--batch", "20"],),
) -> float:  # fmt: skip
    """`graphvine grow --embed later`, then `graphvine work section`; each goes on where a kill left it."""
    os.environ.update(SMALL, GRAPHVINE_WIKIPEDIA_EMBEDDER=embedder, XDG_CACHE_HOME=cache)
    if os.path.isdir(f"{cache}/model"):
        os.environ["GRAPHVINE_WIKIPEDIA_MODEL"] = f"{cache}/model"
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  for the life of the process
    from graphvine.workers.cli.main import main

    started = time.monotonic()
    for command in (
        ["grow", *seeds, "--source", source, "--depth", "20", "--embed", "later"],
        *then,
    ):
        sys.argv = ["graphvine", "--graph", place.where, *command]
        try:
            main()
        except SystemExit as ended:
            if ended.code:
                raise AssertionError(f"graphvine {command[0]} ended with status {ended.code}") from ended
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
