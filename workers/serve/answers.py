"""Answers on their way: in pieces, as fast as they are taken, within a time, and never too many large ones at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

Send = Callable[[dict[str, Any]], Any]
# What the server keeps of an answer that nobody takes is a piece and as much as WAITING_BYTES.
_PIECE = 1 << 15
WAITING_BYTES = 1 << 14
_MEGABYTE = 1_000_000


class Answers:
    """The large answers that are being sent, together."""

    def __init__(self, most_bytes: int, seconds: float) -> None:
        self._most, self._seconds = most_bytes, seconds
        self._held = 0

    def sending(self, send: Send, abort: Callable[[], None], *, counted: bool) -> Answer:
        return Answer(self, send, abort, counted)

    def take(self, count: int) -> bool:
        """False where there is no room for this answer beside the others; a single one always has it."""
        if self._held and self._held + count > self._most:
            return False
        self._held += count
        return True

    def give_back(self, count: int) -> None:
        self._held -= count

    @property
    def seconds(self) -> float:
        return self._seconds


class Answer:
    """One answer; call it as ASGI's `send`, and `close` it when the application is done."""

    def __init__(self, answers: Answers, send: Send, abort: Callable[[], None], counted: bool) -> None:
        self._answers, self._send, self._abort, self._counted = answers, send, abort, counted
        self._taken = 0
        self._over = False

    async def __call__(self, message: dict[str, Any]) -> None:
        if self._over:
            return  # refused, or cut off: what the application still says goes nowhere
        if message["type"] == "http.response.start":
            length = _length(message)
            if self._counted and length > _PIECE:
                if not self._answers.take(length):
                    self._over = True
                    await _refuse(self._send)
                    return
                self._taken = length
            await self._send(message)
        elif message["type"] == "http.response.body":
            await self._send_pieces(message)
        else:
            await self._send(message)

    def close(self) -> None:
        self._answers.give_back(self._taken)
        self._taken = 0

    async def _send_pieces(self, message: dict[str, Any]) -> None:
        body, more = memoryview(message.get("body", b"")), message.get("more_body", False)
        # The time runs while we send: a stream may rest between two messages for as long as it likes.
        began, sent = asyncio.get_running_loop().time(), 0
        try:
            while True:
                piece, body = bytes(body[:_PIECE]), body[_PIECE:]
                async with asyncio.timeout_at(began + self._answers.seconds * (1 + sent // _MEGABYTE)):
                    await self._send({**message, "body": piece, "more_body": bool(body) or more})
                sent += len(piece)
                if not body:
                    return
        except TimeoutError:
            self._over = True
            self._abort()
            await asyncio.sleep(0)  # the server hears of the end before we return


def _length(message: dict[str, Any]) -> int:
    found = next((value for name, value in message.get("headers", ()) if name.lower() == b"content-length"), b"0")
    return int(found)


async def _refuse(send: Send) -> None:
    error = {"type": "Refused", "message": "too many large answers at once: try again in a moment, or ask for less"}
    body = json.dumps({"error": error}).encode()
    headers = [
        (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), (b"retry-after", b"1"),
    ]  # fmt: skip
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body})
