"""Connections: each begins its request in time, and there are never more than the process has descriptors for."""

from __future__ import annotations

import asyncio
import logging
import resource
from collections import OrderedDict
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from graphvine.workers.serve.answers import WAITING_BYTES

_log = logging.getLogger("graphvine.serve")
# Descriptors that the store, its indexes, child processes and outgoing requests need beside the clients.
_RESERVED = 256
_FEWEST = 16


def raise_file_limit() -> int:
    """Allow this process as many open files as the system lets it; returns how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = hard if hard != resource.RLIM_INFINITY else 1 << 20
    if soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (OSError, ValueError):
            _log.warning("the limit of open files stays at %d", soft)
    return soft


def most_connections(wanted: int) -> int:
    """As many as were asked for, within the limit of open files."""
    return max(_FEWEST, min(wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _RESERVED))


class Connections:
    """The open connections; where a new one is too many, the one that has been idle for longest is closed."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._idle: OrderedDict[Any, None] = OrderedDict()
        self._open: set[Any] = set()
        self._by_client: dict[Any, Any] = {}

    def opened(self, connection: Any) -> bool:
        """False when there is no room for it: everybody else is in the middle of a request."""
        if len(self._open) >= self.most:
            if not self._idle:
                return False
            oldest: Any = self._idle.popitem(last=False)[0]
            self.closed(oldest)
            oldest.transport.abort()
        self._open.add(connection)
        self._idle[connection] = None
        self._by_client[connection.client] = connection
        return True

    def clients(self) -> set[Any]:
        """Who is connected: addresses and ports."""
        return set(self._by_client)

    def abort(self, client: Any) -> None:
        """End the connection of this client (its address and port), with what waits to be sent."""
        if (connection := self._by_client.get(client)) is not None:
            connection.transport.abort()

    def idle(self, connection: Any, is_idle: bool) -> None:
        if is_idle and connection in self._open:
            self._idle[connection] = None
            self._idle.move_to_end(connection)
        else:
            self._idle.pop(connection, None)

    def closed(self, connection: Any) -> None:
        self._open.discard(connection)
        self._idle.pop(connection, None)
        client: Any = connection.client
        if self._by_client.get(client) is connection:
            del self._by_client[client]


def protocol_for(header_seconds: float, connections: Connections) -> type[H11Protocol]:
    """A connection that begins a request and does not end its head within this time is closed."""

    class Protocol(H11Protocol):
        _watch: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            transport.set_write_buffer_limits(WAITING_BYTES)
            if not connections.opened(self):
                transport.abort()
                return
            self._watch_over()

        def connection_lost(self, exc: Exception | None) -> None:
            connections.closed(self)
            self._unwatch()
            super().connection_lost(exc)

        def handle_events(self) -> None:
            super().handle_events()
            self._look()

        def _look(self) -> None:
            # Waiting for (the rest of) a head: the time runs. In the middle of a request it does not.
            waits = self.conn.their_state is h11.IDLE
            connections.idle(self, waits and not self.transport.is_closing())
            if waits and self._watch is None:
                self._watch_over()
            elif not waits:
                self._unwatch()

        def _watch_over(self) -> None:
            if not self.transport.is_closing():
                self._watch = self.loop.call_later(header_seconds, self._too_slow)

        def _unwatch(self) -> None:
            if self._watch is not None:
                self._watch.cancel()
                self._watch = None

        def _too_slow(self) -> None:
            self._watch = None
            begun = bool(self.conn.trailing_data[0])
            if self.conn.their_state is h11.IDLE and (begun or self.cycle is None) and not self.transport.is_closing():
                self.transport.close()

    return Protocol
