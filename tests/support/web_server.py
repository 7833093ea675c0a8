"""A web server of the test's own on loopback, in a thread: it can be slow, broken, huge and endless, and it counts."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from tests.support.waiting import WAIT_LIMIT


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    writer: asyncio.StreamWriter

    async def answer(
        self, body: bytes = b"", status: int = 200, media_type: str = "text/plain; charset=utf-8", **headers: str
    ) -> None:
        """Send a whole answer."""
        await self.begin(status, media_type, Content_Length=str(len(body)), **headers)
        await self.send(body)

    async def begin(self, status: int = 200, media_type: str = "text/plain", **headers: str) -> None:
        """Send the head alone; names of headers are written with _ for -."""
        lines = [f"HTTP/1.1 {status} Test", f"Content-Type: {media_type}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.send(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    async def send(self, part: bytes) -> None:
        self.writer.write(part)
        await self.writer.drain()

    async def pause(self, seconds: float) -> None:
        """A site that takes its time."""
        await asyncio.sleep(seconds)

    async def wait_for(self, event: threading.Event) -> None:
        """Go on when the test says so."""
        while not event.is_set():
            await asyncio.sleep(0.005)


Handler = Callable[[Request], Awaitable[None]]


@dataclass
class Traffic:
    """What was asked, and how many requests were being answered at once; robots.txt aside."""

    asked: list[str] = field(default_factory=list)
    now: int = 0
    most: int = 0

    def change(self, by: int) -> None:
        self.now += by
        self.most = max(self.most, self.now)


class WebServer:
    """`with WebServer(handler) as server: ... server.url`"""

    def __init__(self, handler: Handler, robots: str | None = None) -> None:
        self.handler, self._robots = handler, robots
        self.traffic = Traffic()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="web-server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(WAIT_LIMIT)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(WAIT_LIMIT)
        assert not self._thread.is_alive()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._over = asyncio.Event()
        server = await asyncio.start_server(self._client, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._over.wait()
        server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._exchange(reader, writer)
        writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        pairs = (line.split(": ", 1) for line in head[1:] if ": " in line)
        headers = {name.lower(): value for name, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        request = Request(method, path, headers, body, writer)
        if path == "/robots.txt":
            if self._robots is None:
                await request.answer(status=404)
            else:
                await request.answer(self._robots.encode())
            return
        self.traffic.asked.append(path)
        self.traffic.change(+1)
        try:
            # Whoever goes away in the middle ends the answer: nobody is in flight any more.
            answering = asyncio.ensure_future(self.handler(request))
            leaving = asyncio.ensure_future(reader.read(1))
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            leaving.cancel()
            if not answering.done():
                answering.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await answering
        finally:
            self.traffic.change(-1)
