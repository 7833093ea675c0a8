"""Who stands below whom: edges in any order of arrival, and the story at the top of every item.

An item whose parent is missing, or whose way up is broken further on, has story 0. Those items are known here by what
they wait for, so that an arrival finds its children, and everything below them, without looking through the graph.

Moderators move comments below younger stories, so ids say nothing about who stands above whom. What could close a
circle is therefore walked up before it is linked: in a circle the item with the smallest id gets no edge to its parent,
whatever came first, and no item of it has a story. A copy that names another parent may break the circle again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphvine.records import Row
from graphvine.workers.hn.ingest.batch import Batch, Edge
from graphvine.workers.hn.ingest.item import Draft

# The story of an item while the way up from it is being walked.
_WALKING = -1


class Placed:
    """An item of the graph, below something that a batch brings or moves: its story may change."""

    __slots__ = ("above", "before", "id", "option", "story")

    def __init__(self, id: int, above: int | None, before: int, option: bool) -> None:
        self.id, self.above, self.before, self.option = id, above, before, option
        self.story: int | None = None


Node = Draft | Placed


class Threads:
    """What waits for something above it, in one graph. Where several processes write, it is read anew each time."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._asks = "waiting_for" in graph.library.entities["hn_item"].blocks
        self._waiting: dict[int, set[int]] | None = None
        self._options: dict[int, bool] = {}

    def forget(self) -> None:
        """What is known may be wrong: the next batch reads it again."""
        self._waiting = None

    def place(self, batch: Batch, drafts: list[Draft], made: set[int]) -> None:
        """Give each draft its story, and the batch its edges. `made` are the rows that this batch makes."""
        by_id = {draft.id: draft for draft in drafts}
        below = self._below(batch, by_id, made)
        nodes: Mapping[int, Node] = by_id if not below else {**below, **by_id}
        cut: set[int] = set()
        for node in nodes.values():
            if node.story is None:
                above = nodes.get(node.above) if node.above is not None else None
                if above is not None and above.story is not None:
                    node.story = above.story  # as items come in the order of their ids
                else:
                    _find_story(node, nodes, batch, cut)
        for draft in drafts:
            _edges_of(draft, batch, made, draft.id in cut)
        for draft in batch.fallen:
            row = batch.known[draft.id]
            batch.edges_gone.append(Edge(row["parent"] or row["poll"], draft.id, row["parent"] is None))
        revived = {draft.id for draft in drafts if draft.outcome == "revived"}
        for node in below.values():
            if node.above is None:
                continue
            edge = Edge(node.above, node.id, node.option)
            if node.id in cut:
                batch.edges_gone.append(edge)
            elif node.above in made:
                batch.edges.append(edge)  # it came first, and could not be linked then
            elif node.above in revived or (node.above > node.id and node.above in nodes):
                # The row above was there before it had a content, or the edge may have closed a circle until now.
                batch.edges_again.append(edge)
            if node.story != node.before:
                batch.settled.append((node.id, node.story or 0))
        batch.below = below

    def remember(self, batch: Batch, drafts: Iterable[Draft]) -> None:
        """The batch is written: what still waits, and what waits no longer."""
        waiting = self._load()
        for draft in (*drafts, *batch.fallen):
            before = batch.known.get(draft.id)
            if before is not None and (before["parent"] or before["poll"]):
                waiting.get(before["parent"] or before["poll"], set()).discard(draft.id)
            if draft.story == 0 and draft.above is not None and not draft.reason:
                waiting.setdefault(draft.above, set()).add(draft.id)
                self._options[draft.id] = draft.content["type"] == "pollopt"
        for node in batch.below.values():
            if node.above is not None and node.story == 0:
                waiting.setdefault(node.above, set()).add(node.id)
                self._options[node.id] = node.option
            elif node.above is not None:
                waiting.get(node.above, set()).discard(node.id)
                self._options.pop(node.id, None)

    def _below(self, batch: Batch, by_id: Mapping[int, Draft], made: set[int]) -> dict[int, Placed]:
        """Items of the graph below the batch's: those that wait for them, and those below what the batch moves."""
        fallen = {draft.id for draft in batch.fallen}
        known = batch.known
        moved = {known[id]["story"] for id in fallen if known[id]["story"]}
        for id, draft in by_id.items():
            before = known.get(id)
            if before is not None and before["story"] and (before["parent"] or before["poll"]) != draft.above:
                moved.add(before["story"])
        tops = {*by_id, *made, *fallen}
        children = self._load(tops)
        if moved:
            children = {above: set(ids) for above, ids in children.items()}
            stories: dict[int, int] = {}
            for row in self._graph.read("hn_item.members", stories=sorted(moved)):
                children.setdefault(row["above"], set()).add(row["hnId"])
                stories[row["hnId"]], self._options[row["hnId"]] = row["story"], row["option"]
        else:
            stories = {}
        found: dict[int, Placed] = {}
        ahead = [id for id in tops if id in children]
        while ahead:
            above = ahead.pop()
            for id in children.get(above, ()):
                if id not in tops and id not in found:
                    found[id] = Placed(id, above, stories.get(id, 0), self._options.get(id, False))
                    ahead.append(id)
        for id in fallen:
            found[id] = Placed(id, None, 0, False)
            found[id].story = 0
        return found

    def _load(self, ids: set[int] | None = None) -> dict[int, set[int]]:
        """What waits. Of a server that others write to it is asked each time, and only for these and what is below."""
        if self._waiting is None or self._asks:
            self._waiting, self._options = {}, {}
            if ids is None or not self._asks:
                self._keep(self._graph.read("hn_item.unresolved"))
            asked: set[int] = set()
            while self._asks and ids and ids - asked:
                rows: list[Row] = self._graph.read("hn_item.waiting_for", ids=sorted(ids - asked))
                asked |= ids
                self._keep(rows)
                ids = {row["hnId"] for row in rows}
        return self._waiting

    def _keep(self, rows: Iterable[Row]) -> None:
        assert self._waiting is not None
        for row in rows:
            if row["above"] is not None:
                self._waiting.setdefault(row["above"], set()).add(row["hnId"])
                self._options[row["hnId"]] = row["option"]


def _find_story(node: Node, nodes: Mapping[int, Node], batch: Batch, cut: set[int]) -> None:
    """Walk up to something whose story is known, and give that story to all on the way."""
    path: list[Node] = []
    at: Node | None = node
    story = 0
    while at is not None:
        if at.story == _WALKING:
            cut.add(min(one.id for one in path[path.index(at) :]))
            break
        if at.story is not None:
            story = at.story
            break
        at.story = _WALKING
        path.append(at)
        above = at.above
        if above is None:
            story = at.id
            break
        at = nodes.get(above)
        if at is None:
            row = batch.known.get(above)
            story = (row["story"] or 0) if row is not None else 0
    for passed in path:
        passed.story = story


def _edges_of(draft: Draft, batch: Batch, made: set[int], cut: bool) -> None:
    above, option = draft.above, draft.content["type"] == "pollopt"
    before = batch.known.get(draft.id)
    old = None if before is None else before["parent"] or before["poll"]
    if before is not None and old is not None and (cut or old != above):
        batch.edges_gone.append(Edge(old, draft.id, before["parent"] is None))
    if cut or above is None or (above not in made and above not in batch.known):
        return
    if old is None or (old == above and above in made):
        batch.edges.append(Edge(above, draft.id, option))
    elif before is not None and (old != above or before["state"] != "completed" or above > draft.id):
        # With a younger item above it, the edge may have closed a circle until now.
        batch.edges_again.append(Edge(above, draft.id, option))
