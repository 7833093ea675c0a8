"""Few requests at once to one host, and as much time between them as it asks for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


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
