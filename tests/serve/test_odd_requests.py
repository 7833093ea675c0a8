"""Requests that no client sends by accident: each gets an answer that says what is wrong, and none is a fault."""

from __future__ import annotations

import gzip
import socket
from typing import Any

import httpx
import pytest

from tests.serve.conftest import AUTHORISED, asking
from tests.support.shared_graphs import Served
from tests.support.waiting import WAIT_LIMIT

BODIES = {
    "bytes that are not UTF-8": b'{"statement": "\xff\xfe", "titles": ["\xff"], "reason": "\xc3\x28"}',
    "half a character": b'{"statement": "\\ud800", "titles": ["\\ud800"]}',
    "a NUL": b'{"statement": "RETURN 1\\u0000", "titles": ["a\\u0000b"], "reason": "\\u0000"}',
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"a": ' * 100_000,
    "a number beyond all bounds": b'{"depth": ' + b"9" * 10_000 + b', "statement": 1e999}',
    "not JSON": b"NaN",
    "no object": b"[1]",
    "nothing": b"",
    "gzip that is cut": b"\x1f\x8b\x08\x00",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_that_is_wrong_is_no_fault_at_any_route(full_house: Served, body: bytes) -> None:
    with asking(full_house, AUTHORISED) as client:
        described: dict[str, Any] = client.get("/openapi.json").json()["paths"]
        posts = [path for path, ways in described.items() if "post" in ways]
        assert len(posts) > 20
        for path in [*posts, "/mcp", "/engine/unit", "/engine/dispatch"]:
            place = path.replace("{id}", "1").replace("{pipeline}", "article")
            for media_type in ("application/json", "text/plain", "multipart/form-data; boundary=b"):
                headers = {"Content-Type": media_type, "Accept": "application/json, text/event-stream"}
                answer = client.post(place, content=body, headers=headers)
                assert answer.status_code < 500 or answer.status_code == 503, (path, media_type, answer.text)
        for job in client.get("/jobs").json()["rows"]:
            client.delete(f"/jobs/{job['id']}")


def said(served: Served, sent: bytes) -> bytes:
    """What the service answers to these bytes, up to its end or the end of the first head."""
    address = httpx.URL(served.address)
    with socket.create_connection((address.host, address.port or 0), WAIT_LIMIT) as line:
        line.sendall(sent.replace(b"$HOST", f"127.0.0.1:{address.port}".encode()))
        answer = b""
        while b"\r\n\r\n" not in answer and (piece := line.recv(65_536)):
            answer += piece
        return answer


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (
            b"POST /cypher HTTP/1.1\r\nHost: $HOST\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
        ),
        (b"POST /cypher HTTP/1.1\r\nHost: $HOST\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /cypher HTTP/1.1\r\nHost: $HOST\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n", 400),
        (b"POST /cypher HTTP/1.1\r\nHost: $HOST\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"POST /cypher HTTP/1.1\r\nHost: $HOST\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400),
        (b"POST /cypher HTTP/1.1\r\nHost: $HOST\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"a" * 200_000, 400),
        (b"GET /status\0 HTTP/1.1\r\nHost: $HOST\r\n\r\n", 400),
        (b"GET /jobs/\xff HTTP/1.1\r\nHost: $HOST\r\n\r\n", 400),
        (b"GET /jobs/%00%ff HTTP/1.1\r\nHost: $HOST\r\n\r\n", 404),
        (b"GET /search?q=" + b"a" * 1_000_000 + b" HTTP/1.1\r\nHost: $HOST\r\n\r\n", 400),
        (b"GET /status HTTP/1.1\r\n\r\n", 400),
        (b"GET http://127.0.0.1/status HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        (b"CONNECT 10.0.0.1:80 HTTP/1.1\r\nHost: $HOST\r\n\r\n", 401),
        (b"GET /status HTTP/1.1\r\nHost: $HOST\r\nAuthorization: Bearer \xff\xfe\r\n\r\n", 401),
        (b"GET /status HTTP/1.1\r\nHost: $HOST\r\nOrigin: null\r\n\r\n", 403),
        (b"GET /events HTTP/1.1\r\nHost: $HOST\r\nLast-Event-ID: \xff9\r\n\r\n", 200),
        (b"GET /healthz HTTP/1.1\r\nHost: $HOST\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", 200),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    ],
)
def test_odd_heads(full_house: Served, sent: bytes, status: int) -> None:
    assert said(full_house, sent).startswith(f"HTTP/1.1 {status} ".encode())
    assert said(full_house, b"GET /healthz HTTP/1.1\r\nHost: $HOST\r\n\r\n").startswith(b"HTTP/1.1 200 ")


def test_requests_that_come_in_one_piece_are_answered_in_their_order(full_house: Served) -> None:
    """Pipelining: what follows in the same piece is not lost, and a refusal closes the line behind it."""
    address = httpx.URL(full_house.address)
    head = f"HTTP/1.1\r\nHost: 127.0.0.1:{address.port}\r\n".encode()
    asked = [b"GET /healthz " + head + b"\r\n"] * 50 + [b"GET /nowhere " + head + b"Connection: close\r\n\r\n"]
    with socket.create_connection((address.host, address.port or 0), WAIT_LIMIT) as line:
        line.sendall(b"".join(asked))
        answer = b""
        while piece := line.recv(65_536):
            answer += piece
    assert answer.count(b"HTTP/1.1 200 ") == 50 and answer.count(b"HTTP/1.1 404 ") == 1
    assert answer.index(b"HTTP/1.1 404 ") > answer.rindex(b"HTTP/1.1 200 ")


WIDE = b"[" + b"[]," * 600_000 + b"[]]"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/hn/items", WIDE),
        ("/hn/items", gzip.compress(WIDE)),
        ("/hn/items", gzip.compress(b"[" + b"0," * 9_000_000 + b"0]")),
        ("/mcp", b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ' + WIDE[:60_000] + b"[]]}"),
        ("/mcp", b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"x" * 600_000 + b'"}'),
    ],
)
def test_little_text_that_is_much_as_objects_is_refused_unread(full_house: Served, path: str, body: bytes) -> None:
    """While it is read no other thread runs: /readyz waited for seconds."""
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with asking(full_house, {**AUTHORISED, **headers}) as client:
        answer = client.post(path, content=body)
        assert answer.status_code == 413 and ("send it in parts" in answer.text or "send less at once" in answer.text)
