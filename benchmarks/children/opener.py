"""Open a store that a killed process left, claim once, and report when each of it was done.

Times are of the system's monotonic clock, which all processes share.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import graphvine
from support.child import say


def main(where: str, batch: int) -> None:
    import importlib

    importlib.import_module(where.partition(":")[0] if where.startswith("ladybug:") else "kuzu")
    imported = time.monotonic()
    graph = graphvine.open(where)
    opened = time.monotonic()
    claimed = graph.claims("article", worker="benchmark").claim(batch)
    first_claim = time.monotonic()
    (status,) = (status for status in graph.status() if status.pipeline == "article")
    say(imported=imported, opened=opened, first_claim=first_claim, claimed=len(claimed), states=status.states)
    graph.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
