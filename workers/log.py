"""Events of the graph as log lines: the one place where they are written."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from graphvine.graph import Graph

_log = logging.getLogger("graphvine")
_LEVELS = {"read": logging.DEBUG, "write": logging.DEBUG, "claims_lost": logging.WARNING}
_SLOW_SECONDS = 1.0


def attach(graph: Graph) -> None:
    """Write a line for each event: statements at DEBUG (slow ones at WARNING), the rest at INFO."""
    graph.door.listen(_line)


def _line(event: str, facts: Mapping[str, Any]) -> None:
    level = _LEVELS.get(event, logging.INFO)
    if facts.get("seconds", 0) >= _SLOW_SECONDS:
        level = logging.WARNING
    if _log.isEnabledFor(level):
        _log.log(level, "%s %s", event, " ".join(f"{name}={_shown(value)}" for name, value in facts.items()))


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if is_dataclass(value) and not isinstance(value, type):
        return ",".join(f"{name}:{count}" for name, count in asdict(value).items() if count)
    return str(value)
