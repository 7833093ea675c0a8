"""Claim and complete so many times, and report the highest memory of each stretch on the way."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import graphvine
from support.child import say

RESET_PEAK = "5"


def peak_kib() -> int:
    """The highest resident memory since the last call; the kernel keeps it, so that no peak is missed."""
    status = Path("/proc/self/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    Path("/proc/self/clear_refs").write_text(RESET_PEAK)
    return int(line.split()[1])


def main(where: str, batch: int, transitions: int, stretch: int) -> None:
    done = reported = 0
    with graphvine.open(where) as graph:
        claims = graph.claims("article", worker="benchmark")
        peak_kib()
        while done < transitions:
            claimed = claims.claim(batch)
            if not claimed:
                raise RuntimeError(f"nothing left to claim after {done} transitions")
            claims.complete(claimed)
            done += 2 * len(claimed)
            if done - reported >= stretch or done >= transitions:
                say(transitions=done, kib=peak_kib())
                reported = done


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
