"""Workers in processes of their own: each grows a tree of articles whose shape says what has to come out."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import graphvine
from graphvine.graph import Graph
from graphvine.outcomes import Done
from graphvine.records import Claim, Step
from graphvine.settings import Settings
from graphvine.workers.loop import Loop
from graphvine.workers.pipeline import Context
from graphvine.workers.scheduler import reaper, running
from tests.support.articles import linking, section
from tests.support.processes import Send

ROOTS, CHILDREN, DEPTH = 5, 3, 4
BATCH = 8
# Lost workers are given up on quickly, and no row for having met many kills.
SETTINGS = Settings(
    timeout_seconds=4, heartbeat_seconds=0.5, reclaim_seconds=1, max_lost_claims=10_000, window_rows=1_000
)


def roots(count: int = ROOTS) -> list[str]:
    return [f"{number}" for number in range(count)]


def expected(count: int = ROOTS) -> dict[str, int]:
    """Every title of the full-grown trees, with its depth."""
    level, found = roots(count), {}
    for depth in range(DEPTH + 1):
        found.update(dict.fromkeys(level, depth))
        level = [f"{title}.{child}" for title in level for child in range(CHILDREN)]
    return found


class Growing:
    """Answers for each article with its children, and with a section that tells who made it."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Done]:
        for claim in claims:
            self._graph.clock.sleep(random.uniform(0, 0.02))  # so that kills come in the middle of work
            children = [f"{claim.key}.{child}" for child in range(CHILDREN)] if claim.depth < DEPTH else []
            yield Done(claim, [*linking(self._graph, claim, children), self._section(claim)])

    def _section(self, claim: Claim) -> Step:
        # Its id is the claim's, so an article that was worked on twice would have two.
        row = section(claim.seq, f"{claim.key}#{claim.token}", article=claim.key)
        return Step("article.add_sections", {"rows": [row], "lo": claim.seq, "hi": claim.seq})

    def close(self) -> None: ...


def work(send: Send, where: str) -> None:
    """Work until killed."""
    with graphvine.open(where, settings=SETTINGS) as graph, running(graph, [reaper(graph)]):
        send("at work")
        Loop(graph, "article", Growing(graph), batch=BATCH).run()
