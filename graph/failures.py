"""How a failure is recorded, the same in every pipeline: its text, its node, and the wait before the next try."""

from __future__ import annotations

import random
from datetime import datetime
from typing import Any

from graphvine.records import Row, Step
from graphvine.settings import Settings

MESSAGE_CHARACTERS, TRACE_CHARACTERS = 2_000, 8_000
# A row keeps this many failures: the next replaces the oldest.
_FAILURES_KEPT = 10
_jitter = random.Random()


def clean_text(text: str, longest: int | None = MESSAGE_CHARACTERS) -> str:
    """Text that every engine can store, cut at `longest`: a lone surrogate would raise inside the transaction."""
    return text[:longest].encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def backoff(settings: Settings, attempt: int) -> float:
    """Seconds to wait, doubling with each attempt; the jitter keeps rows that failed together apart."""
    longest = min(settings.backoff_max_seconds, settings.backoff_seconds * 2.0 ** (attempt - 1))
    return longest * _jitter.uniform(0.5, 1.0)


def failure(
    pipeline: str, key: Any, count: int | None, *, attempt: int, kind: str, message: str, trace: str | None = None
) -> Row:
    """The columns of a failure's node. `count` is how many failures the row has had so far."""
    return {
        "id": f"{pipeline}/{key}/{(count or 0) % _FAILURES_KEPT}", "attempt": attempt, "kind": kind,
        "message": clean_text(message), "trace": clean_text(trace, TRACE_CHARACTERS) if trace else None,
    }  # fmt: skip


def note_failure(
    pipeline: str, seq: int, key: str, count: int | None, *, at: datetime, attempt: int, kind: str, message: str,
    trace: str | None = None,
) -> Step:  # fmt: skip
    """The step that keeps a failure on its row, where the claim still held."""
    columns = failure(pipeline, key, count, attempt=attempt, kind=kind, message=message, trace=trace)
    return Step(f"{pipeline}.note_failure", {"seq": seq, "key": key, "at": at, **columns})
