"""Connections to the daemon that serves a graph: kept alive, and retried while it restarts."""

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

import msgspec

from graphvine.engines.http.wire import MEDIA_TYPE, pack, raise_error, unpack
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
    certificate: str = ""  # of a daemon on this machine, which is trusted by its certificate and not by its name

    @classmethod
    def at(cls, address: str, token: str, certificate: str = "") -> Target:
        parts = urlsplit(address)
        tls = parts.scheme == "https"
        return cls(parts.hostname or "", parts.port or (443 if tls else 80), token, tls, certificate)

    def connection(self) -> http.client.HTTPConnection:
        if not self.tls:
            return http.client.HTTPConnection(self.host, self.port, timeout=_CONNECT_SECONDS)
        context = None
        if self.certificate:
            import ssl

            context = ssl.create_default_context(cafile=self.certificate)
            context.check_hostname = False
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        return http.client.HTTPSConnection(self.host, self.port, timeout=_CONNECT_SECONDS, context=context)


class ClientSession:
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
        """`find` says where to call now: a restarted daemon may have another address."""
        self._find, self._wait_seconds = find, wait_seconds
        self.name = secrets.token_urlsafe(12)
        self._made = 0
        self._free: list[ClientSession] = []
        self._busy: set[ClientSession] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._impatient = threading.Event()

    def call(
        self, path: str, body: dict[str, Any], repeat: Repeat, seconds: float = _ANSWER_SECONDS,
        patience: float | None = None,
    ) -> Any:  # fmt: skip
        """Send a request and wait for its answer, however often the other side goes away meanwhile."""
        with self._session() as session:
            if repeat == "numbered":
                session.number += 1
                body = {**body, "session": session.name, "number": session.number, "again": False}
            deadline: float | None = None
            pause = _FIRST_PAUSE_SECONDS
            data = pack(body)
            while True:
                sent = False
                try:
                    target = self._reach(session)
                    sent = True
                    return self._ask(session, target, path, data, seconds)
                except (OSError, http.client.HTTPException) as error:
                    session.close()
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
                    session.close()  # cut off in the middle: the next request must not read this one's answer
                    raise
                self._closed.wait(pause)
                pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)

    def hurry(self) -> None:
        """Wait no longer for a daemon that is away: whoever asks is about to end."""
        self._impatient.set()

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            sessions = [*self._free, *self._busy]
            self._free.clear()
        for session in sessions:
            session.close()

    @contextmanager
    def _session(self) -> Iterator[ClientSession]:
        with self._lock:
            if self._closed.is_set():
                raise StoreClosed
            if not self._free:
                self._made += 1
                self._free.append(ClientSession(f"{self.name}/{self._made}"))
            session = self._free.pop()
            self._busy.add(session)
        try:
            yield session
        finally:
            with self._lock:
                self._busy.discard(session)
                if self._closed.is_set():
                    session.close()
                else:
                    self._free.append(session)

    def _reach(self, session: ClientSession) -> Target:
        target = self._find()
        if target is None:
            session.close()
            raise _NotThere("nobody serves it")
        if session.connection is not None and (session.connection.host, session.connection.port) != (
            target.host,
            target.port,
        ):
            session.close()
        if session.connection is None:
            session.connection = target.connection()
            session.connection.connect()
            session.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return target

    def _ask(self, session: ClientSession, target: Target, path: str, data: bytes, seconds: float) -> Any:
        connection = session.connection
        assert connection is not None
        connection.sock.settimeout(seconds)
        connection.request("POST", path, data, {"Content-Type": MEDIA_TYPE, "Authorization": f"Bearer {target.token}"})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status in _AWAY:
            raise _NotThere(f"it answers {answer.status}")
        if answer.status == 403:
            raise TokenRefused(f"the process that serves the graph refuses this: {_reason(content)}")
        if answer.status == 401:
            raise TokenRefused("the process that serves the graph refuses the token: set GRAPHVINE_TOKEN to its own")
        if answer.headers.get_content_type() != MEDIA_TYPE:
            raise StoreError(f"what answers at {target.host}:{target.port} ({answer.status}) is no Graphvine daemon")
        reply = unpack(content)
        if "error" in reply:
            raise_error(reply["error"])
        return reply["answer"]

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


def _reason(content: bytes) -> str:
    try:
        return str(msgspec.json.decode(content)["error"]["message"])
    except (msgspec.DecodeError, KeyError, TypeError):
        return "it does not say why"


class _NotThere(ConnectionError):
    """The request was not looked at: it may be sent again whatever it is."""
