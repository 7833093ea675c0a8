"""Claim and complete through a daemon until killed, putting in more when nothing is left, and report."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import graphvine
from support.child import say

SEEDS = 50


def main(where: str, batch: int) -> None:
    acknowledged, numbers = 0, count()
    with graphvine.open(where) as graph:
        claims = graph.claims("article", worker="benchmark")
        say(acknowledged=0, engine=graph.engine.name)
        while True:
            if not (claimed := claims.claim(batch)):
                graph.seed("article", [f"Article {next(numbers)}" for _ in range(SEEDS)])
                continue
            claims.complete(claimed)
            acknowledged += len(claimed)
            say(acknowledged=acknowledged, engine=graph.engine.name)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
