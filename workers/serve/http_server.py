"""The HTTP server of a graph that this process holds, in a thread, and the file that names its address."""

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
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.connections import Connections, most_connections, protocol_for
from graphvine.workers.serve.settings import ServeSettings, load

_log = logging.getLogger("graphvine.serve")
_START_SECONDS, _END_SECONDS = 20.0, 5.0
_BACKLOG = 1024


class CanNotListen(GraphvineError):
    """The address is taken, or none of ours."""


class HttpServer:
    """Listens from the start; what needs the graph is answered once the app_state has it."""

    def __init__(self, app_state: AppState) -> None:
        import uvicorn

        from graphvine.workers.serve.app import create_app

        self.app_state = app_state
        self._socket = _listening(app_state.settings)
        self.port = int(self._socket.getsockname()[1])
        self.connections = Connections(most_connections(app_state.settings.max_connections))
        app_state.settings.check_tls()
        certificate, key = app_state.settings.certificate or None, app_state.settings.private_key or None
        config = uvicorn.Config(
            create_app(app_state, port=lambda: self.port, abort=self.connections.abort),
            http=protocol_for(app_state.settings.header_seconds, self.connections), ws="none", loop="asyncio",
            lifespan="off", log_config=None, access_log=False, server_header=False,
            timeout_keep_alive=75, timeout_graceful_shutdown=2, proxy_headers=False,
            ssl_certfile=certificate, ssl_keyfile=key,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="graphvine-http", daemon=True)

    @property
    def address(self) -> str:
        host = self.app_state.settings.host
        reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        scheme = "https" if self.app_state.settings.certificate else "http"
        return f"{scheme}://[{reached}]:{self.port}" if ":" in reached else f"{scheme}://{reached}:{self.port}"

    def open(self) -> None:
        self._thread.start()
        end = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > end:
                raise CanNotListen(f"the HTTP server did not start at {self.address}")
            time.sleep(0.002)

    def close(self, *, wait: bool = True) -> None:
        """Answer nobody any longer; without `wait` the thread ends by itself, in a moment."""
        self.app_state.close()
        self._server.should_exit = True
        if wait:
            self._thread.join(_END_SECONDS)

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])


@contextlib.contextmanager
def share_graph(graph: Graph, what: str) -> Iterator[str | None]:
    """While the block lasts, other processes reach this graph through this one; None where they need not."""
    if not graph.engine.capabilities.single_owner or graph.engine.capabilities.read_only:
        yield None
        return
    where = graph.engine.where
    settings = load(host="127.0.0.1", port=0, certificate="", private_key="")
    http_server = HttpServer(AppState(settings, token_of(where), what, where=where))
    http_server.app_state.enter(graph)
    http_server.open()
    announce(where, http_server.address, what=what, version=graphvine.__version__)
    try:
        yield http_server.address
    finally:
        withdraw(where)
        http_server.close()


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
