"""A proxy in front of the test wiki, for the faults that MediaWiki itself never shows on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import parse_qs

from tests.support.waiting import WAIT_LIMIT

Fault = Callable[["_Handler", bytes], None]


class FaultyProxy:
    """Passes requests on, except while a fault is set. Remembers what came."""

    def __init__(self, port: int) -> None:
        self.behind = port
        self.fault: Fault | None = None
        # Let so many requests pass before the fault shows.
        self.passes = 0
        self.requests: list[tuple[Mapping[str, str], dict[str, str]]] = []
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"proxy": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/api.php"

    @contextmanager
    def failing(self, fault: Fault, passes: int = 0) -> Iterator[None]:
        """Answer with a fault, after some good answers."""
        self.fault, self.passes = fault, passes
        self.released.clear()
        try:
            yield
        finally:
            self.fault = None
            self.released.set()

    def __enter__(self) -> FaultyProxy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    proxy: FaultyProxy
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fields = {key: values[0] for key, values in parse_qs(body.decode(), keep_blank_values=True).items()}
        self.proxy.requests.append((dict(self.headers.items()), fields))
        if self.proxy.fault and self.proxy.passes <= 0:
            self.proxy.fault(self, body)
            return
        self.proxy.passes -= 1
        self.answer(200, self.real_answer(body))

    def real_answer(self, body: bytes) -> bytes:
        connection = HTTPConnection("127.0.0.1", self.proxy.behind, timeout=WAIT_LIMIT)
        try:
            connection.request("POST", self.path, body, {"Content-Type": self.headers["Content-Type"]})
            return connection.getresponse().read()
        finally:
            connection.close()

    def answer(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test's output clean."""


def status(number: int, **headers: str) -> Fault:
    """Answer with a status; header names are given with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, _: handler.answer(number, b"no", named)


def api_error(code: str) -> Fault:
    """An error as the API words it, with status 200."""
    body = json.dumps({"error": {"code": code, "info": f"This is {code}."}}).encode()
    return lambda handler, _: handler.answer(200, body)


def says(body: bytes) -> Fault:
    """Answer with this body."""
    return lambda handler, _: handler.answer(200, body)


def cut_by_length(handler: _Handler, body: bytes) -> None:
    """Promise a whole body, send half of it and hang up."""
    real = handler.real_answer(body)
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(real)))
    handler.end_headers()
    handler.wfile.write(real[: len(real) // 2])
    handler.close_connection = True


def cut_in_chunk(handler: _Handler, body: bytes) -> None:
    """Hang up in the middle of a chunked body."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"100\r\n" + handler.real_answer(body)[:50])
    handler.close_connection = True


def cut_without_length(handler: _Handler, body: bytes) -> None:
    """Half a body that looks complete, since only the end of the connection says where it ends."""
    real = handler.real_answer(body)
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(real[: len(real) // 2])
    handler.close_connection = True


def hang_up(handler: _Handler, _: bytes) -> None:
    """Close the connection without a word."""
    handler.close_connection = True


def drip(handler: _Handler, _: bytes) -> None:
    """Send a byte now and then, quickly enough that no read times out, and never end."""
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = True
    try:
        while not handler.proxy.released.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()
    except OSError:
        # The client gave up, which is what the test wants.
        return
