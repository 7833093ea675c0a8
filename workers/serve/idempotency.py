"""Idempotency: a write that another process sends is carried out once, however often it is sent.

A client keeps a few sessions and numbers its requests in each; it sends the next one only when it has the response.
Three rules are then enough, whatever is killed at whatever moment:
- The response is saved in the store by the unit's own transaction, under its session. After a kill of the daemon the
  client repeats the request (`again`): the saved response is there if and only if the unit was committed.
- While the daemon lives, a request that is running or was the session's last is answered with that one's result. This
  also catches a first request that arrives after its own repetition.
- A number below the session's last is refused: its client has moved on.
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
from graphvine.engines.http.wire import pack, unpack
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.records import Step

# Larger answers are kept without their rows: what guarded units are asked for is which claims held.
_LARGEST_KEPT = 256 * 1024
_SESSIONS_KEPT = 10_000
_SESSION_SECONDS = 3600.0
_RECEIPT_MS = 24 * 3600 * 1000

SaveResponse = Callable[[Any], Step]


class OldNumber(GraphvineError):
    """The session has gone on: this request is of the past."""


@dataclass
class _Last:
    number: int
    done: Future[Any]
    at: float = field(default_factory=time.monotonic)


class Idempotency:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._sessions: dict[str, _Last] = {}
        self._lock = threading.Lock()

    def once(self, session: str, number: int, again: bool, work: Callable[[SaveResponse], Any]) -> Any:
        """Do this for the session, unless it was done: then its answer. `work` gets what makes the saved response."""
        with self._lock:
            last = self._sessions.get(session)
            if last is not None and number < last.number:
                raise OldNumber(f"number {number} of this session is of the past, {last.number} was the last")
            mine = last is None or number > last.number
            if mine:
                self._tidy()
                last = self._sessions[session] = _Last(number, Future())
        assert last is not None
        if not mine:
            return last.done.result()
        try:
            answer = self._kept(session, number) if again else None
            if answer is None:
                answer = work(lambda response: self._saved_response(session, number, response))
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

    def _kept(self, session: str, number: int) -> Any:
        rows = self._graph.read("graph.receipt", lane=session)
        if not rows or rows[0]["number"] != number:
            return None
        return unpack(zlib.decompress(base64.b64decode(rows[0]["answer"])))

    def _saved_response(self, session: str, number: int, response: Any) -> Step:
        packed = zlib.compress(pack(response), 1)
        if len(packed) > _LARGEST_KEPT and isinstance(response, dict) and "rows" in response:
            packed = zlib.compress(pack({"rows": [[] for _ in response["rows"]], "held": response["held"]}), 1)
        at = moment(self._graph.clock.now_ms())
        answer = base64.b64encode(packed).decode()
        return Step("graph.keep_receipt", {"lane": session, "number": number, "answer": answer, "at": at})

    def _tidy(self) -> None:
        if len(self._sessions) < _SESSIONS_KEPT:
            return
        now = time.monotonic()
        self._sessions = {
            name: last
            for name, last in self._sessions.items()
            if not last.done.done() or now - last.at < _SESSION_SECONDS
        }
