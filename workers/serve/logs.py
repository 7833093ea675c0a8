"""Structured logs: one JSON object a line on standard error. What is secret never comes near them."""

from __future__ import annotations

import logging
import sys
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from graphvine.graph import Graph
from graphvine.redact import redact
from graphvine.workers import log

_log = logging.getLogger("graphvine.events")
_KINDS_KEPT = 1_000


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
        written = redact(written)
        return written.replace(self._secret, "[token]") if self._secret else written


class Repeats(logging.Filter):
    """A warning that comes again and again is written a few times; then it is counted, and the count comes with it."""

    def __init__(self, most: int = 5, seconds: float = 10.0) -> None:
        super().__init__()
        self._most, self._seconds = most, seconds
        self._seen: OrderedDict[tuple[str, int, str], list[float]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        key = (record.name, record.levelno, str(record.msg)[:200])
        since, written, left_out = self._seen.pop(key, [record.created, 0, 0])
        if record.created - since > self._seconds:
            if left_out:
                record.facts = {**getattr(record, "facts", {}), "repeated": int(left_out)}
            since, written, left_out = record.created, 0, 0
        passes = written < self._most
        self._seen[key] = [since, written + passes, left_out + (not passes)]
        if len(self._seen) > _KINDS_KEPT:
            self._seen.popitem(last=False)
        return passes


class Readable(JsonLines):
    """The same lines for people, in a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        facts = " ".join(f"{name}={_brief(value)}" for name, value in getattr(record, "facts", {}).items())
        at = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        level = "" if record.levelno == logging.INFO else f"{record.levelname} "
        line = f"{at} {level}{record.getMessage()} {facts}".rstrip()
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line.replace(self._secret, "[token]") if self._secret else line


def write_logs(secret: str, *, verbose: bool = False, as_json: bool | None = None) -> None:
    """Have everything logged on standard error, Python's own warnings too: for people in a terminal, else as JSON."""
    logging.captureWarnings(True)
    handler = logging.StreamHandler(sys.stderr)
    in_json = not sys.stderr.isatty() if as_json is None else as_json
    handler.setFormatter(JsonLines(secret) if in_json else Readable(secret))
    handler.addFilter(Repeats())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logger = logging.getLogger("graphvine")
    logger.handlers, logger.propagate = [], True
    logger.setLevel(logging.DEBUG if verbose else logging.INFO)


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}:{inner}" for name, inner in value.items() if inner)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def attach(graph: Graph) -> None:
    """A line for each event of the graph, with its facts as they are."""
    log.attach(graph, _with_facts)


def _with_facts(level: int, event: str, facts: Mapping[str, Any]) -> None:
    if _log.isEnabledFor(level):
        plain = {name: asdict(v) if is_dataclass(v) and not isinstance(v, type) else v for name, v in facts.items()}
        _log.log(level, event, extra={"facts": plain})
