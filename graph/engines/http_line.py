"""The line to the process that serves a graph: connections that are kept, and patience while that process is away.

Each connection is a lane with a name and a count of its own. What must not be done twice carries both, so that the
other side knows a request that it has seen: see workers/serve/desk.py, which keeps its half of the promise.
"""

from __future__ import annotations

import http.client
import logging
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from graphvine.engines.http_wire import MEDIA_TYPE, pack, raise_error, unpack
from graphvine.errors import GraphvineError, QueryTimeout, StoreClosed, StoreError

_log = logging.getLogger("graphvine.http")
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.02, 0.5
_CONNECT_SECONDS = 10.0
# A unit may wait behind a checkpoint or a load; a daemon that dies is noticed at once all the same.
_ANSWER_SECONDS = 900.0
_AWAY = (502, 503, 504)

# "again": may be asked twice. "numbered": must be done once, so it carries its number. "once": is not asked again.
Repeat = Literal["again", "numbered", "once"]


class StoreAway(StoreError):
    """The process that serves the graph is away, and did not come back in time."""


class AnswerLost(StoreError):
    """The serving process went away while a statement was on its way: whether it was done is not known."""


class TokenRefused(StoreError):
    """The serving process does not know the token."""


@dataclass(frozen=True, slots=True)
class Target:
    host: str
    port: int
    token: str = field(repr=False)
    tls: bool = False

    @classmethod
    def at(cls, address: str, token: str) -> Target:
        parts = urlsplit(address)
        tls = parts.scheme == "https"
        return cls(parts.hostname or "", parts.port or (443 if tls else 80), token, tls)


class Lane:
    """One connection at a time, and the number of the last request that it carried."""

    def __init__(self, name: str) -> None:
        self.name, self.number = name, 0
        self.connection: http.client.HTTPConnection | None = None

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Line:
    def __init__(self, find: Callable[[], Target | None], wait_seconds: float) -> None:
        """`find` says where to call now: a daemon that was started anew may have another address."""
        self._find, self._wait_seconds = find, wait_seconds
        self.name = secrets.token_urlsafe(12)
        self._made = 0
        self._free: list[Lane] = []
        self._busy: set[Lane] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._impatient = threading.Event()

    def call(
        self, path: str, body: dict[str, Any], repeat: Repeat, seconds: float = _ANSWER_SECONDS,
        patience: float | None = None,
    ) -> Any:  # fmt: skip
        """Send a request and wait for its answer, however often the other side goes away meanwhile."""
        with self._lane() as lane:
            if repeat == "numbered":
                lane.number += 1
                body = {**body, "lane": lane.name, "number": lane.number, "again": False}
            deadline: float | None = None
            pause = _FIRST_PAUSE_SECONDS
            data = pack(body)
            while True:
                sent = False
                try:
                    target = self._reach(lane)
                    sent = True
                    return self._ask(lane, target, path, data, seconds)
                except (OSError, http.client.HTTPException) as error:
                    lane.close()
                    if self._closed.is_set():
                        raise StoreClosed from None
                    if isinstance(error, TimeoutError) and sent:
                        raise QueryTimeout(f"no answer within {seconds:g} s") from None
                    lost = sent and not isinstance(error, _NotThere)
                    if lost and repeat == "once":
                        raise AnswerLost(
                            "the process that serves the graph went away while this was on its way to it:"
                            " look whether it was done before you repeat it"
                        ) from None
                    if lost and repeat == "numbered" and not body["again"]:
                        body["again"] = True
                        data = pack(body)
                    deadline = self._waited(deadline, error, self._wait_seconds if patience is None else patience)
                except GraphvineError:
                    raise  # an answer like any other
                except BaseException:
                    lane.close()  # cut off in the middle: the next request must not read this one's answer
                    raise
                self._closed.wait(pause)
                pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)

    def hurry(self) -> None:
        """Wait no longer for a daemon that is away: whoever asks is about to end."""
        self._impatient.set()

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            lanes = [*self._free, *self._busy]
            self._free.clear()
        for lane in lanes:
            lane.close()

    @contextmanager
    def _lane(self) -> Iterator[Lane]:
        with self._lock:
            if self._closed.is_set():
                raise StoreClosed
            if not self._free:
                self._made += 1
                self._free.append(Lane(f"{self.name}/{self._made}"))
            lane = self._free.pop()
            self._busy.add(lane)
        try:
            yield lane
        finally:
            with self._lock:
                self._busy.discard(lane)
                if self._closed.is_set():
                    lane.close()
                else:
                    self._free.append(lane)

    def _reach(self, lane: Lane) -> Target:
        target = self._find()
        if target is None:
            lane.close()
            raise _NotThere("nobody serves it")
        if lane.connection is not None and (lane.connection.host, lane.connection.port) != (target.host, target.port):
            lane.close()
        if lane.connection is None:
            kind = http.client.HTTPSConnection if target.tls else http.client.HTTPConnection
            lane.connection = kind(target.host, target.port, timeout=_CONNECT_SECONDS)
            lane.connection.connect()
            lane.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return target

    def _ask(self, lane: Lane, target: Target, path: str, data: bytes, seconds: float) -> Any:
        connection = lane.connection
        assert connection is not None
        connection.sock.settimeout(seconds)
        connection.request("POST", path, data, {"Content-Type": MEDIA_TYPE, "Authorization": f"Bearer {target.token}"})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status in _AWAY:
            raise _NotThere(f"it answers {answer.status}")
        if answer.status in (401, 403):
            raise TokenRefused("the process that serves the graph refuses the token: set GRAPHVINE_TOKEN to its own")
        if answer.headers.get_content_type() != MEDIA_TYPE:
            raise StoreError(f"what answers at {target.host}:{target.port} ({answer.status}) is no Graphvine daemon")
        told = unpack(content)
        if "error" in told:
            raise_error(told["error"])
        return told["answer"]

    def _waited(self, deadline: float | None, error: BaseException, patience: float) -> float:
        now = time.monotonic()
        if deadline is None:
            deadline = now + patience
            _log.warning("the process that serves the graph is away (%s): waiting for it", error)
        if now >= deadline or self._impatient.is_set():
            raise StoreAway(
                f"the process that serves the graph is away ({error}): start 'graphvine serve' again"
            ) from error
        return deadline


class _NotThere(ConnectionError):
    """The request was not looked at: it may be sent again whatever it is."""
