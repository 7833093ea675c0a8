"""Uvicorn's HTTP protocol with a limit on how long the head of a request may take."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


def patient_for(seconds: float) -> type[H11Protocol]:
    """A connection that begins a request and does not end its head within this time is closed."""

    class Protocol(H11Protocol):
        _watch: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._watch_over()

        def connection_lost(self, exc: Exception | None) -> None:
            if self._watch is not None:
                self._watch.cancel()
                self._watch = None
            super().connection_lost(exc)

        def handle_events(self) -> None:
            super().handle_events()
            # Waiting for (the rest of) a head: the time runs. In the middle of a request it does not.
            waits = self.conn.their_state is h11.IDLE
            if waits and self._watch is None:
                self._watch_over()
            elif not waits and self._watch is not None:
                self._watch.cancel()
                self._watch = None

        def _watch_over(self) -> None:
            if not self.transport.is_closing():
                self._watch = self.loop.call_later(seconds, self._too_slow)

        def _too_slow(self) -> None:
            self._watch = None
            begun = bool(self.conn.trailing_data[0])
            if self.conn.their_state is h11.IDLE and (begun or self.cycle is None) and not self.transport.is_closing():
                self.transport.close()

    return Protocol
