"""Who stands below whom: edges in any order of arrival, and the story at the top of every item.

An item whose parent is missing, or whose way up is broken further on, has story 0. Those items are known here by what
they wait for, so that an arrival finds its children, and everything below them, without looking through the graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphvine.records import Row
from graphvine.workers.hn.ingest.batch import Batch, Edge
from graphvine.workers.hn.ingest.item import Draft


class Threads:
    """What waits for something above it, in one graph. Where several processes write, it is read anew each time."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._asks = "waiting_for" in graph.library.entities["hn_item"].blocks
        self._waiting: dict[int, set[int]] | None = None

    def forget(self) -> None:
        """What is known may be wrong: the next batch reads it again."""
        self._waiting = None

    def place(self, batch: Batch, drafts: list[Draft], made: set[int]) -> None:
        """Give each draft its story, and the batch its edges. `made` are the rows that this batch makes."""
        waiting = self._load(made | {draft.id for draft in drafts})
        by_id = {draft.id: draft for draft in drafts}
        for draft in drafts:
            self._find_story(draft, by_id, batch)
            self._edges_of(draft, batch, made)
        for id in made:
            # These came first, and could not be linked then.
            batch.edges += [self._edge(id, child) for child in waiting.get(id, ()) if child not in by_id]
        for draft in drafts:
            if draft.outcome == "revived":
                # Its row was there before it had a content: who came before that row is not linked to it yet.
                below = [child for child in waiting.get(draft.id, ()) if child not in by_id]
                batch.edges_again += [self._edge(draft.id, child) for child in below]
        pending: dict[int, list[Draft]] = {}
        for draft in drafts:
            if draft.story == 0 and draft.above is not None:
                pending.setdefault(draft.above, []).append(draft)
        for draft in drafts:
            if draft.story:
                self._settle_below(draft, waiting, by_id, pending, batch)

    def remember(self, batch: Batch, drafts: Iterable[Draft]) -> None:
        """The batch is written: what still waits, and what waits no longer."""
        waiting = self._load()
        for draft in drafts:
            before = batch.known.get(draft.id)
            if before is not None and (before["parent"] or before["poll"]):
                waiting.get(before["parent"] or before["poll"], set()).discard(draft.id)
            if draft.story == 0 and draft.above is not None:
                waiting.setdefault(draft.above, set()).add(draft.id)
                self._options[draft.id] = draft.content["type"] == "pollopt"
        for id, _ in batch.settled:
            waiting.get(self._above.pop(id, 0), set()).discard(id)
            self._options.pop(id, None)

    def _load(self, ids: set[int] | None = None) -> dict[int, set[int]]:
        """What waits. Of a server that others write to it is asked each time, and only for these."""
        if self._waiting is None or self._asks:
            self._waiting, self._options, self._above = {}, {}, {}
            for row in self._rows(ids):
                self._waiting.setdefault(row["above"], set()).add(row["hnId"])
                self._options[row["hnId"]] = row["option"]
        return self._waiting

    def _rows(self, ids: set[int] | None) -> list[Row]:
        if ids is None or not self._asks:
            found: list[Row] = self._graph.read("hn_item.unresolved")
        else:
            found = self._graph.read("hn_item.waiting_for", ids=sorted(ids)) if ids else []
        return found

    _options: dict[int, bool]
    _above: dict[int, int]

    def _edge(self, above: int, below: int) -> Edge:
        return Edge(above, below, self._options.get(below, False))

    def _find_story(self, draft: Draft, by_id: dict[int, Draft], batch: Batch) -> None:
        path: list[Draft] = []
        at: Draft | None = draft
        story = 0
        while at is not None:
            if at.story is not None:
                story = at.story
                break
            path.append(at)
            above = at.above
            if above is None:
                story = at.id
                break
            if above >= at.id:
                break
            at = by_id.get(above)
            if at is None:
                row = batch.known.get(above)
                story = (row["story"] or 0) if row is not None else 0
        for passed in path:
            passed.story = story

    def _edges_of(self, draft: Draft, batch: Batch, made: set[int]) -> None:
        above, option = draft.above, draft.content["type"] == "pollopt"
        before = batch.known.get(draft.id)
        old = None if before is None else before["parent"] or before["poll"]
        if before is not None and old is not None and old != above:
            batch.edges_gone.append(Edge(old, draft.id, before["parent"] is None))
        if above is None or (above not in made and above not in batch.known):
            return
        if old is None or (old == above and above in made):
            batch.edges.append(Edge(above, draft.id, option))
        elif before is not None and (old != above or before["state"] != "completed"):
            batch.edges_again.append(Edge(above, draft.id, option))

    def _settle_below(
        self, top: Draft, waiting: dict[int, set[int]], by_id: dict[int, Draft], pending: dict[int, list[Draft]],
        batch: Batch,
    ) -> None:  # fmt: skip
        """The story of a draft is that of everything that waited below it, in the graph and in the batch."""
        story, below = top.story or 0, [top.id]
        while below:
            above = below.pop()
            for draft in pending.pop(above, ()):
                if draft.story == 0:
                    draft.story = story
                    below.append(draft.id)
            for child in waiting.get(above, ()):
                if child not in by_id and child not in self._above:
                    self._above[child] = above
                    batch.settled.append((child, story))
                    below.append(child)
