"""The document's processors and criteria, by name.

A processor takes a whole batch, since a thousand items cost little more than one; a criterion looks at one
draft, and a refusal says why in a sentence."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from graphvine.queries import Machine, Transition
from graphvine.records import Row
from graphvine.workers.hn.ingest.batch import Batch, look_up
from graphvine.workers.hn.ingest.index_sync import document_of
from graphvine.workers.hn.ingest.infer_parents import LACKS, adopt, lacking
from graphvine.workers.hn.ingest.item import TYPES, UNKNOWN, Draft, hash_of
from graphvine.workers.hn.ingest.validate import BadField, validate

MAX_RETRIES = 3
RETRY_WINDOW = timedelta(hours=24)


def valid(draft: Draft) -> str:
    """HNItemValidCriterion: a positive id and an allowed type."""
    if draft.id <= 0:
        return f"id: {draft.id} is not positive"
    return "" if draft.content.get("type") in TYPES else f"type: {draft.content.get('type')!r} is not allowed"


def hierarchy_valid(draft: Draft) -> str:
    """HNItemHierarchyValidCriterion: a comment has a parent, an option has a poll."""
    return LACKS[lacking(draft)]


def complete(draft: Draft) -> str:
    """HNItemCompleteCriterion: ingested, updated, and in its place."""
    if not draft.source or not draft.content:
        return "it was never ingested or validated"
    return hierarchy_valid(draft)


def retryable(row: Mapping[str, Any], now: datetime) -> str:
    """HNItemRetryableCriterion: fewer than three tries, and the last failure not longer ago than a day."""
    if (row["retryCount"] or 0) >= MAX_RETRIES:
        return f"it was tried {row['retryCount']} times, {MAX_RETRIES} at most"
    failed = row["lastFailureAt"]
    if failed is not None and now - failed >= RETRY_WINDOW:
        return "it failed more than 24 hours ago"
    return ""


CRITERIA: dict[str, Callable[[Draft], str]] = {
    "HNItemValidCriterion": valid,
    "HNItemHierarchyValidCriterion": hierarchy_valid,
    "HNItemCompleteCriterion": complete,
}


Rank = tuple[bool, int, int, int, int]


def ingest(batch: Batch) -> None:
    """HNItemIngestionProcessor: where an item came from; the unit sets when."""
    for draft in batch.alive():
        draft.source = draft.source or UNKNOWN


def check(batch: Batch) -> None:
    """HNItemValidationProcessor: every field by the schema, HTML cleaned."""
    for draft in batch.alive():
        try:
            validate(draft)
        except BadField as error:
            draft.hash = hash_of({name: value for name, value in draft.given.items() if name != "fetchedAt"})
            draft.refuse(str(error))
        except Exception as error:  # one bad item must not take its batch down
            draft.hash = hash_of({"id": draft.id})
            draft.refuse(f"{type(error).__name__}: {error}", traceback.format_exc())


def deduplicate(batch: Batch) -> None:
    """HNItemDeduplicationProcessor: one copy of each item goes on, and only where it is news."""
    drafts = batch.alive()
    above = [draft.above for draft in drafts if draft.above is not None]
    ids = {draft.id for draft in batch.drafts}
    batch.known.update(look_up(batch.graph, list(ids)))
    batch.known.update(look_up(batch.graph, [id for id in set(above) - ids if id not in batch.known], above=True))
    # Most batches have no item twice.
    for draft in drafts if len(ids) == len(batch.drafts) else newest(drafts):
        row = batch.known.get(draft.id)
        if row is None:
            draft.outcome = "new"
        elif row["state"] == "failed" and row["wants"] and lacking(draft) and rank_of(draft) <= rank_of_row(row):
            draft.outcome = "skipped"  # neither names its place, and the other one is newer
        elif row["state"] != "completed":
            draft.outcome = "revived"
        elif draft.hash == row["hash"]:
            draft.outcome = "unchanged" if draft.fetched_at > (row["fetchedAt"] or 0) else "skipped"
        else:
            draft.outcome = "updated" if rank_of(draft) > rank_of_row(row) else "skipped"


def newest(drafts: Iterable[Draft]) -> list[Draft]:
    """The newest copy of each item; the others are skipped."""
    best: dict[int, Draft] = {}
    for draft in drafts:
        other = best.get(draft.id)
        if other is None:
            best[draft.id] = draft
        elif rank_of(draft) > rank_of(other):
            other.outcome, best[draft.id] = "skipped", draft
        else:
            draft.outcome = "skipped"
    return list(best.values())


def rank_of(draft: Draft) -> Rank:
    """A copy that knows its place goes before one that does not; then the newer one."""
    if hierarchy_valid(draft):
        return False, draft.fetched_at, 0, 0, draft.hash
    return True, *draft.rank


def rank_of_row(row: Row) -> Rank:
    if row["wants"]:
        return False, row["fetchedAt"] or 0, 0, 0, row["hash"] or 0
    return True, row["fetchedAt"] or 0, row["descendants"] or 0, row["kids"] or 0, row["hash"] or 0


def resolve_hierarchy(batch: Batch) -> None:
    """HNItemHierarchyProcessor: what stands above each item, the story at its top, and the edges to make."""
    batch.drafts += adopt(batch, batch.alive())
    alive = batch.alive()
    for draft in alive if batch.known else ():
        row = batch.known.get(draft.id)
        if row is not None and row["state"] == "completed" and lacking(draft):
            batch.fallen.append(draft)
    drafts = [draft for draft in alive if not lacking(draft)]
    # Refused copies make a row too, a failed one, and what stands below it is linked to that.
    batch.threads.place(batch, drafts, {draft.id for draft in batch.drafts if draft.id not in batch.known})
    for draft in alive:
        draft.wants = draft.wants or lacking(draft)


def index(batch: Batch) -> None:
    """HNItemIndexingProcessor: the document that the search index is to hold."""
    for draft in batch.alive():
        draft.document = document_of(draft)


PROCESSORS: dict[str, Callable[[Batch], None]] = {
    "HNItemIngestionProcessor": ingest,
    "HNItemValidationProcessor": check,
    "HNItemDeduplicationProcessor": deduplicate,
    "HNItemHierarchyProcessor": resolve_hierarchy,
    "HNItemIndexingProcessor": index,
}


# The automatic transitions of the machine, over a batch, in the order in which the query file declares them.


def automatic(machine: Machine) -> list[Transition]:
    """The chain of automatic transitions, from the initial state to the state of rest."""
    steps = {step.source: step for step in machine.moves if step.name == step.block and not step.manual}
    chain: list[Transition] = []
    at: str | None = machine.initial.name
    while at in steps and len(chain) < len(steps):
        chain.append(steps[at])
        at = steps[at].target
    return chain


# Up to here a draft is looked at by itself: no look at the graph, and nothing that another batch could change.
BY_ITSELF = "validated"


def begin(machine: Machine, batch: Batch) -> None:
    """The first part of the cascade, which may run while another batch is being written."""
    for step in automatic(machine):
        if step.source == BY_ITSELF:
            break
        advance(step, batch)


def finish(machine: Machine, batch: Batch) -> None:
    """The rest of it: to the state of rest, or to failed with a reason."""
    begun = False
    for step in automatic(machine):
        begun = begun or step.source == BY_ITSELF
        if begun:
            advance(step, batch)


def cascade(machine: Machine, batch: Batch) -> None:
    """Bring the drafts as far as they go."""
    begin(machine, batch)
    finish(machine, batch)


def advance(step: Transition, batch: Batch) -> None:
    """One transition: its processors, then its criteria; who passes has reached its target."""
    for name in step.processors:
        PROCESSORS[name](batch)
    alive = batch.alive()
    for criterion in [CRITERIA[name] for name in step.criteria]:
        for draft in alive:
            if refusal := criterion(draft):
                draft.refuse(refusal)
        alive = [draft for draft in alive if not draft.reason]
    for draft in alive:
        draft.state = step.target
