"""Whether a pipeline exists, told before a graph is opened, or made, for it."""

from __future__ import annotations


def check_pipeline(name: str) -> None:
    """Raise UnknownPipeline unless there is one of this name."""
    from graphvine.errors import UnknownPipeline
    from graphvine.queries import library

    machines = library().machines
    if name not in machines:
        raise UnknownPipeline(name, list(machines))
