"""One batch on its way through the cascade: the drafts, what the graph knows of them, and what is to be written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from graphvine.records import Row
from graphvine.workers.hn.ingest.item import Draft

if TYPE_CHECKING:
    from graphvine.workers.hn.ingest.thread_edges import Placed, Threads

# A few ids are looked up one by one, many that lie close together between two bounds, others by a join.
_FEW, _DENSE = 32, 3


class Edge(NamedTuple):
    """A relationship to make (or to end): the upper item, the lower one, whether the lower is an option of a poll."""

    above: int
    below: int
    option: bool = False


@dataclass(slots=True)
class Batch:
    graph: Any
    threads: Threads
    now: int
    drafts: list[Draft]
    known: dict[int, Row] = field(default_factory=dict)
    # Between rows that were never linked, and those where it must be looked first.
    edges: list[Edge] = field(default_factory=list)
    edges_again: list[Edge] = field(default_factory=list)
    edges_gone: list[Edge] = field(default_factory=list)
    # Items of the graph below those of the batch, and which of them get another story.
    below: dict[int, Placed] = field(default_factory=dict)
    settled: list[tuple[int, int]] = field(default_factory=list)
    # Items of the graph that were accepted by a list of kids or parts which no longer names them: they fail.
    fallen: list[Draft] = field(default_factory=list)

    def back_to_here(self) -> Callable[[], None]:
        """What makes the batch again as it is now, for whoever may have to begin anew."""
        before = [(draft, draft.as_it_is()) for draft in self.drafts]

        def back() -> None:
            self.drafts[:] = [draft for draft, _ in before]
            for draft, values in before:
                draft.be_again(values)
            self.known.clear()
            for found in (self.edges, self.edges_again, self.edges_gone, self.settled, self.fallen):
                found.clear()
            self.below = {}

        return back

    def alive(self) -> list[Draft]:
        """Drafts that go on: neither refused, nor found to be no news."""
        return [draft for draft in self.drafts if not draft.reason and draft.outcome not in ("skipped", "unchanged")]


def look_up(graph: Any, ids: Sequence[int], *, above: bool = False) -> dict[int, Row]:
    """What the graph knows of these ids. Of what stands `above` others, that it is there and its story are enough."""
    wanted = set(ids)
    if not wanted:
        return {}
    first, last = min(wanted), max(wanted)
    # One by one is for who has the store at hand: to a server each question is a journey.
    if len(wanted) <= _FEW and graph.engine.capabilities.single_owner:
        rows = [row for one in wanted for row in graph.read("hn_item.known_one", hnId=one)]
    elif above:
        rows = graph.read("hn_item.stories_of", rows=[{"hnId": one} for one in wanted], first_id=first)
    elif last - first <= _DENSE * len(wanted):
        rows = graph.read("hn_item.known_between", first_id=first, last_id=last)
    else:
        rows = graph.read("hn_item.known", rows=[{"hnId": one} for one in wanted], first_id=first)
    return {row["hnId"]: row for row in rows if row["hnId"] in wanted}
