"""Workers in processes of their own, at a graph that a daemon serves: what they do, and what must come of it."""

from __future__ import annotations

from pathlib import Path

import graphvine
from graphvine.engines.http.engine import HttpEngine
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.settings import Settings
from tests.support.articles import linking
from tests.support.processes import Send

# Each root has this many children, and each of them as many again.
CHILDREN, DEPTH = 4, 2
TREE = sum(CHILDREN**level for level in range(DEPTH + 1))
_ROOTS_AT_ONCE = 5
SETTINGS = Settings(batch_size=5, heartbeat_seconds=0.5)


def work_remotely(send: Send, where: str, name: str, stop: str) -> dict[str, int]:
    """Claim, finish, discover; put in more roots when nothing is left, until the file `stop` is there."""
    done = lost = roots = 0
    with graphvine.open(where, settings=SETTINGS) as graph:
        assert isinstance(graph.engine, HttpEngine)
        claims = graph.claims("article", f"{name}")
        send("begun")
        while True:
            taken = claims.claim(4)
            if not taken:
                if Path(stop).exists():
                    if _all_done(graph):
                        break
                    continue
                new = [f"{name} root {roots + n}" for n in range(_ROOTS_AT_ONCE)]
                assert graph.seed("article", new) == len(new), "a seed was put in twice"
                roots += len(new)
            for claim in taken:
                children = [f"{claim.key}.{n}" for n in range(CHILDREN)] if claim.depth < DEPTH else []
                try:
                    claims.complete(claim, linking(graph, claim, children) if children else ())
                    done += 1
                except ClaimLost:
                    lost += 1
    return {"done": done, "lost": lost, "roots": roots}


def _all_done(graph: Graph) -> bool:
    counts = {row["state"]: row["count"] for row in graph.read("article.counts")}
    return counts.get("discovered", 0) == counts.get("claimed", 0) == 0


def look(send: Send, where: str, stop: str) -> int:
    """Ask again and again, as a console does, until told to stop; returns how often it was answered."""
    looks = seen = 0
    with graphvine.open(where, settings=SETTINGS) as graph:
        send("begun")
        while not Path(stop).exists():
            (count,) = graph.query("MATCH (a:Article) RETURN count(*)").rows[0]
            assert count >= seen, "what was written is gone"
            looks, seen = looks + 1, count
    return looks
