"""robots.txt: asked for once a day and site, and obeyed. By RFC 9309: none (4xx) allows, a broken site (5xx) waits."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

_SITES_KEPT = 2_000
AGENT = "graphvine"
# The site's robots.txt as text; None where the site has none.
Read = Callable[[str], Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class Rules:
    until: float
    parsed: Any

    def allow(self, url: str) -> bool:
        return self.parsed is None or bool(self.parsed.can_fetch(url, AGENT))

    @property
    def delay_seconds(self) -> float:
        return float(self.parsed.crawl_delay(AGENT) or 0) if self.parsed is not None else 0.0


class Robots:
    """The rules of the sites that were asked for lately."""

    def __init__(self, read: Read, keep_seconds: float) -> None:
        self._read, self._keep = read, keep_seconds
        self._known: OrderedDict[str, Rules] = OrderedDict()
        self._asking: dict[str, asyncio.Lock] = {}

    async def rules(self, site: str) -> Rules:
        """The rules of a site (`https://example.org`); what the reading raises is raised, and not remembered."""
        lock = self._asking.setdefault(site, asyncio.Lock())
        try:
            async with lock:
                known = self._known.get(site)
                if known is None or known.until < time.monotonic():
                    known = Rules(time.monotonic() + self._keep, _parsed(await self._read(f"{site}/robots.txt")))
                self._known[site] = known
                self._known.move_to_end(site)
                while len(self._known) > _SITES_KEPT:
                    self._known.popitem(last=False)
                return known
        finally:
            if not lock.locked():
                self._asking.pop(site, None)


def _parsed(text: str | None) -> Any:
    if not text:
        return None
    from protego import Protego

    return Protego.parse(text)
