"""Threads as people read them: below an item, above it, beside it, and the story that it belongs to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphvine.graph import Graph
from graphvine.records import Row
from graphvine.workers.hn.ingest.html_text import plain
from graphvine.workers.hn.transitions import row_of

# What one statement follows; deeper threads are walked in stretches of it.
_STEPS = 30
# So few are quicker one by one: a join costs a pass over the table.
_FEW = 64


@dataclass(slots=True)
class Item:
    """One item, with what stands below it in the order in which Hacker News shows it.

    `descendants` and `kids` are what the item says of itself; `extra` holds what the schema does not know, or is wrong.
    """

    id: int
    type: str | None
    state: str
    by: str | None
    time: int | None
    title: str | None
    text: str | None
    url: str | None
    score: int | None
    parent: int | None
    story: int | None
    deleted: bool
    dead: bool
    poll: int | None = None
    descendants: int | None = None
    kids: list[int] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    last_error: str | None = None
    children: list[Item] = field(default_factory=list)

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Item]]:
        """This item and all below it, with their depths, from top to bottom."""
        stack = [(depth, self)]
        while stack:
            level, item = stack.pop()
            yield level, item
            stack += [(level + 1, child) for child in reversed(item.children)]


def item(graph: Graph, id: int) -> Item:
    """One item, with nothing below it."""
    return as_item(row_of(graph, id))


def thread(graph: Graph, id: int, depth: int | None = None) -> Item:
    """The tree below an item, its own options included where it is a poll."""
    top = row_of(graph, id)
    above = below_of(graph, id, depth)
    rows = {row["hnId"]: row for row in load(graph, list(above))} | {id: top}
    items = {one: as_item(row) for one, row in rows.items()}
    children: dict[int, list[int]] = {}
    for child, parent in above.items():
        if child in items:
            children.setdefault(parent, []).append(child)
    for parent, found in children.items():
        items[parent].children = [items[child] for child in in_order(found, rows[parent]["kids"])]
    options = [row["hnId"] for row in graph.read("hn_item.options", hnId=id)]
    if options:
        parts = {row["hnId"]: as_item(row) for row in load(graph, options)}
        items[id].children[:0] = [parts[one] for one in in_order(options, top["parts"]) if one in parts]
    return items[id]


def below_of(graph: Graph, id: int, depth: int | None = None) -> dict[int, int]:
    """Every item below this one, with its parent. Read from the edges, in stretches of thirty steps."""
    found: dict[int, int] = {}
    tops, left = [id], depth
    while tops and (left is None or left > 0):
        reach = _STEPS if left is None else min(_STEPS, left)
        edge: list[int] = []
        for top in tops:
            for row in graph.read("hn_item.below", hnId=top):
                if row["steps"] <= reach:
                    found[row["hnId"]] = row["parent"]
                    if row["steps"] == _STEPS:
                        edge.append(row["hnId"])
        tops, left = edge, None if left is None else left - reach
    return found


def ancestors(graph: Graph, id: int) -> list[Item]:
    """Everything above an item, the nearest first."""
    row = row_of(graph, id)
    ids: list[int] = []
    at = id
    if row["poll"] and not row["parent"]:  # an option hangs by an edge of its own
        if id not in (one["hnId"] for one in graph.read("hn_item.options", hnId=row["poll"])):
            return []
        ids, at = [row["poll"]], row["poll"]
    while found := graph.read("hn_item.above", hnId=at):
        ids += [row["hnId"] for row in found]
        if len(found) < _STEPS:
            break
        at = ids[-1]
    rows = {row["hnId"]: row for row in load(graph, ids)}
    return [as_item(rows[one]) for one in ids]


def descendants(graph: Graph, id: int) -> list[Item]:
    """Everything below an item, from top to bottom."""
    return [item for _, item in thread(graph, id).walk()][1:]


def siblings(graph: Graph, id: int) -> list[Item]:
    """What stands below the same parent, in its order, the item itself left out."""
    row = row_of(graph, id)
    above = row["parent"] or row["poll"]
    if above is None or not graph.read("hn_item.item", hnId=above):
        return []
    return [item for item in thread(graph, above, depth=1).children if item.id != id]


def story(graph: Graph, id: int) -> Item | None:
    """The item at the top of the thread; None while the way up is broken."""
    row = row_of(graph, id)
    return as_item(row_of(graph, row["story"])) if row["story"] else None


def load(graph: Graph, ids: Sequence[int]) -> list[Row]:
    """Items by id, in no order."""
    if len(ids) <= _FEW and graph.engine.capabilities.single_owner:
        return [row for id in ids for row in graph.read("hn_item.item", hnId=id)]
    return graph.read("hn_item.items", rows=[{"hnId": id} for id in ids], first_id=min(ids)) if ids else []


def in_order(ids: Sequence[int], listed: Sequence[int] | None) -> list[int]:
    """In the order of the list; what it does not name comes after, the oldest first."""
    places = {id: place for place, id in enumerate(listed or ())}
    return sorted(ids, key=lambda id: (places.get(id, len(places)), id))


def as_item(row: Row) -> Item:
    text = row["plain"] or (plain(row["text"]) if row["text"] else None)
    return Item(
        row["hnId"], row["type"], row["state"], row["by"], row["time"], row["title"],
        text, row["url"], row["score"], row["parent"] or row["poll"], row["story"] or None, bool(row["deleted"]),
        bool(row["dead"]), row["poll"], row["descendants"], list(row["kids"] or ()), list(row["parts"] or ()),
        json.loads(row["extra"] or "{}"), row.get("last_error"),
    )  # fmt: skip
