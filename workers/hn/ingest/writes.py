"""What a batch writes, as the steps of one unit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from graphvine.clock import NEVER, moment
from graphvine.failures import TRACE_CHARACTERS, clean_text, failure
from graphvine.records import Row, Step
from graphvine.table import Table
from graphvine.workers.hn.ingest.batch import Batch, Edge
from graphvine.workers.hn.ingest.item import CONTENT, Draft
from graphvine.workers.hn.ingest.processors import MAX_RETRIES

# The columns that are not of the content, and where they are on a draft.
_OF_A_DRAFT = {
    "hnId": attrgetter("id"), "source": attrgetter("source"), "fetchedAt": attrgetter("fetched_at"),
    "hash": attrgetter("hash"), "story": attrgetter("story"), "wants": attrgetter("wants"),
}  # fmt: skip


def refused_of(batch: Batch) -> list[Draft]:
    """One refused copy of each item that has no accepted one, the newest; the others are skipped."""
    best: dict[int, Draft] = {}
    for draft in batch.drafts:
        if draft.reason:
            other = best.get(draft.id)
            if other is None or _refused_rank(draft) > _refused_rank(other):
                best[draft.id] = draft
    if not best:
        return []
    # A copy that was skipped for another one says nothing: the other may have been refused further on.
    accepted = {draft.id for draft in batch.drafts if not draft.reason and draft.outcome != "skipped"}
    chosen = []
    for draft in best.values():
        row = batch.known.get(draft.id)
        draft.outcome = "failed"
        if draft.id in accepted or (row is not None and row["state"] == "completed"):
            continue  # an accepted copy stays; that another was refused is noted on it
        if row is not None and row["state"] == "failed" and _refused_rank(draft) <= _refused_rank_of_row(row):
            draft.outcome = "skipped"
            continue
        chosen.append(draft)
    return chosen


def _refused_rank(draft: Draft) -> tuple[bool, int, int]:
    """Of refused copies one that only lacks its place goes first: a list may name it yet. Then the newest."""
    return bool(draft.wants), draft.fetched_at, draft.hash


def _refused_rank_of_row(row: Row) -> tuple[bool, int, int]:
    return bool(row["wants"]), row["fetchedAt"] or 0, row["hash"] or 0


def steps_of(batch: Batch, refused: Sequence[Draft], backoff_ms: int) -> Iterator[Step]:
    """Everything that the batch changes, in the order in which it must be written."""
    at, first = moment(batch.now), min((draft.id for draft in batch.drafts), default=1)
    by_outcome: dict[str, list[Draft]] = {}
    for draft in batch.drafts:
        if not draft.reason:
            by_outcome.setdefault(draft.outcome, []).append(draft)
    timed = {"first_id": first, "at": at}
    yield from _many("take_in", _contents(by_outcome.get("new", ()), "seq"), **timed, never=NEVER)
    yield from _many("merge", _contents(by_outcome.get("updated", ()), "stamp"), **timed)
    yield from _many("bring_on", _contents(by_outcome.get("revived", ()), "stamp"), **timed, never=NEVER)
    seen = [{"hnId": d.id, "fetchedAt": d.fetched_at} for d in by_outcome.get("unchanged", ())]
    yield from _many("touch", seen, first_id=first)
    due = batch.now + backoff_ms
    new = [_refused(d, due, "seq") for d in refused if d.id not in batch.known]
    yield from _many("refuse", new, **timed, never=NEVER)
    known = [_refused(d, due, "stamp") for d in refused if d.id in batch.known]
    yield from _many("refuse_known", known, **timed, never=NEVER)
    fallen = [_refused(d, due, "stamp") for d in batch.fallen]
    yield from _many(
        "disown", fallen, **timed | {"first_id": min((d.id for d in batch.fallen), default=1)}, never=NEVER
    )
    noted = {id(d): d for d in batch.drafts if d.reason and d.outcome == "failed"} | {id(d): d for d in batch.fallen}
    notes = [_note(d, batch.known.get(d.id)) for d in noted.values()]
    yield from _many("note_failures", notes, at=at)
    yield from _edges(batch)
    settled = [{"hnId": id, "story": story, "stamp": 0} for id, story in batch.settled]
    yield from _many("settle_story", settled, first_id=min((id for id, _ in batch.settled), default=1))


def claimed_steps(batch: Batch, draft: Draft, claim: int) -> list[Step]:
    """What a worker answers for one item that it holds: its content and its edges. The guard sets the state."""
    row = _contents([draft], "stamp")[0] | {"claim": claim}
    steps = [Step("hn_item.merge", {"rows": [row], "first_id": 1, "at": moment(batch.now)})]
    for edge in batch.edges:
        if edge.below == draft.id or edge.above == draft.id:
            pair = {"parent": edge.above, "child": edge.below, "claim": claim}
            block = "option" if edge.option else "link"
            steps.append(Step(f"hn_item.{block}", {"rows": [pair], "first_parent": 1, "first_child": 1}))
    return steps


def reject(given: object, problem: str, now: int) -> Step:
    """Something without an id is kept as an error of its own; the same thing again is the same error."""
    shown = json.dumps(given, sort_keys=True, default=str)
    name = hashlib.blake2b(shown.encode(), digest_size=12).hexdigest()
    parameters = {
        "id": f"hn_item/rejected/{name}", "at": moment(now), "message": clean_text(problem),
        "given": shown[:TRACE_CHARACTERS],
    }  # fmt: skip
    return Step("hn_item.reject", parameters)


def _many(block: str, rows: Sequence[Row], **given: Any) -> Iterator[Step]:
    if rows:
        yield Step(f"hn_item.{block}", {"rows": rows, **given})


def _contents(drafts: Sequence[Draft], number: str) -> Table:
    """All that is kept of these, by column: they are many, and have many fields."""
    contents = [draft.content for draft in drafts]
    columns: dict[str, list[Any]] = {name: [content.get(name) for content in contents] for name in CONTENT}
    for name, attribute in _OF_A_DRAFT.items():
        columns[name] = list(map(attribute, drafts))
    return Table({**columns, "claim": [0] * len(drafts), number: [0] * len(drafts)})


def _refused(draft: Draft, due: int, number: str) -> dict[str, Any]:
    return {
        "hnId": draft.id, "raw": draft.raw(), "source": draft.source, "fetchedAt": draft.fetched_at, "hash": draft.hash,
        "wants": draft.wants, "failedIn": draft.failed_in, "error": clean_text(draft.reason),
        "retryDue": due if MAX_RETRIES > 1 else None, number: 0,
    }  # fmt: skip


def _note(draft: Draft, row: Row | None) -> dict[str, Any]:
    count = row["failure_count"] if row is not None else 0
    noted = failure("hn_item", draft.id, count, attempt=1, kind="refused", message=draft.reason, trace=draft.trace)
    return {"hnId": draft.id, **noted}


def _edges(batch: Batch) -> Iterator[Step]:
    for edge in batch.edges_gone:
        block = "unlink_option" if edge.option else "unlink"
        yield Step(f"hn_item.{block}", {"child": edge.below, "parent": edge.above, "at_ms": batch.now})
    for edge in batch.edges_again:
        block = "option_one" if edge.option else "link_one"
        yield Step(f"hn_item.{block}", {"child": edge.below, "parent": edge.above})
    for block, options in (("link", False), ("option", True)):
        edges = [edge for edge in batch.edges if edge.option == options]
        yield from _many(block, _pairs(edges), **_bounds(edges))


def _pairs(edges: Sequence[Edge]) -> Sequence[Row]:
    if not edges:
        return []
    return Table({
        "parent": [edge.above for edge in edges], "child": [edge.below for edge in edges], "claim": [0] * len(edges),
    })  # fmt: skip


def _bounds(edges: Sequence[Edge]) -> dict[str, int]:
    return {
        "first_parent": min((edge.above for edge in edges), default=1),
        "first_child": min((edge.below for edge in edges), default=1),
    }
