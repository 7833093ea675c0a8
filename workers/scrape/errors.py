"""Errors of a batch as a whole; the error of one page is on its row.

GraphvineError
|- BadAddress       an invalid address in the list
|- BadBatch         an invalid batch name, or no such batch
|- BatchBusy        another manager runs the batch
|- BatchLost        another manager took the batch over
|- HookBroken       the hook can't be imported or called
"""

from __future__ import annotations

from graphvine.errors import GraphvineError


class BadAddress(GraphvineError):
    """An invalid address in the list."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place, self.reason = place, reason


class BadBatch(GraphvineError):
    """An invalid batch name, or no such batch."""


class BatchBusy(GraphvineError):
    """Another manager runs the batch."""

    def __init__(self, batch: str, holder: str) -> None:
        super().__init__(f"{holder} runs the batch {batch!r}: wait for it, or stand by with standby=True")
        self.batch, self.holder = batch, holder


class BatchLost(GraphvineError):
    """Another manager took the batch over; nothing more was written by this one."""

    def __init__(self, batch: str) -> None:
        super().__init__(f"another manager took over the batch {batch!r}: this one did not renew its lease in time")
        self.batch = batch


class HookBroken(GraphvineError):
    """The hook can't be imported or called: change the setting."""
