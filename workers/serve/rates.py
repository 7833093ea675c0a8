"""How often one address may ask: a bucket each, which fills with time."""

from __future__ import annotations

import time
from collections import OrderedDict

_ADDRESSES_KEPT = 10_000


class Rates:
    def __init__(self, per_second: float, most: float) -> None:
        self._per_second, self._most = per_second, max(most, 1.0)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str, now: float | None = None) -> bool:
        """Take one; False when nothing is left. Called by the thread of the event loop alone."""
        now = time.monotonic() if now is None else now
        left, at = self._left.pop(who, (self._most, now))
        left = min(self._most, left + (now - at) * self._per_second)
        allowed = left >= 1
        self._left[who] = (left - 1 if allowed else left, now)
        if len(self._left) > _ADDRESSES_KEPT:
            self._left.popitem(last=False)
        return allowed
