"""Where units of other processes are done, each once, however often it is asked for.

A sender keeps a few lanes and numbers what it sends in each; it sends the next only when it has the answer. So three
things are enough, whatever dies at whatever moment:
- The answer is written into the store by the unit's own transaction, as the lane's receipt. After a kill of the daemon
  the sender asks again (`again`): the receipt is there if and only if the unit was done, and is the answer.
- While the daemon lives, a number that is in work or was the lane's last is answered by that one's result. This also
  catches a first request that comes late, behind its own repetition.
- A number below the lane's last is refused: its sender has gone on long since.
"""

from __future__ import annotations

import base64
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from graphvine.clock import moment
from graphvine.engines.http_wire import pack, unpack
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.records import Step

# Larger answers are kept without their rows: what guarded units are asked for is which claims held.
_LARGEST_KEPT = 256 * 1024
_LANES_KEPT = 10_000
_LANE_SECONDS = 3600.0
_RECEIPT_MS = 24 * 3600 * 1000

Kept = Callable[[Any], Step]


class OldNumber(GraphvineError):
    """The lane has gone on: this request is of the past."""


@dataclass
class _Last:
    number: int
    done: Future[Any]
    at: float = field(default_factory=time.monotonic)


class Desk:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._lanes: dict[str, _Last] = {}
        self._lock = threading.Lock()

    def once(self, lane: str, number: int, again: bool, work: Callable[[Kept], Any]) -> Any:
        """Do this for the lane, unless it was done: then its answer. `work` gets what makes the receipt."""
        with self._lock:
            last = self._lanes.get(lane)
            if last is not None and number < last.number:
                raise OldNumber(f"number {number} of this lane is of the past, {last.number} was the last")
            mine = last is None or number > last.number
            if mine:
                self._tidy()
                last = self._lanes[lane] = _Last(number, Future())
        assert last is not None
        if not mine:
            return last.done.result()
        try:
            answer = self._kept(lane, number) if again else None
            if answer is None:
                answer = work(lambda told: self._receipt(lane, number, told))
        except BaseException as error:
            last.done.set_exception(error)
            raise
        last.done.set_result(answer)
        return answer

    def drop_old(self) -> None:
        """Forget, in the store too, what nobody will ask for."""
        from graphvine.records import Unit

        before = moment(self._graph.clock.now_ms() - _RECEIPT_MS)
        self._graph.run(Unit.of([Step("graph.drop_receipts", {"before": before})]))

    def _kept(self, lane: str, number: int) -> Any:
        rows = self._graph.read("graph.receipt", lane=lane)
        if not rows or rows[0]["number"] != number:
            return None
        return unpack(zlib.decompress(base64.b64decode(rows[0]["answer"])))

    def _receipt(self, lane: str, number: int, told: Any) -> Step:
        packed = zlib.compress(pack(told), 1)
        if len(packed) > _LARGEST_KEPT and isinstance(told, dict) and "held" in told:
            packed = zlib.compress(pack({"rows": [[] for _ in told["rows"]], "held": told["held"]}), 1)
        at = moment(self._graph.clock.now_ms())
        answer = base64.b64encode(packed).decode()
        return Step("graph.keep_receipt", {"lane": lane, "number": number, "answer": answer, "at": at})

    def _tidy(self) -> None:
        if len(self._lanes) < _LANES_KEPT:
            return
        now = time.monotonic()
        self._lanes = {
            name: last for name, last in self._lanes.items() if not last.done.done() or now - last.at < _LANE_SECONDS
        }
