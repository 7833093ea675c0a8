"""Row numbers without a counter: ordered by time, unique over all processes.

A number is a count of microseconds with twelve bits of the process behind it. A process gives each microsecond out
once. Should two processes have the same bits, and the same microsecond, the constraint on the number refuses the
second; it then takes other bits and runs its unit again.
"""

from __future__ import annotations

import secrets
import threading
import time

_PROCESS_BITS = 12
# 2024-01-01 UTC: 51 bits of microseconds from there last until 2095, and the whole stays below 2**63.
_START_US = 1_704_067_200_000_000


class Numbers:
    def __init__(self, offset_ms: int = 0) -> None:
        self._offset_us = offset_ms * 1000
        self._last = 0
        self._lock = threading.Lock()
        self._process = secrets.randbits(_PROCESS_BITS)

    def take(self, count: int) -> range:
        """The next numbers, as many as asked for."""
        now = time.time_ns() // 1000 + self._offset_us - _START_US
        with self._lock:
            first = max(self._last + 1, now)
            self._last = first + count - 1
            process = self._process
        step = 1 << _PROCESS_BITS
        return range(first * step + process, (first + count) * step + process, step)

    def renew(self) -> None:
        """Somebody else has our bits: take others."""
        with self._lock:
            self._process = (self._process + 1 + secrets.randbelow((1 << _PROCESS_BITS) - 1)) % (1 << _PROCESS_BITS)
