"""What a pipeline is to the loop: something that is handed claims and answers for each with a verb."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Protocol

from graphvine.errors import GraphvineError
from graphvine.outcomes import Outcome
from graphvine.records import Claim


class CannotWork(GraphvineError):
    """No row could be worked on, whichever it is: the worker ends with this, and gives back what it holds."""


class Context:
    """What a handler may ask while it works: is this claim still ours, is it time to stop?"""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._lost: set[tuple[int, int]] = set()

    @property
    def stopping(self) -> bool:
        """Somebody asked the worker to stop: answer for what is done, and leave the rest."""
        return self._stop.is_set()

    def lost(self, claim: Claim) -> bool:
        """The claim was taken away (its worker was thought dead): work on it is for nothing."""
        return (claim.seq, claim.token) in self._lost

    def lose(self, claims: Iterable[Claim]) -> None:
        self._lost.update((claim.seq, claim.token) for claim in claims)


class Handler(Protocol):
    """It never completes by itself: what it answers is written with the new state, in one transaction."""

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterable[Outcome]:
        """Work on these, and answer for each once: Done, Retry or GiveUp, in any order, as they come.

        A claim without an answer is released when the worker stops, and tried again otherwise. An exception is a
        Retry for every claim that has no answer yet; CannotWork ends the worker instead.
        """
        ...

    def close(self) -> None: ...
