"""Comments without a parent and options without a poll: a list of kids or parts that names them stands in.

Of several lists the one of the oldest item counts, and only lists of items that are accepted: what was accepted by a
list alone goes back to failed when a newer copy of the list no longer names it. So the outcome depends on the newest
copies, not on the order in which they came. What an item says itself always goes first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from graphvine.records import Row
from graphvine.workers.hn.ingest.batch import Batch, look_up
from graphvine.workers.hn.ingest.item import CONTENT, Draft
from graphvine.workers.hn.ingest.validate import BadField, validate

_FIELD = {1: "parent", 2: "poll", 3: "parent", 4: "poll"}
# Why an item fails that lacks it, by the number that `lacking` gives.
LACKS = ("", "parent: a comment needs one", "poll: an option needs one")
Lists = dict[tuple[int, int], set[int]]


def lacking(draft: Draft) -> int:
    """1 for a comment without a parent, 2 for an option without a poll, 0 for anything else."""
    content = draft.content
    kind = content.get("type")
    if kind == "comment":
        return 1 if content.get("parent") is None else 0
    return 2 if kind == "pollopt" and content.get("poll") is None else 0


def adopt(batch: Batch, drafts: list[Draft]) -> list[Draft]:
    """Find somebody above for those who name nobody. Returns drafts of items in the graph that this batch helps, and
    notes those that have lost their list (`batch.fallen`)."""
    orphans = {draft.id: draft for draft in drafts if lacking(draft)}
    mine = {draft.id for draft in drafts}
    stored = {row["hnId"]: row for row in batch.graph.read("hn_item.wanting") if row["hnId"] not in mine}
    if not orphans and not stored:
        return []
    codes = {id: lacking(draft) for id, draft in orphans.items()}
    codes |= {id: (row["wants"] - 1) % 2 + 1 for id, row in stored.items()}
    # Where a list changes by which somebody was accepted, all of them are looked at from the start.
    afresh = any(row["wants"] > 2 and row["above"] in mine for row in stored.values())
    lists = _lists_of(drafts)
    for id, listing in _listed(batch, codes if afresh else {id: codes[id] for id in orphans}):
        lists.setdefault((id, codes[id]), set()).update(listing - mine)
    accepted = set[int]()
    if not afresh:
        for id, row in stored.items():
            if row["wants"] > 2:
                accepted.add(id)
                lists.setdefault((id, codes[id]), set()).add(row["above"])
    loaded: dict[int, Draft] = {}
    above = _accept(batch, codes, lists, accepted, stored, loaded)
    for id, draft in orphans.items():
        draft.wants = codes[id]
        if id in above:
            draft.content[_FIELD[codes[id]]], draft.wants = above[id], codes[id] + 2
    found = {draft.above for draft in orphans.values() if draft.above is not None} - mine - batch.known.keys()
    batch.known.update(look_up(batch.graph, list(found)))
    changed = [_changed(batch, row, above.get(id), codes[id], loaded) for id, row in stored.items()]
    return [draft for draft in changed if draft is not None]


def _accept(
    batch: Batch, codes: dict[int, int], lists: Lists, accepted: set[int], stored: dict[int, Row],
    loaded: dict[int, Draft],
) -> dict[int, int]:  # fmt: skip
    """Who is accepted by a list of somebody who is, and by whose."""

    def by(id: int) -> list[int]:
        return [one for one in lists.get((id, codes[id]), ()) if one != id and (one not in codes or one in accepted)]

    left = [id for id in codes if id not in accepted]
    while more := [id for id in left if by(id)]:
        accepted.update(more)
        left = [id for id in left if id not in accepted]
        for id in more:
            # What failed has its lists in what was given, not in columns: they count from now on.
            if id in stored and stored[id]["wants"] <= 2 and (draft := _load(batch, id, loaded)) is not None:
                for key, listing in _lists_of([draft]).items():
                    lists.setdefault(key, set()).update(listing)
    return {id: min(by(id)) for id in accepted if by(id)}


def _changed(batch: Batch, row: Row, above: int | None, code: int, loaded: dict[int, Draft]) -> Draft | None:
    """A draft of an item of the graph that has another place now; None where nothing changes, or where it falls."""
    if above == (row["above"] if row["wants"] > 2 else None):
        return None
    draft = _load(batch, row["hnId"], loaded)
    if draft is None:
        return None
    draft.state = "deduplicated"
    batch.known.update(look_up(batch.graph, [row["hnId"], *([above] if above is not None else [])]))
    if above is None:
        draft.wants = code
        draft.refuse(LACKS[code])
        batch.fallen.append(draft)
        return None
    draft.content[_FIELD[code]], draft.wants = above, code + 2
    draft.outcome = "updated" if row["state"] == "completed" else "revived"
    return draft


def _listed(batch: Batch, codes: dict[int, int]) -> Iterable[tuple[int, set[int]]]:
    """Who is listed by whom, in the graph."""
    for block, code in (("listing_kids", 1), ("listing_parts", 2)):
        wanted = sorted(id for id, own in codes.items() if own == code)
        for row in batch.graph.read(f"hn_item.{block}", ids=wanted) if wanted else ():
            yield row["child"], set(row["above"])


def _lists_of(drafts: Iterable[Draft]) -> Lists:
    lists: Lists = {}
    for draft in drafts:
        for field, code in (("kids", 1), ("parts", 2)):
            for child in draft.content.get(field) or ():
                lists.setdefault((child, code), set()).add(draft.id)
    return lists


def _load(batch: Batch, id: int, loaded: dict[int, Draft]) -> Draft | None:
    if id not in loaded:
        draft = draft_of(batch.graph.read("hn_item.item", hnId=id)[0])
        if draft is None or draft.reason:
            return None
        loaded[id] = draft
    return loaded[id]


def draft_of(row: Row) -> Draft | None:
    """A draft of what the graph holds of an item; None where that is nothing."""
    given = json.loads(row["raw"]) if row["raw"] else _given(row)
    if given is None:
        return None
    draft = Draft(row["hnId"], given, row["sourceType"] or "", row["fetchedAt"] or 0)
    try:
        validate(draft)
    except BadField as error:
        draft.refuse(str(error))
    else:
        if row["hash"] and (row["raw"] is None or row["wants"]):
            draft.hash = row["hash"]
    return draft


def _given(row: Row) -> dict[str, object] | None:
    """An item as its columns tell it, in the form in which it came."""
    if row["type"] is None:
        return None
    given = {name: row[name] for name in CONTENT if name not in ("plain", "extra") and row[name] not in (None, [])}
    if row["wants"]:
        given.pop(_FIELD[row["wants"]], None)
    return {"id": row["hnId"], **given, **json.loads(row["extra"] or "{}")}
