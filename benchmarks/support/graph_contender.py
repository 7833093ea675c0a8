"""Graphvine in the race: claim and complete through the public API, and a check that all of it was right."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from support.contender import Sample, timed
from support.store import empty, fill, fresh_store

if TYPE_CHECKING:
    from graphvine import Graph
    from graphvine.claims import Claims

PIPELINE = "article"


class GraphContender:
    """A store of articles whose claims are completed without a result, as the peers' items are."""

    name = "graphvine"
    durability = "claims and completions, one synced commit each a batch"

    def __init__(self, engine: str, folder: Path, batches: tuple[int, ...], server: str | None = None) -> None:
        self.engine = engine
        self.folder = folder
        self.batches = batches
        self.server = server
        self.graph: Graph | None = None
        self.claims: Claims | None = None
        self.rows = 0
        self.seen: set[int] = set()
        self.twice = 0
        self.completed = 0
        self.faults: list[str] = []

    def fill(self, items: int) -> None:
        import graphvine

        self.close()
        if self.server is None:
            where = fresh_store(self.engine, items, self.folder)
        else:
            where = self.server
            if self.rows:
                empty(where)  # of what was put in by the fill before; it was empty then
            fill(where, items)
        self.rows = items
        self.seen.clear()
        self.graph = graphvine.open(where)
        self.claims = self.graph.claims(PIPELINE, worker="benchmark")
        self.turn(1)

    def turn(self, batch: int) -> list[int]:
        """Claim and complete once; the numbers of the rows."""
        assert self.claims is not None
        claimed = self.claims.claim(batch)
        if claimed:
            self.claims.complete(claimed)
        return [claim.seq for claim in claimed]

    def run(self, batch: int, seconds: float, items: int) -> Sample:
        handed_out: list[int] = []

        def turn() -> int:
            numbers = self.turn(batch)
            handed_out.extend(numbers)
            return len(numbers)

        sample = timed(turn, seconds, items)
        self.twice += len(handed_out) - len(set(handed_out)) + len(self.seen.intersection(handed_out))
        self.seen.update(handed_out)
        self.completed += len(handed_out)
        return sample

    def audit(self) -> None:
        """Compare the store's own counts with what was done here."""
        assert self.graph is not None
        # One row more than the timed ones: the first turn after opening.
        done = len(self.seen) + 1
        (status,) = (status for status in self.graph.status() if status.pipeline == PIPELINE)
        expected = {"discovered": self.rows - done, "processed": done}
        states = {state: count for state, count in status.states.items() if count}
        if states != {state: count for state, count in expected.items() if count}:
            self.faults.append(f"{self.rows} rows: the store counts {states}, expected {expected}")

    def close(self) -> None:
        if self.graph is not None:
            self.audit()
            self.graph.close()
            self.graph = self.claims = None
        if self.server is None:
            shutil.rmtree(self.folder, ignore_errors=True)
