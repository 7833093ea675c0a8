"""What a served graph has done by the process that owns it: calls that answer at once, and jobs that are watched.

A job that ended with its daemon is given to the next one: every job of ours goes on where it was.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from graphvine.engines.http_wire import DaemonError
from graphvine.errors import GraphvineError

if TYPE_CHECKING:
    from graphvine.engines.protocol import ServedEngine
    from graphvine.graph import Graph

T = TypeVar("T")
_WAIT_SECONDS = 10.0


class JobFailed(GraphvineError):
    """A job ended with an error, over there."""


def call(graph: Graph, name: str, asked: dict[str, Any], kind: type[T]) -> T:
    """Have the daemon do something that it may safely be asked twice."""
    return msgspec.convert(_line(graph).ask("/engine/call", {"name": name, "asked": asked}), kind)


def have_done(graph: Graph, verb: str, place: str | os.PathLike[str], kind: type[T]) -> T:
    """A backup, an export or a load, by the process that serves the graph, on its machine."""
    return msgspec.convert(_line(graph).care(verb, str(Path(place).absolute())), kind)


def run_job(
    graph: Graph, verb: str, asked: dict[str, Any], kind: type[T], tell: Callable[[str, Any], None] | None = None,
    stop: threading.Event | None = None,
) -> T:  # fmt: skip
    """Give the daemon a job and watch it to its end; `stop` ends it cleanly."""
    line, number, told_to_stop = _line(graph), 0, False
    id = line.ask("/engine/start_job", {"verb": verb, "asked": asked})
    while True:
        try:
            if stop is not None and stop.is_set() and not told_to_stop:
                line.ask("/engine/stop_job", {"id": id})
                told_to_stop = True
            seconds = _WAIT_SECONDS if stop is None else 0.5
            found = line.ask("/engine/watch_job", {"id": id, "after": number, "seconds": seconds})
        except DaemonError as error:
            if error.kind != "UnknownJob":
                raise
            number, told_to_stop = 0, False  # the daemon was started anew
            id = line.ask("/engine/start_job", {"verb": verb, "asked": asked})
            continue
        for event in found["events"]:
            number = event["number"]
            if tell is not None:
                tell(event["name"], event["facts"])
        if found["cut"]:
            number = 0
            id = line.ask("/engine/start_job", {"verb": verb, "asked": asked})
        elif found["state"] != "running":
            if found["error"] is not None:
                raise JobFailed(found["error"])
            return msgspec.convert(found["result"], kind)


def _line(graph: Graph) -> ServedEngine:
    served = graph.door.served
    if served is None:
        raise GraphvineError("this graph is not served by another process")
    return served
