"""When to checkpoint: as seldom as memory and the length of the log allow.

Until a checkpoint, Kuzu holds about 16 KB in memory for each column and stretch of 2,048 rows that a transaction
touched; and what is in the log is replayed on opening. A checkpoint costs a copy of the database file, so its share
of the time is kept small, unless memory is about to run out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_HELD_BYTES = 16 * 1024
_STRETCH_BITS = 11
_SET = re.compile(r"\bSET\b(.*?)(?:\bRETURN\b|\bMERGE\b|\bWITH\b|\bMATCH\b|$)", re.IGNORECASE | re.DOTALL)
_ASSIGNED = re.compile(r"\b\w+\.\w+\s*=(?!=)")


def columns_set(text: str) -> int:
    """How many columns a statement sets."""
    return sum(len(_ASSIGNED.findall(part)) for part in _SET.findall(text))


def bytes_held(columns: int, parameters: Mapping[str, Any]) -> int:
    """What one run of a statement keeps in memory until the next checkpoint, roughly."""
    seqs = parameters.get("seqs")
    if seqs is not None:
        stretches = len({seq >> _STRETCH_BITS for seq in seqs})
    else:
        rows = parameters.get("rows") or parameters.get("keys")
        stretches = 1 if rows is None else max(1, len(rows))
    return columns * min(stretches, 512) * _HELD_BYTES


@dataclass(slots=True)
class CheckpointPolicy:
    """Counts what was held since the last checkpoint, and says when the next is wanted."""

    memory_budget: int  # bytes held that ask for a checkpoint
    log_budget: int  # bytes of log that ask for one
    time_share: float = 0.05  # of the time, at most, unless memory is short
    held: int = 0
    _ended_at: float = 0.0
    _took: float = 0.0

    def wanted(self, log_bytes: int, now: float) -> bool:
        if self.held < self.memory_budget and log_bytes < self.log_budget:
            return False
        if self.held >= 4 * self.memory_budget:
            return True
        return now - self._ended_at >= self._took * (1 / self.time_share - 1)

    def done(self, started: float, ended: float) -> None:
        self.held, self._took, self._ended_at = 0, ended - started, ended

    def postponed(self, now: float) -> None:
        """Readers were in the way: try again in a while."""
        self._ended_at, self._took = now, max(self._took, 0.05)
