"""Reads pages in sandboxed processes, within limits of time and memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from graphvine.errors import GraphvineError
from graphvine.workers.common.pages.extract import kind_of, read_page
from graphvine.workers.common.pages.page import Page, PageLimits, UnreadablePage
from graphvine.workers.common.sandbox import PackageMissing, Sandbox, SandboxFailed

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
        self._sandbox = Sandbox(
            f"{__name__}:open_task", asdict(self._limits), seconds=self._limits.seconds, processes=processes,
            memory_bytes=self._limits.memory_mb << 20, verb="reading", max_requests=_PAGES_EACH,
        )  # fmt: skip
        self._warmed = False

    def warm(self) -> None:
        """Start a process in the background, so that the first page does not wait for it."""
        if not self._warmed:
            self._warmed = True
            self._sandbox.warm()

    async def read(self, body: bytes, media_type: str, charset: str, url: str) -> Page:
        """The page; UnreadablePage where no text can be extracted within the limits."""
        if not body.strip() or kind_of(media_type, body) == "text":
            return read_page(body, media_type, charset, url, self._limits)  # decoding alone needs no process
        try:
            request = {"media_type": media_type, "charset": charset, "url": url}
            answer = await self._sandbox.acall(request, body)
        except SandboxFailed as error:
            raise UnreadablePage(str(error)) from None
        except PackageMissing as error:
            raise PagePartsMissing(error.name) from None
        if "unreadable" in answer:
            raise UnreadablePage(answer["unreadable"])
        return Page(**answer)

    async def close(self) -> None:
        await asyncio.to_thread(self._sandbox.close)


def open_task(setup: dict[str, Any]) -> Callable[[dict[str, Any], bytes], dict[str, Any]]:
    """The task, in the sandbox."""
    limits = PageLimits(**setup)
    with suppress(ImportError):  # reported when a page needs it
        import trafilatura  # noqa: F401  it takes long to load: before the first page, not during it

    def read(request: dict[str, Any], body: bytes) -> dict[str, Any]:
        try:
            return read_page(body, limits=limits, **request).as_dict()
        except UnreadablePage as error:
            return {"unreadable": str(error)}

    return read
