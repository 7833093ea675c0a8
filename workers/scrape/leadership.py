"""Who manages a batch: one at a time, by a lease that is renewed; whoever comes next takes over when it is not."""

from __future__ import annotations

import secrets

from graphvine.clock import moment
from graphvine.graph import Graph
from graphvine.reaper import process_is_gone, take_back
from graphvine.records import Row, Step, Unit
from graphvine.workers.scrape import PIPELINE
from graphvine.workers.scrape.batches import Batch
from graphvine.workers.scrape.errors import BatchBusy, BatchLost

_ROWS_AT_ONCE = 5_000
_NOBODY = -1


class Leadership:
    def __init__(self, graph: Graph, batch: Batch, worker: str, seconds: float) -> None:
        self._graph, self._batch, self._worker, self._ms = graph, batch, worker, int(seconds * 1000)
        self.lease = secrets.randbits(62) | 1 << 61

    def take(self) -> Row:
        """Take the batch in hand, and back what the manager before it held; BatchBusy while that one is alive."""
        row = self._take(self._dead_holder())
        if row is None:
            raise BatchBusy(self._batch.name, self.holder() or "another manager")
        self._take_back()
        return row

    def holder(self) -> str | None:
        rows = self._graph.read(f"{PIPELINE}.batch", batch=self._batch.name)
        return str(rows[0]["manager"]) if rows and rows[0]["lease"] else None

    def renew(self) -> None:
        """Keep the batch; BatchLost when it is in other hands."""
        until = self._graph.clock.now_ms() + self._ms
        step = Step(f"{PIPELINE}.keep", {"batch": self._batch.name, "lease": self.lease, "until": until})
        if not self._graph.run(Unit.of([step])).rows[0]:
            raise BatchLost(self._batch.name)

    def give_up(self) -> None:
        """Let go of the batch, if it is still ours."""
        self._graph.run(Unit.of([Step(f"{PIPELINE}.unmanage", {"batch": self._batch.name, "lease": self.lease})]))

    def _take(self, dead: int) -> Row | None:
        now = self._graph.clock.now_ms()
        given = {
            "batch": self._batch.name, "lease": self.lease, "dead": dead, "worker": self._worker, "now": now,
            "until": now + self._ms,
        }  # fmt: skip
        rows = self._graph.run(Unit.of([Step(f"{PIPELINE}.manage", given)])).rows[0]
        return rows[0] if rows else None

    def _dead_holder(self) -> int:
        """The lease of a manager whose process is no longer there: no need to wait for its end."""
        if not self._graph.engine.capabilities.single_owner:
            return _NOBODY
        rows = self._graph.read(f"{PIPELINE}.batch", batch=self._batch.name)
        gone = bool(rows) and rows[0]["lease"] != 0 and process_is_gone(rows[0]["manager"])
        return int(rows[0]["lease"]) if gone else _NOBODY

    def _take_back(self) -> None:
        """Whatever is claimed in a batch that was just taken was claimed by somebody who no longer manages it."""
        cutoff = moment(self._graph.clock.now_ms() + 1)
        while rows := self._graph.read(f"{PIPELINE}.left_behind", batch_seq=self._batch.seq, limit=_ROWS_AT_ONCE):
            if sum(take_back(self._graph.door, PIPELINE, rows, cutoff)) == 0:
                break
