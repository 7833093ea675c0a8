"""Comments without a parent and options without a poll: a list of kids or parts that names them stands in.

Of several lists the one of the oldest item counts, so that the order of arrival does not matter. What an item says
itself always goes first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from graphvine.records import Row
from graphvine.workers.hn.ingest.batch import Batch, look_up
from graphvine.workers.hn.ingest.item import CONTENT, Draft
from graphvine.workers.hn.ingest.validate import BadField, validate

_LACKS = {"comment": ("parent", 1), "pollopt": ("poll", 2)}
_FIELD = {1: "parent", 2: "poll", 3: "parent", 4: "poll"}


def lacking(draft: Draft) -> int:
    """1 for a comment without a parent, 2 for an option without a poll, 0 for anything else."""
    field, code = _LACKS.get(draft.content.get("type", ""), ("", 0))
    return code if code and draft.content.get(field) is None else 0


def adopt(batch: Batch, drafts: list[Draft]) -> list[Draft]:
    """Find somebody above for those who name nobody. Returns drafts of items in the graph that this batch helps."""
    orphans = {draft.id: draft for draft in drafts if lacking(draft)}
    stored = {row["hnId"]: row for row in batch.graph.read("hn_item.wanting")}
    if not orphans and not stored:
        return []
    listed = _listed(drafts)
    for block, code in (("listing_kids", 1), ("listing_parts", 2)):
        wanted = sorted(id for id, draft in orphans.items() if lacking(draft) == code)
        for row in batch.graph.read(f"hn_item.{block}", ids=wanted) if wanted else ():
            key = (row["child"], code)
            listed[key] = min(row["above"], listed.get(key, row["above"]))
    for draft in orphans.values():
        code = lacking(draft)
        above = listed.get((draft.id, code))
        draft.wants = code
        if above is not None and above < draft.id:
            draft.content[_FIELD[code]], draft.wants = above, code + 2
    mine = {draft.id for draft in drafts}
    found = {draft.above for draft in orphans.values() if draft.above is not None} - mine - batch.known.keys()
    batch.known.update(look_up(batch.graph, list(found)))
    return [helped for id, row in stored.items() if id not in mine for helped in _help(batch, row, listed)]


def _listed(drafts: Iterable[Draft]) -> dict[tuple[int, int], int]:
    listed: dict[tuple[int, int], int] = {}
    for draft in drafts:
        for field, code in (("kids", 1), ("parts", 2)):
            for child in draft.content.get(field) or ():
                listed[child, code] = min(draft.id, listed.get((child, code), draft.id))
    return listed


def _help(batch: Batch, row: Row, listed: dict[tuple[int, int], int]) -> Iterable[Draft]:
    code = (row["wants"] - 1) % 2 + 1
    above = listed.get((row["hnId"], code))
    if above is None or above >= row["hnId"] or (row["wants"] > 2 and (row["above"] or 0) <= above):
        return
    draft = draft_of(batch.graph.read("hn_item.item", hnId=row["hnId"])[0])
    if draft is None:
        return
    draft.content[_FIELD[code]], draft.wants = above, code + 2
    draft.outcome = "updated" if row["state"] == "completed" else "revived"
    draft.state = "deduplicated"
    batch.known.update(look_up(batch.graph, [row["hnId"], above]))
    yield draft


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
        if row["raw"] is None and row.get("hash"):
            draft.hash = row["hash"]
    return draft


def _given(row: Row) -> dict[str, object] | None:
    """An item as its columns tell it, in the form in which it came."""
    if row["type"] is None:
        return None
    given = {name: row[name] for name in CONTENT if name not in ("plain", "extra") and row[name] is not None}
    if row["wants"]:
        given.pop(_FIELD[row["wants"]], None)
    return {"id": row["hnId"], **given, **json.loads(row["extra"] or "{}")}
