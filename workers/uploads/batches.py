"""One batch of an upload: what became of each item, and what is written with the items in one unit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graphvine.clock import moment
from graphvine.failures import clean_text
from graphvine.records import Claim, Step
from graphvine.table import Table
from graphvine.workers.hn.ingest.batch import Batch
from graphvine.workers.hn.ingest.forms import one_item
from graphvine.workers.hn.ingest.ingest import Intake, Prepared
from graphvine.workers.hn.ingest.item import BULK_UPLOAD, CONTENT, Draft, id_of
from graphvine.workers.uploads.decode import Fault
from graphvine.workers.uploads.reader import ItemBatch
from graphvine.workers.uploads.record import Upload, collection_of

_GIVEN = 2_000
# More than these are quicker found by a join than one by one.
_MOST_STRETCHES = 8
_FIELDS = frozenset({*CONTENT, "id", "hnId", "fetchedAt"})


@dataclass(frozen=True, slots=True)
class ItemError:
    """What was wrong with one item: its number in the file, its id where it has one, the field, and the message."""

    place: int  # in the batch
    hnId: int | None
    field: str
    message: str
    given: str


@dataclass(slots=True)
class Ready:
    """A batch that was read and checked as far as that goes without a look at the graph."""

    read: ItemBatch
    prepared: Prepared
    drafts: list[tuple[int, Draft]]  # place in the batch, and the draft
    errors: list[ItemError]
    steps: list[Step] = field(default_factory=list)


def prepare(intake: Intake, read: ItemBatch, handed_over: int) -> Ready:
    """Sort out what has no id or can't be read; the rest is checked field by field."""
    good: list[Any] = []
    ids: list[int] = []
    places: list[int] = []
    errors: list[ItemError] = []
    for place, item in enumerate(read.items):
        if type(item) is Fault:
            errors.append(ItemError(place, None, "", item.message, item.given))
            continue
        try:
            item = one_item(item)
            ids.append(id_of(item))
        except ValueError as error:
            errors.append(_error(place, None, str(error), item))
        else:
            good.append(item)
            places.append(place)
    prepared = intake.prepare(good, BULK_UPLOAD, handed_over, ids)
    read.items = []  # the drafts have them
    return Ready(read, prepared, list(zip(places, prepared.batch.drafts, strict=True)), errors)


class Outcome:
    """What became of a batch, known once the cascade has run over it."""

    def __init__(self, ready: Ready, batch: Batch) -> None:
        self.fresh: list[int] = []
        self.known: list[int] = []
        self.updated = self.unchanged = 0
        self.errors = list(ready.errors)
        self._ready = ready
        mine = [draft for _, draft in ready.drafts]
        accepted = {draft.id for draft in mine if not draft.reason and draft.outcome != "skipped"}
        reasons = {draft.id: draft.reason for draft in mine if draft.reason}
        for place, draft in ready.drafts:
            row = batch.known.get(draft.id)
            there = draft.id in accepted or (row is not None and row["state"] == "completed")
            if draft.reason:
                self.errors.append(_error(place, draft.id, draft.reason, draft.given))
            elif draft.outcome == "skipped" and not there:
                # It gave way to another copy, which was refused further on.
                reason = reasons.get(draft.id, "another copy of this item was refused")
                self.errors.append(_error(place, draft.id, reason, draft.given))
            elif draft.outcome == "new":
                self.fresh.append(draft.id)
            else:
                self.known.append(draft.id)
                changed = draft.outcome in ("updated", "revived")
                self.updated, self.unchanged = self.updated + changed, self.unchanged + (not changed)
        self.errors.sort(key=lambda error: error.place)

    @property
    def processed(self) -> int:
        return len(self.fresh) + len(self.known)

    def messages(self) -> list[str]:
        """As the document's processing_errors have them."""
        return [f"Item {self._ready.read.indexes[error.place]}: {_text(error)}" for error in self.errors]


