"""What can go wrong with a wiki as a whole; what is wrong with one title is a result, not an error.

GraphvineError
|- SourceUnavailable     for the moment: try the whole batch again later
|- CannotWork            no title could be worked on: the worker ends
   |- BadDump            a file that can't be read as a dump
   |- SourceRefused      for good: a setting has to change before another call makes sense
   |- ParserUnavailable  the process that parses can't be started
"""

from __future__ import annotations

from typing import Literal

from graphvine.errors import GraphvineError
from graphvine.workers.pipeline import CannotWork

Fault = Literal[
    "timeout", "connection", "server_error", "too_many_requests", "maxlag", "ratelimited", "readonly",
    "cut_body", "bad_json", "endless_continuation",
]  # fmt: skip


class SourceUnavailable(GraphvineError):
    """The wiki can't answer now; nothing is wrong with the titles."""

    def __init__(self, source: str, fault: Fault, reason: str, retry_after_seconds: float | None = None) -> None:
        super().__init__(source, fault, reason, retry_after_seconds)
        self.source, self.fault, self.reason = source, fault, reason
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        wait = "" if self.retry_after_seconds is None else f" It asks to wait {self.retry_after_seconds:g} s."
        return f"{self.source} is not available: {self.reason}.{wait} The titles are tried again later."


class SourceRefused(CannotWork):
    """The wiki will go on refusing until a setting changes."""

    def __init__(self, source: str, reason: str, advice: str) -> None:
        super().__init__(source, reason, advice)
        self.source, self.reason, self.advice = source, reason, advice

    def __str__(self) -> str:
        return f"{self.source} refuses: {self.reason}. {self.advice}"


class BadDump(CannotWork):
    """The file as a whole is not a dump that can be read."""

    def __init__(self, path: str, reason: str, advice: str) -> None:
        super().__init__(path, reason, advice)
        self.path, self.reason, self.advice = path, reason, advice

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}. {self.advice}"


class ParserUnavailable(CannotWork):
    """The process that parses wikitext can't be started or does not answer at all."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the parser process does not work: {self.reason}. Run `graphvine doctor` to see what is missing."
