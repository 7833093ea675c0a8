"""Reads pages in processes of their own, within limits of time and memory: what breaks on a page breaks alone."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from graphvine.errors import GraphvineError
from graphvine.workers.parts.pages.child import LENGTH
from graphvine.workers.parts.pages.page import Page, PageLimits, UnreadablePage
from graphvine.workers.parts.pages.reading import kind_of, read_page

# A process that has read so many is replaced: libraries for HTML and PDF leak.
_PAGES_EACH = 500


class PagePartsMissing(GraphvineError):
    """The packages that read pages are not installed."""

    def __init__(self, missing: str) -> None:
        super().__init__(f"reading pages needs {missing}, which is missing: run `pip install 'graphvine[scrape]'`")
        self.missing = missing


class PageReader:
    """`await reader.read(...)` from any number of tasks of one event loop; `processes` read at the same time."""

    def __init__(self, limits: PageLimits | None = None, *, processes: int = 1) -> None:
        self._limits = limits or PageLimits()
        self._free: asyncio.LifoQueue[_Child] = asyncio.LifoQueue()
        for _ in range(processes):
            self._free.put_nowait(_Child(self._limits.memory_mb))
        self._processes = processes
        self._warming: asyncio.Task[None] | None = None

    def warm(self) -> None:
        """Have a process started in the background, so that the first page does not wait for it."""
        if self._warming is None:
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        child = await self._free.get()
        try:
            await child.start()
        finally:
            self._free.put_nowait(child)

    async def read(self, body: bytes, media_type: str, charset: str, url: str) -> Page:
        """The page; UnreadablePage where there is no text to be had within the limits."""
        if not body.strip() or kind_of(media_type, body) == "text":
            return read_page(body, media_type, charset, url, self._limits)  # decoding alone needs no process
        child = await self._free.get()
        try:
            asked = {"media_type": media_type, "charset": charset, "url": url, "limits": asdict(self._limits)}
            answer = await child.ask(asked, body, self._limits.seconds)
        finally:
            self._free.put_nowait(child)
        if "unreadable" in answer:
            raise UnreadablePage(answer["unreadable"])
        if "missing" in answer:
            raise PagePartsMissing(answer["missing"])
        return Page(**answer["page"])

    async def close(self) -> None:
        if self._warming is not None:
            await asyncio.gather(self._warming, return_exceptions=True)
        for _ in range(self._processes):
            await (await self._free.get()).end()


class _Child:
    def __init__(self, memory_mb: int) -> None:
        self._memory_mb = memory_mb
        self._process: Process | None = None
        self._left = 0

    async def ask(self, asked: dict[str, Any], body: bytes, seconds: float) -> dict[str, Any]:
        if self._left == 0:
            await self.end()
        process = await self._running()
        whole = False
        try:
            async with asyncio.timeout(seconds):
                answer = await self._exchange(process, json.dumps(asked).encode(), body)
            whole = True
            self._left -= 1
            return answer
        except TimeoutError:
            raise UnreadablePage(f"reading it takes longer than {seconds:g} s") from None
        except (asyncio.IncompleteReadError, ConnectionError, OSError):
            raise UnreadablePage("reading it broke the process that reads") from None
        finally:
            # Also when the caller is cancelled: half an answer in the pipe would be taken for the next page's.
            if not whole:
                await asyncio.shield(self.end())

    async def start(self) -> None:
        await self._running()

    async def end(self) -> None:
        process, self._process, self._left = self._process, None, 0
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _running(self) -> Process:
        if self._process is None or self._process.returncode is not None:
            # Nothing of the environment is for it: keys and the like have no business near hostile pages.
            kept = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "HOME", "TMPDIR")
            given = {name: os.environ[name] for name in kept if name in os.environ}
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "graphvine.workers.parts.pages.child", str(self._memory_mb),
                stdin=PIPE, stdout=PIPE, stderr=asyncio.subprocess.DEVNULL, env=given, start_new_session=True,
            )  # fmt: skip
            self._left = _PAGES_EACH
        return self._process

    async def _exchange(self, process: Process, asked: bytes, body: bytes) -> dict[str, Any]:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(LENGTH.pack(len(asked)) + asked + LENGTH.pack(len(body)))
        process.stdin.write(body)
        await process.stdin.drain()
        (length,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
        answer: dict[str, Any] = json.loads(await process.stdout.readexactly(length))
        return answer
