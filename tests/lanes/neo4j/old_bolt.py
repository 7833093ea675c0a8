"""Something that answers like a Neo4j server of another age: enough Bolt for a driver to say hello."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.waiting import WAIT_LIMIT

_HELLO, _GOODBYE = 0x01, 0x02


@contextmanager
def server(agent: str, version: bytes = b"\0\0\4\4") -> Iterator[int]:
    """Listen on a free port of loopback, agree on this version of Bolt (none: 0), and give this name."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_serve, args=(listening, agent, version), daemon=True)
        thread.start()
        yield int(listening.getsockname()[1])
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(WAIT_LIMIT)


def _serve(listening: socket.socket, agent: str, version: bytes) -> None:
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return  # closed: the test is over
        with connection:
            connection.settimeout(WAIT_LIMIT)
            _talk(connection, agent, version)


def _talk(connection: socket.socket, agent: str, version: bytes) -> None:
    _read(connection, 20)
    connection.sendall(version)
    if version == b"\0\0\0\0":
        return
    while (message := _message(connection)) is not None and message[1] != _GOODBYE:
        facts = {"server": agent, "connection_id": "bolt-1"} if message[1] == _HELLO else {}
        packed = bytes([0xA0 + len(facts)]) + b"".join(_text(name) + _text(value) for name, value in facts.items())
        answer = b"\xb1\x70" + packed
        connection.sendall(struct.pack(">H", len(answer)) + answer + b"\0\0")


def _message(connection: socket.socket) -> bytes | None:
    content = b""
    while True:
        head = _read(connection, 2)
        if len(head) < 2:
            return None
        size = struct.unpack(">H", head)[0]
        if size == 0 and content:
            return content
        content += _read(connection, size)


def _read(connection: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        piece = connection.recv(size - len(content))
        if not piece:
            break
        content += piece
    return content


def _text(value: str) -> bytes:
    said = value.encode()
    return b"\xd0" + bytes([len(said)]) + said
