"""Opens the graph for a command."""

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


# Another command may hold the file for a moment, or a daemon that is just starting; after the first of these a line
# says what is waited for.
_QUIET_SECONDS, _PATIENCE_SECONDS = 3.0, 30.0
# A command that is over sooner has nobody to share with, and one that is killed early has written something first.
_SHARED_AFTER_SECONDS = 1.0


@contextmanager
def opened(
    context: typer.Context, *, create: bool = False, settings: Settings | None = None, share: bool = False
) -> Iterator[Graph]:
    """The graph that the options name, through the process that serves it where one does.

    A command that creates nothing must not create a graph either. One that runs for long shares the graph
    (`share=True`): while it holds the file, other commands go through it.
    """
    options = common(context)
    with _open(options.graph, create, settings) as graph:
        if options.verbose:
            from graphvine.workers.log import attach

            attach(graph)
        if not share or not graph.engine.capabilities.single_owner or graph.engine.capabilities.read_only:
            yield graph
            return
        with _shared(graph, f"graphvine {context.info_name}"):
            yield graph


def _open(where: str | None, create: bool, settings: Settings | None) -> Graph:
    import graphvine
    from graphvine.errors import StoreBusy

    began, quiet = time.monotonic(), True
    while True:
        try:
            return graphvine.open(where, create=create, settings=settings)
        except StoreBusy as busy:
            waited = time.monotonic() - began
            if waited >= _PATIENCE_SECONDS:
                raise
            if quiet and waited >= _QUIET_SECONDS:
                quiet = False
                typer.echo(f"{busy.path} is open in {busy.holder}: waiting for it", err=True)
            time.sleep(0.05)


@contextmanager
def _shared(graph: Graph, what: str) -> Iterator[None]:
    """Opened beside the work, and not at its beginning: the parts of the HTTP server take half a second to load."""
    import threading
    from contextlib import ExitStack

    over, opening = threading.Event(), ExitStack()

    def run() -> None:
        from importlib.util import find_spec

        if over.wait(_SHARED_AFTER_SECONDS):
            return
        if find_spec("fastapi") is None or find_spec("uvicorn") is None or find_spec("prometheus_client") is None:
            return  # without the extra 'serve' there is no store, and the work goes on
        from graphvine.errors import GraphvineError
        from graphvine.workers.serve.http_server import share_graph

        try:
            with opening:
                if not over.is_set():
                    opening.enter_context(share_graph(graph, what))
                    over.wait()
        except (GraphvineError, OSError) as error:
            import logging

            logging.getLogger("graphvine.serve").warning("other commands can't come in meanwhile: %s", error)

    thread = threading.Thread(target=run, name="graphvine-share", daemon=True)
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


def check_pipeline(name: str) -> None:
    """Raise UnknownPipeline unless there is one of this name."""
    from graphvine.errors import UnknownPipeline
    from graphvine.pipelines import folder_setting, library

    machines = library("kuzu", folder_setting()).machines
    if name not in machines:
        raise UnknownPipeline(name, list(machines))
