"""The transitions of an item: which there are, and those that people trigger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphvine.clock import NEVER, moment
from graphvine.failures import clean_text, note_failure
from graphvine.graph import Graph
from graphvine.ready_cache import spans
from graphvine.records import Row, Step, Unit
from graphvine.workers.hn.errors import NoSuchItem, TransitionNotAllowed
from graphvine.workers.hn.ingest.batch import Batch
from graphvine.workers.hn.ingest.infer_parents import draft_of
from graphvine.workers.hn.ingest.ingest import RETRY_MS, intake
from graphvine.workers.hn.ingest.processors import MAX_RETRIES, RETRY_WINDOW, advance, automatic, retryable
from graphvine.workers.hn.ingest.writes import steps_of

_ROWS_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Way:
    """A transition that leads out of the state an item is in; `blocked` says why it can't be taken now."""

    name: str
    source: str
    target: str
    manual: bool
    processors: tuple[str, ...]
    criteria: tuple[str, ...]
    blocked: str = ""


def transitions(graph: Graph, id: int) -> list[Way]:
    """Where an item can go from here, by the document's transitions."""
    row = row_of(graph, id)
    machine = graph.library.machines["hn_item"]
    found: dict[str, Way] = {}
    for step in machine.moves:
        if step.source == row["state"] and step.name and step.name == step.block:
            found[step.name] = Way(
                step.name, step.source or "", step.target, step.manual, step.processors, step.criteria,
                _blocked(graph, step.name, row),
            )  # fmt: skip
    return sorted(found.values(), key=lambda way: way.name == "mark_failed")  # what leads on comes first


def mark_failed(graph: Graph, id: int, reason: str) -> None:
    """HNItemFailureProcessor, by hand: the item fails, and a retry is planned where there are tries left."""
    row, now = row_of(graph, id), graph.clock.now_ms()
    tries = (row["retryCount"] or 0) + (row["state"] != "failed")
    again = now + RETRY_MS if tries < MAX_RETRIES else None
    given = {"hnId": id, "error": clean_text(reason), "retryDue": again, "stamp": 0}
    note = note_failure(
        "hn_item", row["seq"], str(id), row["failure_count"], at=moment(now), attempt=tries, kind="manual",
        message=reason,
    )  # fmt: skip
    steps = [
        Step("hn_item.mark_failed", {"rows": [given], "first_id": id, "at": moment(now), "never": NEVER}),
        note,
    ]
    if not graph.run(Unit.of(steps)).held:
        why = "a worker holds it" if row["lease"] and row["lease"] > 0 else f"it is {row['state']}"
        raise TransitionNotAllowed(id, "mark_failed", why)


def retry(graph: Graph, ids: Sequence[int]) -> int:
    """Process failed items again, where the criterion allows it; the error names the first that it does not."""
    rows = [row_of(graph, id) for id in dict.fromkeys(ids)]
    now = moment(graph.clock.now_ms())
    for row in rows:
        refusal = f"it is {row['state']}" if row["state"] != "failed" else retryable(row, now)
        if refusal:
            raise TransitionNotAllowed(row["hnId"], "retry_processing", refusal)
    return _retry(graph, [row["seq"] for row in rows])


def retry_due(graph: Graph) -> int:
    """Retries that were planned and are due; those that are no longer allowed are planned no more."""
    moved = 0
    while rows := graph.read("hn_item.retries_due", now=graph.clock.now_ms(), limit=_ROWS_AT_ONCE):
        seqs = [row["seq"] for row in rows]
        moved += _retry(graph, seqs)
        graph.run(Unit.of([Step("hn_item.give_up_retry", span) for span in spans(seqs)]))
    return moved


def advance_one(graph: Graph, id: int, transition: str) -> str:
    """Take an item through one transition. Returns the state that it is in then."""
    row, machine = row_of(graph, id), graph.library.machines["hn_item"]
    if transition == "retry_processing":
        retry(graph, [id])
        return "ingested"
    if transition == "mark_failed":
        mark_failed(graph, id, "marked as failed by hand")
        return "failed"
    step = next((step for step in automatic(machine) if step.name == transition), None)
    if step is None or step.source != row["state"]:
        raise TransitionNotAllowed(id, transition, f"it is {row['state']}")
    draft = draft_of(row)
    if draft is None:
        raise TransitionNotAllowed(id, transition, "its content is not there yet: 'graphvine work hn_item' fetches it")
    now = graph.clock.now_ms()
    with intake(graph).apart() as threads:
        draft.outcome = "revived"
        batch = Batch(graph, threads, now, [draft])
        if not draft.reason:
            advance(step, batch)
        if draft.reason:
            mark_failed(graph, id, draft.reason)
            return "failed"
        given = {"at": moment(now), "now": now, "never": NEVER}
        block = graph.library.block(f"hn_item.{transition}")
        own = {name: given[name] for name in block.parameters if name in given}
        edges = [s for s in steps_of(batch, [], RETRY_MS) if s.block.split(".")[1] in ("link", "option", "link_one")]
        graph.run(Unit.of([Step(block.full_name, {**span, **own}) for span in spans([row["seq"]])] + edges))
    return step.target


def row_of(graph: Graph, id: int) -> Row:
    """One item as the graph holds it."""
    rows = graph.read("hn_item.item", hnId=id)
    if not rows:
        raise NoSuchItem(id)
    return rows[0]


def _retry(graph: Graph, seqs: Sequence[int]) -> int:
    now = graph.clock.now_ms()
    given = {"now": now, "at": moment(now), "since": moment(now) - RETRY_WINDOW, "max_retries": MAX_RETRIES}
    result = graph.run(Unit.of([Step("hn_item.retry_processing", {**span, **given}) for span in spans(list(seqs))]))
    return len(result.held)


def _blocked(graph: Graph, name: str, row: Row) -> str:
    if row["lease"] and row["lease"] > 0:
        return "a worker holds it"
    if name == "retry_processing":
        return retryable(row, moment(graph.clock.now_ms()))
    return ""
