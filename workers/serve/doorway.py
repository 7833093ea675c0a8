"""The door into a graph that this process holds: the HTTP server in a thread, and the file that tells others of it."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Iterator

import graphvine
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.service_file import announce, token_of, withdraw
from graphvine.workers.serve.room import Room
from graphvine.workers.serve.settings import ServeSettings, load

_log = logging.getLogger("graphvine.serve")
_START_SECONDS, _END_SECONDS = 20.0, 5.0
_BACKLOG = 1024


class CanNotListen(GraphvineError):
    """The address is taken, or none of ours."""


class Doorway:
    """Listens from the start; what needs the graph is answered once the room has it."""

    def __init__(self, room: Room) -> None:
        import uvicorn

        from graphvine.workers.serve.app import create_app
        from graphvine.workers.serve.protocol import patient_for

        self.room = room
        self._socket = _listening(room.settings)
        self.port = int(self._socket.getsockname()[1])
        config = uvicorn.Config(
            create_app(room, port=lambda: self.port), http=patient_for(room.settings.header_seconds), ws="none",
            loop="asyncio", lifespan="off", log_config=None, access_log=False, server_header=False,
            timeout_keep_alive=75, timeout_graceful_shutdown=2, proxy_headers=False,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="graphvine-http", daemon=True)

    @property
    def address(self) -> str:
        host = self.room.settings.host
        reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        return f"http://[{reached}]:{self.port}" if ":" in reached else f"http://{reached}:{self.port}"

    def open(self) -> None:
        self._thread.start()
        end = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > end:
                raise CanNotListen(f"the HTTP server did not start at {self.address}")
            time.sleep(0.002)

    def close(self, *, wait: bool = True) -> None:
        """Answer nobody any longer; without `wait` the thread ends by itself, in a moment."""
        self.room.close()
        self._server.should_exit = True
        if wait:
            self._thread.join(_END_SECONDS)

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])


@contextlib.contextmanager
def open_door(graph: Graph, what: str) -> Iterator[str | None]:
    """While the block lasts, other processes reach this graph through this one; None where they need not."""
    if graph.door.served is not None or not graph.engine.capabilities.single_owner:
        yield None
        return
    where = graph.engine.where
    settings = load(host="127.0.0.1", port=0)
    doorway = Doorway(Room(settings, token_of(where), what))
    doorway.room.enter(graph)
    doorway.open()
    announce(where, doorway.address, what=what, version=graphvine.__version__)
    try:
        yield doorway.address
    finally:
        withdraw(where)
        doorway.close()


def _listening(settings: ServeSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        # Named as TCP: only then does asyncio send small answers at once, without 40 ms of waiting for more.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((settings.host, settings.port))
        listening.listen(_BACKLOG)
    except OSError as error:
        raise CanNotListen(
            f"can't listen on {settings.host}:{settings.port} ({error.strerror}): choose another with --port,"
            " or 0 for any that is free"
        ) from None
    listening.set_inheritable(False)
    return listening
