"""Works on items that are not where they should rest: ids to fetch, retries, and what a hand or a kill left midway."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from graphvine.graph import Graph
from graphvine.outcomes import Done, GiveUp, Outcome, Retry
from graphvine.records import Claim, Step
from graphvine.workers.hn.firebase import Fetched, Firebase
from graphvine.workers.hn.ingest.batch import Batch
from graphvine.workers.hn.ingest.infer_parents import draft_of
from graphvine.workers.hn.ingest.ingest import RETRY_MS, intake
from graphvine.workers.hn.ingest.item import FIREBASE, Draft
from graphvine.workers.hn.ingest.processors import MAX_RETRIES, cascade
from graphvine.workers.hn.ingest.thread_edges import Threads
from graphvine.workers.hn.ingest.writes import claimed_steps, steps_of
from graphvine.workers.hn.settings import HNSettings, load
from graphvine.workers.pipeline import Context


class HNItemHandler:
    def __init__(self, graph: Graph, settings: HNSettings | None = None) -> None:
        self._graph = graph
        self._source = Firebase(settings or load())
        self._machine = graph.library.machines["hn_item"]

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        drafts = {claim.seq: self._stored(claim) for claim in claims}
        wanted = [int(claim.key) for claim in claims if drafts[claim.seq] is None]
        fetched = self._source.fetch(wanted, lambda: context.stopping) if wanted else Fetched()
        now = self._graph.clock.now_ms()
        ready: dict[int, Claim] = {}
        for claim in claims:
            id = int(claim.key)
            if drafts[claim.seq] is not None:
                ready[id] = claim
            elif id in fetched.items:
                drafts[claim.seq] = Draft(id, fetched.items[id], FIREBASE, now)
                ready[id] = claim
            elif id in fetched.away:
                yield Retry(claim, fetched.away[id])
            elif id in fetched.missing:
                yield GiveUp(claim, f"there is no item {id}: the API answers null")
        found = [draft for claim in ready.values() if (draft := drafts[claim.seq]) is not None]
        with intake(self._graph).apart() as threads:
            # Held until every answer is taken: the loop writes them as they come.
            yield from self._answers(found, ready, threads, now)

    def close(self) -> None:
        """Nothing is held open between batches."""

    def _answers(self, found: list[Draft], ready: dict[int, Claim], threads: Threads, now: int) -> Iterator[Outcome]:
        batch = Batch(self._graph, threads, now, found)
        if found:
            cascade(self._machine, batch)
        others = [draft for draft in batch.drafts if draft.id not in ready]
        more = list(steps_of(_only(batch, others), [], RETRY_MS))
        for draft in batch.drafts:
            claim = ready.get(draft.id)
            if claim is None:
                continue
            if draft.reason:
                planned = {"hnId": draft.id, "retryDue": now + RETRY_MS, "claim": claim.seq}
                step = Step("hn_item.plan_retry", {"rows": [planned], "first_id": 1, "max_retries": MAX_RETRIES})
                yield GiveUp(claim, draft.reason, draft.trace, [step])
            else:
                yield Done(claim, [*claimed_steps(batch, draft, claim.seq), *more])
                more = []

    def _stored(self, claim: Claim) -> Draft | None:
        """What the graph has of the item; a copy that was refused before is looked at again from the start."""
        rows: list[dict[str, Any]] = self._graph.read("hn_item.item", hnId=int(claim.key))
        draft = draft_of(rows[0]) if rows else None
        if draft is not None and draft.reason:
            draft.reason, draft.state = "", "initial_state"
        return draft


def _only(batch: Batch, drafts: list[Draft]) -> Batch:
    """The part of a batch that belongs to no claim."""
    ids = {draft.id for draft in drafts}
    return Batch(
        batch.graph, batch.threads, batch.now, drafts, batch.known, [e for e in batch.edges if e.below in ids],
        batch.edges_again, batch.edges_gone, batch.below, batch.settled, batch.fallen,
    )  # fmt: skip


def build(graph: Graph) -> HNItemHandler:
    """A handler by the settings, for `graphvine work hn_item`."""
    return HNItemHandler(graph)
