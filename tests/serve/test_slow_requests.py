"""Requests that are too large or too slow: bodies, files and heads that do not end; each is cut off, and leaves nothing."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphvine.settings import Settings
from graphvine.workers.serve.settings import ServeSettings
from tests.serve.conftest import AUTHORISED, asking
from tests.serve.test_middleware import port_of, raw
from tests.support.shared_graphs import TOKEN, Served
from tests.support.stores import QUICK, Place
from tests.support.waiting import WAIT_LIMIT, eventually

SMALL: dict[str, Any] = {"max_body_bytes": 10_000, "max_upload_bytes": 20_000}


@pytest.fixture
def small(place: Place) -> Any:
    """A service that takes little at a time."""
    opened = Served(place.path, Settings(**QUICK), serve=ServeSettings(port=0, **SMALL))
    yield opened
    opened.close()


@pytest.fixture
def hasty(place: Place) -> Any:
    """A service with little patience, but enough for who sends at once."""
    serve = ServeSettings(port=0, header_seconds=2, body_seconds=2, **SMALL)
    opened = Served(place.path, Settings(**QUICK), serve=serve)
    yield opened
    opened.close()


def test_a_body_that_says_it_is_too_large_is_not_read(small: Served) -> None:
    with asking(small, AUTHORISED) as client:
        answer = client.post("/seeds", content=b"x" * 20_000)
    assert answer.status_code == 413


def test_a_body_that_does_not_say_its_size_is_cut(small: Served) -> None:
    def pieces() -> Any:
        for _ in range(100):
            yield b"x" * 1_000

    try:
        with asking(small, AUTHORISED) as client:
            assert client.post("/seeds", content=pieces()).status_code == 413
    except (httpx.WriteError, httpx.RemoteProtocolError, httpx.ReadError):
        pass  # closed while we were still sending, which is as good
    assert small.graph.status()[0].total == 0


def test_a_slow_body_is_not_waited_for(hasty: Served) -> None:
    head = f"POST /seeds HTTP/1.1\r\nHost: 127.0.0.1:{port_of(hasty)}\r\nAuthorization: Bearer {TOKEN}\r\n"
    said = raw(hasty, head + "Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{")
    assert said.startswith(b"HTTP/1.1 408"), said[:100]


FORM = {"Content-Type": "multipart/form-data; boundary=b"}
PART = '--b\r\nContent-Disposition: form-data; name="file"; filename="../../x"\r\n\r\n'


def test_a_file_without_end_leaves_nothing(small: Served) -> None:
    def pieces() -> Any:
        yield PART.encode()
        for _ in range(2_000):
            yield b"x" * 1_000

    with asking(small, {**AUTHORISED, **FORM}) as client:
        assert client.post("/uploads", content=b"x" * 2_000_000).status_code == 413, "it says how large it is"
        with contextlib.suppress(httpx.WriteError, httpx.RemoteProtocolError, httpx.ReadError):  # closed: as good
            assert client.post("/uploads", content=pieces()).status_code in (400, 413)
    _nothing_is_left(small)


def test_a_slow_file_leaves_nothing(hasty: Served) -> None:
    head = f"POST /uploads HTTP/1.1\r\nHost: 127.0.0.1:{port_of(hasty)}\r\nAuthorization: Bearer {TOKEN}\r\n"
    said = raw(hasty, f"{head}Content-Type: {FORM['Content-Type']}\r\nContent-Length: 9000\r\n\r\n{PART}slow")
    assert said.startswith(b"HTTP/1.1 408"), said[:100]
    _nothing_is_left(hasty)


def _nothing_is_left(served: Served) -> None:
    folder = Path(f"{served.graph.engine.where}.incoming")
    eventually(lambda: _empty(folder))
    assert served.graph.uploads.list() == []


def _empty(folder: Path) -> None:
    assert not folder.exists() or list(folder.iterdir()) == []


@pytest.mark.parametrize("begun", ["", "GET /status HTTP/1.1\r\nHost: ", "GE"])
def test_a_slow_head_is_not_waited_for(hasty: Served, begun: str) -> None:
    with socket.create_connection(("127.0.0.1", port_of(hasty)), timeout=WAIT_LIMIT) as line:
        if begun:
            line.sendall(begun.encode())
        assert line.recv(100) == b"", "closed without a word"


def test_a_connection_that_rests_between_requests_is_kept(hasty: Served) -> None:
    with asking(hasty) as client:
        assert client.get("/healthz").status_code == 200
        with socket.create_connection(("127.0.0.1", port_of(hasty)), timeout=WAIT_LIMIT) as other:
            assert other.recv(10) == b"", "so long that an idle newcomer was closed"
        assert client.get("/healthz").status_code == 200
