"""Politeness: few requests at once to one host, its crawl delay, and its robots.txt (RFC 9309)."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any


class _Gate:
    def __init__(self, width: int) -> None:
        self.open = asyncio.Semaphore(width)
        self.users = 0
        self.next_at = 0.0


class Politeness:
    def __init__(self, per_host: int, max_delay_seconds: float) -> None:
        self._per_host, self._max_delay = per_host, max_delay_seconds
        self._gates: dict[str, _Gate] = {}

    @asynccontextmanager
    async def visiting(self, host: str) -> AsyncIterator[Visit]:
        """Wait for a place at this host, and keep it while the block lasts."""
        gate = self._gates.setdefault(host, _Gate(self._per_host))
        gate.users += 1
        try:
            async with gate.open:
                yield Visit(gate, self._max_delay)
        finally:
            gate.users -= 1
            # A host that nobody waits for is forgotten, unless it wants to be left alone for a while yet.
            if gate.users == 0 and gate.next_at <= time.monotonic():
                self._gates.pop(host, None)


class Visit:
    def __init__(self, gate: _Gate, max_delay: float) -> None:
        self._gate, self._max_delay = gate, max_delay

    async def keep_distance(self, seconds: float) -> None:
        """Wait until so many seconds have passed since the host was last asked."""
        delay = min(max(seconds, 0.0), self._max_delay)
        now = time.monotonic()
        start = max(now, self._gate.next_at)
        self._gate.next_at = start + delay
        if start > now:
            await asyncio.sleep(start - now)


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
