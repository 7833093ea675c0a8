"""Structured logs: one JSON object a line on standard error. What is secret never comes near them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from graphvine.graph import Graph
from graphvine.workers import log

_log = logging.getLogger("graphvine.events")


class JsonLines(logging.Formatter):
    def __init__(self, secret: str) -> None:
        super().__init__()
        self._secret = secret

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(), "logger": record.name, "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }  # fmt: skip
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        written = msgspec.json.encode(line, enc_hook=str).decode("utf-8", "replace")
        # The last line of defence: whatever a library writes, the token is not in it.
        return written.replace(self._secret, "[token]") if self._secret else written


def write_json_lines(secret: str, *, verbose: bool = False) -> None:
    """Have everything logged as JSON lines on standard error, Python's own warnings too."""
    logging.captureWarnings(True)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(secret))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logger = logging.getLogger("graphvine")
    logger.handlers, logger.propagate = [], True
    logger.setLevel(logging.DEBUG if verbose else logging.INFO)


def attach(graph: Graph) -> None:
    """A line for each event of the graph, with its facts as they are."""
    log.attach(graph, _with_facts)


def _with_facts(level: int, event: str, facts: Mapping[str, Any]) -> None:
    if _log.isEnabledFor(level):
        plain = {name: asdict(v) if is_dataclass(v) and not isinstance(v, type) else v for name, v in facts.items()}
        _log.log(level, event, extra={"facts": plain})
