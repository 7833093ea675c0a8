"""Ids that answered null while others around them were there: asked for again for a time, and then let go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphvine.graph import Graph
from graphvine.records import Step

# An item may be announced before it can be read: the next pull asks again, later ones at longer and longer intervals.
_FIRST_MS, _LONGEST_MS = 30_000, 3_600_000


class Missing:
    """The ids that wait for an item, as the graph knows them."""

    def __init__(self, graph: Graph, seconds: float, most: int) -> None:
        self._graph, self._limit_ms, self._most = graph, int(seconds * 1_000), most
        self._held: dict[int, dict[str, Any]] = {}

    def due(self) -> list[int]:
        """The ids to ask for now, the smallest first."""
        now = self._graph.clock.now_ms()
        rows = self._graph.read("hn_item.missing_due", now=now, limit=self._most)
        self._held = {row["hnId"]: row for row in rows}
        return list(self._held)

    def steps(self, answered: Iterable[int], missing: Iterable[int]) -> list[Step]:
        """What to write once these answered, and those did not: some are asked for again, some let go."""
        now = self._graph.clock.now_ms()
        gone = [{"hnId": id} for id in answered if id in self._held]
        noted = []
        for id in missing:
            before = self._held.get(id)
            since, asked = (before["since"], before["asked"] + 1) if before else (now, 1)
            if now - since >= self._limit_ms:
                gone += [{"hnId": id}] if before else []
                continue
            due = now + min(_LONGEST_MS, _FIRST_MS << min(asked - 2, 16)) if asked > 1 else now
            noted.append({"hnId": id, "since": since, "asked": asked, "due": due})
        blocks = (("note_missing", noted), ("forget_missing", gone))
        return [Step(f"hn_item.{name}", {"rows": rows}) for name, rows in blocks if rows]