def moved_on(upload: Upload, outcome: Outcome, read: ItemBatch, errors_kept: int) -> Upload:
    """The upload behind this batch."""
    collection_id = collection_of(upload) if outcome.processed else upload.collection_id
    room = max(0, errors_kept - len(upload.processing_errors))
    return replace(
        upload, collection_id=collection_id, processed_items=upload.processed_items + outcome.processed,
        failed_items=upload.failed_items + len(outcome.errors), new_items=upload.new_items + len(outcome.fresh),
        updated_items=upload.updated_items + outcome.updated,
        unchanged_items=upload.unchanged_items + outcome.unchanged,
        processing_errors=upload.processing_errors + outcome.messages()[:room], current_item=read.next.item,
        chunk_item=read.next.part_item, chunk_offset=read.next.part_offset,
    )  # fmt: skip


def guard(claim: Claim, upload: Upload, after: Upload, outcome: Outcome) -> Step:
    """The place in the file and the counters move with the items."""
    given = {
        "key": claim.key, "seq": claim.seq, "token": claim.token, "current_item": after.current_item,
        "chunk_item": after.chunk_item, "chunk_offset": after.chunk_offset, "processed": outcome.processed,
        "failed": len(outcome.errors), "fresh": len(outcome.fresh), "updated": outcome.updated,
        "unchanged": outcome.unchanged, "errors": after.processing_errors or None,
        "progress": json.dumps(after.progress()),
    }  # fmt: skip
    return Step("upload.advance", given)


def with_items(upload: Upload, outcome: Outcome, read: ItemBatch, now: int) -> list[Step]:
    """Edges of the collection, which the first of them begin, and error nodes."""
    steps: list[Step] = []
    if outcome.processed and not upload.processed_items:
        begun = {"key": upload.upload_id, "seq": upload.seq, "collection_id": collection_of(upload), "at": moment(now)}
        steps.append(Step("upload.begin_collection", begun))
    steps += _collecting(upload, sorted(outcome.fresh))
    known = sorted(set(outcome.known) - set(outcome.fresh))
    if known:
        steps.append(_collect("collect_known", known, upload))
    if outcome.errors:
        rows = [_row(upload, error, read) for error in outcome.errors]
        about = {"key": upload.upload_id, "seq": upload.seq, "round": upload.retry_count, "at": moment(now)}
        steps.append(Step("upload.add_errors", {"rows": rows, **about}))
    return steps


def _collecting(upload: Upload, ids: list[int]) -> list[Step]:
    """Files mostly hold ids without a gap: such a stretch needs no list."""
    if not ids:
        return []
    ends = [place for place in range(1, len(ids)) if ids[place] != ids[place - 1] + 1]
    if len(ends) >= _MOST_STRETCHES:
        return [_collect("collect", ids, upload)]
    stretches = [(ids[first], ids[last - 1]) for first, last in zip([0, *ends], [*ends, len(ids)], strict=True)]
    return [
        Step(
            "upload.collect_between",
            {"first_id": first, "last_id": last, "collection_id": collection_of(upload)},
        )
        for first, last in stretches
    ]


def _collect(block: str, ids: list[int], upload: Upload) -> Step:
    given = {"rows": Table({"hnId": ids}), "collection_id": collection_of(upload), "first_id": ids[0]}
    return Step(f"upload.{block}", given)


def _row(upload: Upload, error: ItemError, read: ItemBatch) -> dict[str, Any]:
    index = read.indexes[error.place]
    part_item, part_offset = read.parts[error.place]
    return {
        "id": f"{upload.upload_id}/{upload.run}/{upload.retry_count}/{index}", "index": index, "hnId": error.hnId,
        "field": error.field or None, "message": error.message, "given": error.given, "chunk_item": part_item,
        "chunk_offset": part_offset,
    }  # fmt: skip


def _error(place: int, id: int | None, reason: str, given: object) -> ItemError:
    field, colon, message = reason.partition(": ")
    if not colon or field not in _FIELDS:
        field, message = "", reason
    shown = json.dumps(given, default=str)[:_GIVEN] if _is_small(given) else repr(type(given).__name__)
    return ItemError(place, id, field, clean_text(message), clean_text(shown))


def _is_small(given: object) -> bool:
    return not isinstance(given, Sequence) or len(given) < 10_000


def _text(error: ItemError) -> str:
    return f"{error.field}: {error.message}" if error.field else error.message
