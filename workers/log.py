"""Events of the graph as log lines: the one place that says which are worth how much."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from graphvine.graph import Graph

_log = logging.getLogger("graphvine")
_LEVELS = {"read": logging.DEBUG, "write": logging.DEBUG, "claims_lost": logging.WARNING}
_SLOW_SECONDS = 1.0
Write = Callable[[int, str, Mapping[str, Any]], None]


def attach(graph: Graph, write: Write | None = None) -> None:
    """Write a line for each event: statements at DEBUG (slow ones at WARNING), the rest at INFO."""
    written = write or _in_words

    def line(event: str, facts: Mapping[str, Any]) -> None:
        slow = facts.get("seconds", 0) >= _SLOW_SECONDS
        written(logging.WARNING if slow else _LEVELS.get(event, logging.INFO), event, facts)

    graph.store.subscribe(line)


def _in_words(level: int, event: str, facts: Mapping[str, Any]) -> None:
    if _log.isEnabledFor(level):
        _log.log(level, "%s %s", event, " ".join(f"{name}={_shown(value)}" for name, value in facts.items()))


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if is_dataclass(value) and not isinstance(value, type):
        return ",".join(f"{name}:{count}" for name, count in asdict(value).items() if count)
    return str(value)
