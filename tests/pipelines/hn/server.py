"""A server on loopback that speaks the Firebase protocol, and misbehaves as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.waiting import WAIT_LIMIT

# What may happen to a request, and to the next ones for the same path: each is used up once.
STATUS_500, STATUS_429, HANGS, CUT, GARBAGE, SLOW, OTHER_ITEM = "500", "429", "hangs", "cut", "garbage", "slow", "other"


class HackerNewsServer:
    def __init__(self) -> None:
        self.items: dict[int, Any] = {}
        self.lists: dict[str, Any] = {}
        self.faults: dict[str, list[str]] = {}
        self.asked: list[str] = []
        self.held: dict[int, threading.Event] = {}
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()
        self.over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v0"

    def fail(self, path: str, *faults: str) -> None:
        """Let the next requests for this path go wrong, one after another."""
        self.faults[path] = list(faults)

    def hold(self, id: int, until: threading.Event) -> None:
        """Answer for this item only after something has happened."""
        self.held[id] = until

    def answer(self, path: str) -> Any:
        kind, _, name = path.partition("/")
        if kind == "item":
            if int(name) in self.held:
                self.held[int(name)].wait(WAIT_LIMIT)
            return self.items.get(int(name))
        if kind == "maxitem":
            return max(self.items, default=0)
        return self.lists.get(path, [])

    def begin(self, path: str) -> str | None:
        with self._lock:
            self.asked.append(path)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            waiting = self.faults.get(path)
            return waiting.pop(0) if waiting else None

    def end(self) -> None:
        with self._lock:
            self._now -= 1

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def serving() -> Iterator[HackerNewsServer]:
    server = HackerNewsServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _handler(server: HackerNewsServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.removeprefix("/v0/").removesuffix(".json")
            fault = server.begin(path)
            try:
                self._answer(path, fault)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            finally:
                server.end()

        def _answer(self, path: str, fault: str | None) -> None:
            if fault == HANGS:
                server.over.wait(WAIT_LIMIT)
                self.close_connection = True
                return
            if fault in (STATUS_500, STATUS_429):
                self._send(int(fault), b"away", {"Retry-After": "0"})
                return
            body = json.dumps({"id": 1, "type": "story"} if fault == OTHER_ITEM else server.answer(path)).encode()
            if fault == GARBAGE:
                self._send(200, b"<html>not JSON")
            elif fault == CUT:
                self.send_response(200)
                self.send_header("Content-Length", str(len(body) + 50))
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = True
            elif fault == SLOW:
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                for byte in body:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    server.over.wait(0.002)
            else:
                self._send(200, body)

        def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *values: Any) -> None:
            """Tests look at `asked` instead."""

    return Handler
