"""Asks a daemon whether it is ready, all the time, from a process that nothing else keeps busy.

python -m tests.support.ready_watch ADDRESS; at the end of its input it prints the slowest answer and what was wrong.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

_EVERY_SECONDS, _PATIENCE_SECONDS = 0.05, 300.0


@dataclass
class Readiness:
    """How long /readyz took at worst, how often it was asked, and answers that were not 200."""

    slowest: float = 0.0
    asked: int = 0
    wrong: list[str] = field(default_factory=list)


@contextmanager
def watching(address: str) -> Iterator[Readiness]:
    """The figures are there when the block is over."""
    found = Readiness()
    command = [sys.executable, "-m", __name__, address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield found
        finally:
            told, _ = process.communicate()
        assert process.returncode == 0, "the watch ended by an error"
        found.slowest, found.asked, found.wrong = json.loads(told)


def main(address: str) -> None:
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    found = Readiness()
    with httpx.Client(base_url=address, timeout=_PATIENCE_SECONDS, trust_env=False) as client:
        while not over.is_set():
            began = time.monotonic()
            answer = client.get("/readyz")
            found.slowest = max(found.slowest, time.monotonic() - began)
            found.asked += 1
            if answer.status_code != 200:
                found.wrong.append(f"{answer.status_code} {answer.text}")
            over.wait(_EVERY_SECONDS)
    print(json.dumps([found.slowest, found.asked, found.wrong]))


if __name__ == "__main__":
    main(sys.argv[1])
