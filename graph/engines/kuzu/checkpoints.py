"""When to checkpoint: as seldom as memory and the length of the log allow.

Until a checkpoint, Kuzu holds about 16 KB in memory for each column and stretch of 2,048 rows that a transaction
touched; what is in the log is replayed on opening; and reading a column gets dearer with every row of it that was
changed. A checkpoint costs a look over the whole database file. So one is made when the dearer reads since the last
have cost as much as it did: whatever comes next, that is at most twice the best that could have been done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphvine.queries.compile import Statement
from graphvine.settings import Settings

_HELD_BYTES = 16 * 1024
_STRETCH_BITS = 11
# Measured at a million rows: a guarded statement takes this much longer for each row changed since the checkpoint, as
# long as they lie near each other; Kuzu looks at the changes of a group of 131,072 rows together.
_SECONDS_PER_CHANGED_ROW = 0.45e-6
_GROUP_ROWS = 131_072
_FIRST_GUESS_SECONDS = 0.1
_WEIGHT_OF_THE_LAST = 0.3
# What was written since the last checkpoint, and what the next one needs to fold it in, share the pool with the pages.
_HELD_OF_THE_POOL = 4


def bytes_held(statement: Statement, parameters: Mapping[str, Any]) -> int:
    """What one run of a statement keeps in memory until the next checkpoint, roughly."""
    stretches = 1
    if statement.rows:
        rows = parameters[statement.rows]
        stretches = len({seq >> _STRETCH_BITS for seq in rows}) if statement.by_number else max(1, len(rows))
    return statement.columns_set * min(stretches, 512) * _HELD_BYTES


@dataclass(slots=True)
class CheckpointPolicy:
    """Counts what was held since the last checkpoint, and says when the next is wanted."""

    memory_budget: int  # bytes held that ask for a checkpoint
    log_budget: int  # bytes of log that ask for one
    most: int  # bytes held, or of log, with which none is put off any longer: the engine's memory has an end
    time_share: float = 0.05  # of the time, at most, unless memory is short
    held: int = 0
    _changed_rows: int = 0
    _excess_seconds: float = 0.0
    _ended_at: float = 0.0
    _took: float = _FIRST_GUESS_SECONDS
    _last_took: float = _FIRST_GUESS_SECONDS

    def ran(self, statement: Statement, parameters: Mapping[str, Any], rows: int) -> None:
        """A statement was run, and returned so many rows."""
        if statement.columns_set:
            self.held += bytes_held(statement, parameters)
            if statement.batch is not None:  # it looks at a group of rows; a look-up by key does not
                self._excess_seconds += _SECONDS_PER_CHANGED_ROW * min(self._changed_rows, _GROUP_ROWS)
            self._changed_rows += rows

    def wanted(self, log_bytes: int, now: float) -> bool:
        if self._excess_seconds >= self._took or max(self.held, log_bytes) >= self.most:
            return True
        if self.held < self.memory_budget and log_bytes < self.log_budget:
            return False
        return now - self._ended_at >= self._last_took * (1 / self.time_share - 1)

    def done(self, started: float, ended: float) -> None:
        self.forget()
        # Smoothed: one that was slow by chance does not make the next wait, and memory grow.
        self._last_took, self._ended_at = ended - started, ended
        self._took += (self._last_took - self._took) * _WEIGHT_OF_THE_LAST

    def opened(self, held: int) -> None:
        """The files were opened: what their log tells of is in memory again."""
        self.forget()
        self.held = held

    def forget(self) -> None:
        """All was written out: nothing is held."""
        self.held, self._changed_rows, self._excess_seconds = 0, 0, 0.0

    def postponed(self, now: float) -> None:
        """Readers were in the way: try again in a while."""
        self._ended_at, self._excess_seconds = now, 0.0


def policy_of(settings: Settings) -> CheckpointPolicy:
    pool = settings.buffer_pool_mb << 20
    return CheckpointPolicy(
        settings.checkpoint_memory_mb << 20, settings.checkpoint_log_mb << 20, most=pool // _HELD_OF_THE_POOL
    )
