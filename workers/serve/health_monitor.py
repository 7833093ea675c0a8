"""Whether the daemon can serve: a read and a write again and again, reported to /readyz and to the service manager."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import cast

from graphvine.engines.protocol import OwnerEngine
from graphvine.errors import GraphvineError
from graphvine.graph import Graph

_log = logging.getLogger("graphvine.serve")
_PROBE_SECONDS = 1.0


class HealthMonitor:
    """Probes in a thread of its own: one that hangs is what it is there to find."""

    def __init__(
        self, graph: Graph, ready_seconds: float, stuck_seconds: float, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._graph, self._ready_seconds, self._stuck_seconds = graph, ready_seconds, stuck_seconds
        self._now = now
        self._last_ok, self._error = now(), ""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="graphvine-health", daemon=True)

    def start(self) -> None:
        notify("READY=1")
        self._thread.start()

    def stop(self) -> None:
        notify("STOPPING=1")
        self._stop.set()

    def problem(self) -> str:
        """Why requests can't be served, '' when they can."""
        silent = self._now() - self._last_ok
        if self._error:
            return self._error
        return f"the store has not answered for {silent:.0f} s" if silent > self._ready_seconds else ""

    def stuck(self) -> bool:
        """Whether it has failed for so long that only a restart helps."""
        return self._now() - self._last_ok > self._stuck_seconds

    def probe(self) -> None:
        """One read and one write; what comes of them is kept."""
        try:
            if self._graph.engine.capabilities.single_owner:
                cast(OwnerEngine, self._graph.engine).probe()
            else:
                self._graph.engine.query("RETURN 1 AS one", {}, max_rows=1, timeout_seconds=self._ready_seconds)
        except (GraphvineError, RuntimeError, OSError) as error:
            if not self._error:
                _log.error("the store can't be used: %s", error)
            self._error = str(error)
            return
        if self._error:
            _log.info("the store can be used again")
        self._last_ok, self._error = self._now(), ""
        notify("WATCHDOG=1")

    def _run(self) -> None:
        while not self._stop.is_set():
            self.probe()
            self._stop.wait(_PROBE_SECONDS)


def notify(message: str) -> None:
    """Tell systemd, where it started us with Type=notify or WatchdogSec=."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
        line.sendto(message.encode(), "\0" + address[1:] if address[0] == "@" else address)
