"""Growth that the process which serves the graph does, watched from here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.remote import run_job
from graphvine.workers.wikipedia.grow import GrowEvent, GrowSummary


def grow(
    graph: Graph, titles: Sequence[str] = (), *, depth: int = 2, limit: int | None = None, source: Any = None,
    workers: int | None = None, category_filter: str = "", settings: Any = None,
    on_event: Callable[[GrowEvent], None] | None = None, stop: threading.Event | None = None,
) -> GrowSummary:  # fmt: skip
    """The same as `grow`, by the daemon and its settings."""
    if settings is not None or not (source is None or isinstance(source, str)):
        raise GraphvineError("the process that serves the graph grows it by its own settings: name the source by text")
    if source is not None and Path(source).exists():
        source = str(Path(source).absolute())  # the daemon may stand in another folder
    asked = {
        "titles": list(titles), "depth": depth, "limit": limit, "source": source, "workers": workers,
        "category_filter": category_filter,
    }  # fmt: skip

    def told(name: str, facts: Any) -> None:
        if on_event is not None:
            on_event(msgspec.convert(facts, GrowEvent))

    return run_job(graph, "grow", asked, GrowSummary, told, stop)
