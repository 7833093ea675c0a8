"""Somebody who wants a daemon to stop answering: bodies, answers and queries that cost as much as they can."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

import psutil

_QUERIES = [
    "RETURN " + "NOT " * 1_900 + "true",
    "RETURN " + "CASE WHEN true THEN " * 7 + "1" + " END" * 7,
    "RETURN range(1, 60000000)",
    "UNWIND range(1, 100000000) AS x RETURN collect(x)",
    "MATCH (a), (b), (c), (d), (e) RETURN count(*)",
    "UNWIND range(1, 10000) AS x RETURN range(100, 400)",
]
_LOOK_SECONDS, _PATIENCE_SECONDS = 0.05, 120.0
_ATTACKERS, _SILENT = 3, 10


@dataclass
class Endured:
    """How long /readyz took at worst while it was attacked, and by how much the daemon's memory grew."""

    ready_seconds: float = 0.0
    ready_answers: int = 0
    not_ready: int = 0
    more_memory: int = 0
    attacks: int = 0


def endure(port: int, pid: int, seconds: float) -> Endured:
    """Attack the daemon for so long, and watch it from outside."""
    endured, over = Endured(), threading.Event()
    process = psutil.Process(pid)
    idle = process.memory_info().rss
    attackers = [threading.Thread(target=_attack, args=(port, n, endured, over)) for n in range(_ATTACKERS)]
    silent = [_silent(port) for _ in range(_SILENT)]
    for thread in attackers:
        thread.start()
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            began = time.monotonic()
            status = _ask(port, "GET", "/readyz", b"")
            endured.ready_seconds = max(endured.ready_seconds, time.monotonic() - began)
            endured.ready_answers += 1
            endured.not_ready += status != 200
            endured.more_memory = max(endured.more_memory, process.memory_info().rss - idle)
            time.sleep(_LOOK_SECONDS)
    finally:
        over.set()
        for line in silent:
            line.close()
        for thread in attackers:
            thread.join()
    return endured


def _attack(port: int, number: int, endured: Endured, over: threading.Event) -> None:
    large = b'{"statement": "RETURN size($list)", "parameters": {"list": [' + b"{}," * 2_000_000 + b"{}]}}"
    bodies = [large, *(json.dumps({"statement": text, "maxExecutionTime": 3}).encode() for text in _QUERIES)]
    turn = number
    while not over.is_set():
        with suppress(OSError, http.client.HTTPException):  # closed while we were still sending
            _ask(port, "POST", "/cypher", bodies[turn % len(bodies)])
        endured.attacks += 1
        turn += 1


def _silent(port: int) -> socket.socket:
    """A client that asks for a large answer and takes nothing of it."""
    line = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE_SECONDS)
    body = json.dumps({"statement": _QUERIES[-1]})
    head = f"POST /cypher HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    line.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    return line


def _ask(port: int, method: str, path: str, body: bytes) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_SECONDS)
    try:
        connection.request(method, path, body or None, {"Content-Type": "application/json"} if body else {})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()
