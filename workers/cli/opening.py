"""How a command comes by its graph."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from graphvine.workers.cli.options import common

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.settings import Settings


@contextmanager
def opened(context: typer.Context, *, create: bool = False, settings: Settings | None = None) -> Iterator[Graph]:
    """The graph that the options name. A command that makes nothing must not make a graph either."""
    import graphvine

    options = common(context)
    with graphvine.open(options.graph, create=create, settings=settings) as graph:
        if options.verbose:
            from graphvine.workers.log import attach

            attach(graph)
        yield graph


def place(context: typer.Context) -> str:
    """Where the graph is, for a command that does not open it."""
    from graphvine.settings import load

    return common(context).graph or load().graph
