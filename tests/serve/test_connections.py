"""Many connections and large bodies at once: others are served, and the log stays short."""

from __future__ import annotations

import logging
import select
import socket

from graphvine.workers.serve.connections import Connections
from graphvine.workers.serve.logs import Repeats
from tests.serve.conftest import AUTHORISED, Serve, asking
from tests.support.shared_graphs import TOKEN
from tests.support.waiting import WAIT_LIMIT, eventually


def test_bodies_are_bounded_together(serve: Serve) -> None:
    served = serve(max_body_bytes=1_000, max_bodies_bytes=2_500)
    head = (
        f"POST /seeds HTTP/1.1\r\nHost: 127.0.0.1:{served.http_server.port}\r\nAuthorization: Bearer {TOKEN}\r\n"
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    ).encode()
    lines = [socket.create_connection(("127.0.0.1", served.http_server.port), timeout=WAIT_LIMIT) for _ in range(3)]
    try:
        for line in lines:
            line.sendall(head + b"[" * 900)
        answered = eventually(lambda: _readable(lines))
        assert b" 503 " in answered.recv(4096)
        for line in lines:
            line.close()
        with asking(served, AUTHORISED) as client:
            eventually(lambda: _expect(client.post("/seeds", json={"titles": ["a"]}).status_code == 200))
    finally:
        for line in lines:
            line.close()


def _readable(lines: list[socket.socket]) -> socket.socket:
    found = select.select(lines, [], [], 0.05)[0]
    assert found
    return found[0]  # type: ignore[no-any-return]


def _expect(true: bool) -> None:
    assert true


def test_idle_connections_make_room(serve: Serve, full: bool) -> None:
    most, idle = (1_000, 1_100) if full else (20, 30)
    served = serve(max_connections=most)
    served.http_server.connections.most = most
    lines = [socket.create_connection(("127.0.0.1", served.http_server.port), timeout=WAIT_LIMIT) for _ in range(idle)]
    try:
        with asking(served) as client:
            assert all(client.get("/healthz").status_code == 200 for _ in range(3))
        assert lines[0].recv(1) == b"", "the oldest idle one was closed"
    finally:
        for line in lines:
            line.close()


def test_who_is_in_the_middle_of_a_request_is_not_closed() -> None:
    class Line:
        aborted = False

        def __init__(self) -> None:
            self.transport = self

        def abort(self) -> None:
            self.aborted = True

    connections, lines = Connections(2), [Line() for _ in range(4)]
    assert connections.opened(lines[0]) and connections.opened(lines[1])
    connections.idle(lines[0], False)
    assert connections.opened(lines[2]) and lines[1].aborted and not lines[0].aborted
    connections.idle(lines[2], False)
    assert not connections.opened(lines[3])
    connections.closed(lines[0])
    assert connections.opened(lines[3])


def test_a_line_that_repeats_is_counted() -> None:
    repeats, passed = Repeats(most=3, seconds=10), []
    for n in range(50_000):
        record = logging.LogRecord("asyncio", logging.ERROR, "", 0, "socket.accept() out of system resource", (), None)
        record.created = 1_000 + n / 10_000
        passed.append(repeats.filter(record))
    assert sum(passed) == 3
    record.created = 2_000
    assert repeats.filter(record) and record.facts == {"repeated": 49_997}  # type: ignore[attr-defined]
