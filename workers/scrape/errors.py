"""What can go wrong with a batch as a whole; what is wrong with one page stands on its row.

GraphvineError
|- BadAddress       an address in the list that is none
|- BadBatch         a name that can't name a batch, or names none
|- BatchBusy        another manager has the batch in hand
|- BatchLost        another manager took the batch over
|- HookBroken       the hook can't be found or called
|- ManagerOnly      scraping is not work for the common loop
"""

from __future__ import annotations

from graphvine.errors import GraphvineError


class BadAddress(GraphvineError):
    """An address in the list that is none."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place, self.reason = place, reason


class BadBatch(GraphvineError):
    """A name that can't name a batch, or names none."""


class BatchBusy(GraphvineError):
    """Another manager has the batch in hand."""

    def __init__(self, batch: str, holder: str) -> None:
        super().__init__(f"the batch {batch!r} is in the hands of {holder}: wait for it, or stand by with standby=True")
        self.batch, self.holder = batch, holder


class BatchLost(GraphvineError):
    """Another manager took the batch over; nothing more was written by this one."""

    def __init__(self, batch: str) -> None:
        super().__init__(f"another manager took over the batch {batch!r}: this one had been silent for too long")
        self.batch = batch


class HookBroken(GraphvineError):
    """The hook can't be found or called: a setting has to change."""


class ManagerOnly(GraphvineError):
    """Scraping is not work for the common loop."""
