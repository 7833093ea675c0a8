"""How a command comes by its graph."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from graphvine.workers.cli.options import common

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.settings import Settings


# Another command may hold the file for a moment, or be about to open its door.
_PATIENCE_SECONDS = 3.0


@contextmanager
def opened(
    context: typer.Context, *, create: bool = False, settings: Settings | None = None, door: bool = False
) -> Iterator[Graph]:
    """The graph that the options name, through the process that serves it where one does.

    A command that makes nothing must not make a graph either. One that runs for long opens a `door`: while it holds
    the file, other commands come in through it.
    """
    options = common(context)
    with _open(options.graph, create, settings) as graph:
        if options.verbose:
            from graphvine.workers.log import attach

            attach(graph)
        if not door or graph.door.served is not None or not graph.engine.capabilities.single_owner:
            yield graph
            return
        with _door(graph, f"graphvine {context.info_name}"):
            yield graph


def _open(where: str | None, create: bool, settings: Settings | None) -> Graph:
    import graphvine
    from graphvine.errors import StoreBusy

    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            return graphvine.open(where, create=create, settings=settings)
        except StoreBusy:
            if time.monotonic() >= end:
                raise
            time.sleep(0.05)


@contextmanager
def _door(graph: Graph, what: str) -> Iterator[None]:
    """Opened beside the work, not before it: the parts of the HTTP server take half a second to load."""
    import threading
    from contextlib import ExitStack

    over, opening = threading.Event(), ExitStack()

    def run() -> None:
        from importlib.util import find_spec

        if find_spec("fastapi") is None or find_spec("uvicorn") is None or find_spec("prometheus_client") is None:
            return  # without the extra 'serve' there is no door, and the work goes on
        from graphvine.errors import GraphvineError
        from graphvine.workers.serve.doorway import open_door

        try:
            with opening:
                if not over.is_set():
                    opening.enter_context(open_door(graph, what))
                    over.wait()
        except (GraphvineError, OSError) as error:
            import logging

            logging.getLogger("graphvine.serve").warning("other commands can't come in meanwhile: %s", error)

    thread = threading.Thread(target=run, name="graphvine-door", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def place(context: typer.Context) -> str:
    """Where the graph is, for a command that does not open it."""
    from graphvine.settings import load

    return common(context).graph or load().graph
