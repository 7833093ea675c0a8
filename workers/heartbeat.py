"""Heartbeats in the background: one statement for all claims of a worker, and word of those that were lost."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from graphvine.claims import Claims
from graphvine.errors import ClaimLost, GraphvineError
from graphvine.records import Claim
from graphvine.workers.pipeline import Context

_log = logging.getLogger("graphvine.heartbeat")


class Heartbeats:
    def __init__(self, claims: Claims, context: Context, every_seconds: float) -> None:
        self._claims, self._context, self._every = claims, context, every_seconds
        self._held: dict[int, Claim] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"graphvine-heartbeat-{claims.worker}", daemon=True)

    @contextmanager
    def running(self) -> Iterator[Heartbeats]:
        self._thread.start()
        try:
            yield self
        finally:
            self._over.set()
            self._thread.join()

    def hold(self, claims: Iterable[Claim]) -> None:
        with self._lock:
            self._held.update((claim.seq, claim) for claim in claims)

    def drop(self, claims: Iterable[Claim]) -> None:
        with self._lock:
            for claim in claims:
                self._held.pop(claim.seq, None)

    def beat_once(self) -> int:
        """Beat for everything that is held; returns how many claims turned out to be lost."""
        with self._lock:
            held = list(self._held.values())
        try:
            self._claims.heartbeat(held)
        except ClaimLost as lost:
            # A claim that was settled while the statement ran is no longer held: it is done, not lost.
            with self._lock:
                gone = [claim for claim in lost.claims if self._held.get(claim.seq) == claim]
            self._context.lose(gone)
            self.drop(gone)
            return len(gone)
        return 0

    def _run(self) -> None:
        while not self._over.wait(self._every):
            try:
                self.beat_once()
            except GraphvineError as error:
                # The store was busy mending itself, or is gone for a moment: the next beat comes before the time-out.
                _log.warning("a heartbeat failed, the next is in %g s: %s", self._every, error)
