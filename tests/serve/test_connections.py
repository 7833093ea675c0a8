"""Many connections and large bodies at once: others are served, and the log stays short."""

from __future__ import annotations

import json
import logging
import re
import resource
import select
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from graphvine.workers.serve.connections import Connections
from graphvine.workers.serve.logs import Repeats
from tests.serve.conftest import AUTHORISED, Serve, asking
from tests.support.daemons import QUICK_DAEMON, DaemonProcess
from tests.support.shared_graphs import TOKEN, Served
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


def test_idle_connections_make_room(serve: Serve) -> None:
    served = serve(max_connections=20)
    lines = [socket.create_connection(("127.0.0.1", served.http_server.port), timeout=WAIT_LIMIT) for _ in range(30)]
    try:
        with asking(served) as client:
            assert all(client.get("/healthz").status_code == 200 for _ in range(3))
        assert lines[0].recv(1) == b"", "the oldest idle one was closed"
    finally:
        for line in lines:
            line.close()


def test_a_thousand_idle_connections_keep_nobody_out(tmp_path: Path) -> None:
    """The daemon begins with the usual limit of 1,024 open files, and raises it."""
    (tmp_path / "graphvine.toml").write_text(QUICK_DAEMON)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1_024, soft), hard))
    try:
        daemon = DaemonProcess(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4_096, hard), hard))
    lines: list[socket.socket] = []
    try:
        with daemon, httpx.Client(base_url=daemon.ready().address, timeout=WAIT_LIMIT, trust_env=False) as client:
            eventually(lambda: client.get("/readyz").is_success)
            limits = Path(f"/proc/{daemon.process.pid}/limits").read_text()
            assert re.search(rf"Max open files +{hard} +{hard}", limits), "raised as far as the system lets it"
            port = client.base_url.port or 0
            lines += (socket.create_connection(("127.0.0.1", port), timeout=WAIT_LIMIT) for _ in range(1_100))
            assert client.get("/status").status_code == 200
            with httpx.Client(base_url=client.base_url, timeout=WAIT_LIMIT, trust_env=False) as other:
                assert other.get("/status").status_code == 200
            assert daemon.end() == 0
    finally:
        for line in lines:
            line.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


LARGE = {"statement": "UNWIND range(1, 3000) AS x RETURN repeat('x', 4000)"}  # 12 MB: more than the system's buffers


def test_answers_that_nobody_takes_are_bounded_together(serve: Serve) -> None:
    served = serve(max_answers_bytes=20_000_000)
    lines = [_asked(served, LARGE) for _ in range(2)]
    try:
        _wait_for_status(lines)
        with asking(served) as client:
            answer = client.post("/cypher", json=LARGE)
            assert answer.status_code == 503 and "large answers" in answer.json()["error"]["message"]
            assert answer.headers["retry-after"] == "1"
            assert client.post("/cypher", json={"statement": "RETURN 1"}).status_code == 202, "small ones have room"
    finally:
        for line in lines:
            line.close()
    with asking(served) as client:
        eventually(lambda: _expect(client.post("/cypher", json=LARGE).status_code == 202))


def test_a_client_that_does_not_take_its_answer_is_cut_off(serve: Serve) -> None:
    served = serve(body_seconds=0.2)
    line = _asked(served, LARGE)
    try:
        assert line.recv(12, socket.MSG_WAITALL)[-3:] == b"202"
        eventually(lambda: _expect(line.getsockname() not in served.http_server.connections.clients()))
        assert _taken(line) < 12_000_000
    finally:
        line.close()


def _asked(served: Served, body: dict[str, Any]) -> socket.socket:
    """A connection that asks, and takes nothing of the answer."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.settimeout(WAIT_LIMIT)
    line.connect(("127.0.0.1", served.http_server.port))
    sent = json.dumps(body).encode()
    head = f"POST /cypher HTTP/1.1\r\nHost: 127.0.0.1:{served.http_server.port}\r\nContent-Length: {len(sent)}\r\n"
    line.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + sent)
    return line


def _taken(line: socket.socket) -> int:
    """How much there is to read, up to the end."""
    taken = 0
    with suppress(ConnectionResetError):
        while piece := line.recv(1 << 16):
            taken += len(piece)
    return taken


def _wait_for_status(lines: list[socket.socket]) -> None:
    """One is answered, the other has no room beside it."""
    found = {line.recv(12, socket.MSG_WAITALL)[-3:] for line in lines}
    assert found == {b"202", b"503"}


def test_who_is_in_the_middle_of_a_request_is_not_closed() -> None:
    class Line:
        aborted = False

        def __init__(self) -> None:
            self.transport = self.client = self

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
