"""Graphvine for asyncio: the same methods, awaited; each runs in a thread of its own.

    import graphvine.aio

    async with graphvine.aio.open("wiki.kuzu") as graph:
        await graph.grow(["Vine"], source="sample", depth=2)
        hits = await graph.search("how do vines climb")

A call that is cancelled ends its query or its work cleanly: what was claimed goes back, and a later call goes on.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from graphvine.graph import Graph
from graphvine.graph import open as open_graph

P = ParamSpec("P")
T = TypeVar("T")


def _awaited(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    stops = "stop" in inspect.signature(method).parameters

    @functools.wraps(method)
    async def run(self: AsyncGraph, *args: P.args, **kwargs: P.kwargs) -> T:
        stop = threading.Event()
        if stops and kwargs.get("stop") is None:
            kwargs["stop"] = stop
        work = asyncio.ensure_future(asyncio.to_thread(method, self.graph, *args, **kwargs))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            stop.set()
            # The thread can't be left behind, since the graph may be closed next; and it may only be about to begin.
            while not work.done():
                self.graph.interrupt()
                await asyncio.wait([work], timeout=0.05)
            raise

    return cast("Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]", run)


class AsyncGraph:
    """A graph whose methods are awaited. `graph` is the plain one, for everything else."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    query = _awaited(Graph.query)
    execute = _awaited(Graph.execute)
    tables = _awaited(Graph.tables)
    neighbourhood = _awaited(Graph.neighbourhood)
    seed = _awaited(Graph.seed)
    status = _awaited(Graph.status)
    failed = _awaited(Graph.failed)
    requeue = _awaited(Graph.requeue)
    exclude = _awaited(Graph.exclude)
    prioritise = _awaited(Graph.prioritise)
    release = _awaited(Graph.release)
    pause = _awaited(Graph.pause)
    resume = _awaited(Graph.resume)
    grow = _awaited(Graph.grow)
    refresh = _awaited(Graph.refresh)
    search = _awaited(Graph.search)
    reindex = _awaited(Graph.reindex)
    map = _awaited(Graph.map)
    upload = _awaited(Graph.upload)
    backup = _awaited(Graph.backup)
    export = _awaited(Graph.export)
    load = _awaited(Graph.load)
    doctor = _awaited(Graph.doctor)
    close = _awaited(Graph.close)

    def scrape(self, *args: Any, **kwargs: Any) -> Any:
        """As Graph.scrape, which is for `async for` already."""
        return self.graph.scrape(*args, **kwargs)


@asynccontextmanager
async def open(*args: Any, **kwargs: Any) -> AsyncIterator[AsyncGraph]:
    """Open a graph as graphvine.open does; leaving the block closes it."""
    graph = AsyncGraph(await asyncio.to_thread(open_graph, *args, **kwargs))
    try:
        yield graph
    finally:
        await asyncio.shield(graph.close())
