"""A site on loopback whose pages take their time, fail, break off or never end; it counts what it answers at once."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator

TEXT = (
    "A vine is a plant with trailing or climbing stems. Vines use tendrils to grip walls and trellises. Gardeners plant"
    " vines to cover bare walls with leaves. Grapes grow on vines in warm regions and are pressed into wine. Ivy is an"
    " evergreen vine that climbs by small roots. Some vines grow a hand's breadth in a single day."
)


class SlowSite:
    """`/KIND/NUMBER` answers as its kind does; robots.txt is not there and not counted."""

    def __init__(self) -> None:
        self.page_seconds = 0.0
        self.asked: dict[str, float] = {}  # when each path was asked for the first time
        self._changes: list[tuple[float, int]] = []
        self._now = 0

    def forget(self) -> None:
        self.asked, self._changes = {}, []

    @property
    def most(self) -> int:
        """How many requests were answered at once, at most."""
        return max(count for _, count in self._changes)

    def share_used(self, slots: int) -> float:
        """How much of the slots' time was used while pages waited: until the last one was asked for the first time."""
        until, used = max(self.asked.values()), 0.0
        for (begin, count), (end, _) in zip(self._changes, self._changes[1:], strict=False):
            used += count * max(0.0, min(end, until) - min(begin, until))
        return used / (slots * (until - self._changes[0][0]))

    async def client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            path = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split(" ")[1]
            if path == "/robots.txt":
                writer.write(_head(404, "Content-Length: 0"))
            else:
                await self._exchange(path, reader, writer)
        writer.close()

    async def _exchange(self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked.setdefault(path, time.monotonic())
        self._change(+1)
        answering = asyncio.ensure_future(self._answer(path.split("/")[1], writer))
        leaving = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)
            self._change(-1)

    def _change(self, by: int) -> None:
        self._now += by
        self._changes.append((time.monotonic(), self._now))

    async def _answer(self, kind: str, writer: asyncio.StreamWriter) -> None:
        if kind == "silent":
            await asyncio.Event().wait()
        await asyncio.sleep(self.page_seconds)
        if kind == "page":
            writer.write(_head(200, f"Content-Length: {len(TEXT)}") + TEXT.encode())
        elif kind == "fails":
            writer.write(_head(500, "Content-Length: 0"))
        elif kind == "huge":
            writer.write(_head(200, f"Content-Length: {1 << 40}") + b"x" * 100_000)
        elif kind == "breaks":
            writer.write(_head(200, "Content-Length: 1000") + b"half of ")
        else:
            writer.write(_head(200, "X-Kind: endless"))
            while True:
                writer.write(b"and so on ")
                await writer.drain()
                await asyncio.sleep(0.05)
        await writer.drain()


def _head(status: int, line: str) -> bytes:
    return f"HTTP/1.1 {status} Slow\r\nContent-Type: text/plain\r\nConnection: close\r\n{line}\r\n\r\n".encode()


@contextlib.contextmanager
def slow_site() -> Iterator[tuple[SlowSite, str]]:
    """The site and its address, served by a thread."""
    site, loop, found = SlowSite(), asyncio.new_event_loop(), threading.Event()
    ports: list[int] = []
    over = asyncio.Event()

    async def serve() -> None:
        server = await asyncio.start_server(site.client, "127.0.0.1", 0)
        ports.append(server.sockets[0].getsockname()[1])
        found.set()
        await over.wait()
        server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    found.wait()
    try:
        yield site, f"http://127.0.0.1:{ports[0]}"
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()
