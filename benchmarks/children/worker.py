"""Claim and complete until killed, reporting how many completions were acknowledged."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import graphvine
from support.child import say


def main(where: str, batch: int) -> None:
    acknowledged = 0
    graph = graphvine.open(where)
    claims = graph.claims("article", worker="benchmark")
    while claimed := claims.claim(batch):
        claims.complete(claimed)
        acknowledged += len(claimed)
        say(acknowledged=acknowledged)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
