"""Claim and complete from one moment to another, beside other processes that do the same."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import graphvine
from support.child import say


def main(where: str, batch: int, begin: float, end: float) -> None:
    numbers: list[int] = []
    with graphvine.open(where) as graph:
        claims = graph.claims("article", worker=f"benchmark-{batch}")
        claims.complete(claims.claim(1))  # plans are made and connections opened before the clock runs
        time.sleep(max(0.0, begin - time.time()))
        late, cpu = time.time() - begin, time.process_time()
        while time.time() < end and (claimed := claims.claim(batch)):
            claims.complete(claimed)
            numbers += [claim.seq for claim in claimed]
        say(numbers=numbers, late=late, cpu=time.process_time() - cpu, seconds=time.time() - begin)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
