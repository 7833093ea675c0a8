"""What one worker has claimed: taken within its allowance, kept alive by heartbeats, settled, given back."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.outcomes import Outcome
from graphvine.records import Claim
from graphvine.workers.counts import Allowance, Counts, count
from graphvine.workers.heartbeat import Heartbeats
from graphvine.workers.pipeline import Context


class WorkerClaims:
    def __init__(
        self, graph: Graph, pipeline: str, worker: str | None, stop: threading.Event, max_depth: int | None,
        allowance: Allowance | None,
    ) -> None:  # fmt: skip
        self.graph, self.pipeline, self.stop, self.max_depth = graph, pipeline, stop, max_depth
        self.allowance = allowance
        self.claims = graph.claims(pipeline, worker)
        self.context = Context(stop)
        self.heartbeats = Heartbeats(self.claims, self.context, graph.settings.heartbeat_seconds)

    def take(self, most: int) -> list[Claim]:
        """Claim up to so many rows."""
        allowed = self._allowed(most)
        try:
            claims = self.claims.claim(allowed, max_depth=self.max_depth)
        except BaseException:
            self._not_taken(allowed)
            raise
        self._not_taken(allowed - len(claims))
        self.heartbeats.hold(claims)
        return claims

    def take_keys(self, keys: Sequence[str]) -> list[Claim]:
        """Claim these rows."""
        claims = self.claims.claim_keys(keys)
        self.heartbeats.hold(claims)
        return claims

    def settle(self, outcomes: Sequence[Outcome], room: int = 0) -> tuple[Counts, list[Claim]]:
        """Settle these, and claim up to `room` rows that come next in the same transaction, unless we are to stop."""
        return exchange([(self, outcomes, room)])[0]

    def release(self, claims: Sequence[Claim]) -> Counts:
        """Give these back untouched."""
        self.heartbeats.drop(claims)
        lost = 0
        try:
            self.claims.release(claims)
        except ClaimLost as error:
            lost = len(error.claims)
        return Counts(released=len(claims) - lost, lost=lost)

    def put_back(self, claims: Sequence[Claim]) -> None:
        """Give these back as if they had not been claimed."""
        self._not_taken(len(claims))
        self.release(claims)

    def _allowed(self, rows: int) -> int:
        return rows if self.allowance is None else self.allowance.take(rows)

    def _not_taken(self, rows: int) -> None:
        if self.allowance is not None:
            self.allowance.give_back(rows)

    def _room(self, most: int) -> int:
        return self._allowed(most) if most and not self.stop.is_set() else 0

    def _settled(self, outcomes: Sequence[Outcome], lost: set[int], claims: list[Claim], allowed: int) -> Counts:
        self._not_taken(allowed - len(claims))
        self.heartbeats.drop(outcome.claim for outcome in outcomes)
        self.heartbeats.hold(claims)
        kept = [outcome for outcome in outcomes if outcome.claim.seq not in lost]
        return count(kept, self.graph.settings.max_retries) + Counts(lost=len(outcomes) - len(kept))


def exchange(parts: Sequence[tuple[WorkerClaims, Sequence[Outcome], int]]) -> list[tuple[Counts, list[Claim]]]:
    """Settle what workers of one process have answered and claim what comes next for each, in one transaction.

    The workers share the pipeline and the depth to which they go; the rows are claimed in the name of the first.
    """
    # Asked before: a heartbeat that comes between the commit and the end of the claim finds it gone, and it is done.
    lost = {o.claim.seq for worker, outcomes, _ in parts for o in outcomes if worker.context.lost(o.claim)}
    ours = [outcome for _, outcomes, _ in parts for outcome in outcomes if outcome.claim.seq not in lost]
    if not ours:
        return [(worker._settled(outcomes, lost, [], 0), []) for worker, outcomes, _ in parts]
    rooms = [worker._room(room) for worker, _, room in parts]
    first = parts[0][0]
    try:
        claims, gone = first.claims.settle_and_claim(ours, sum(rooms), first.max_depth)
    except BaseException:
        for (worker, _, _), room in zip(parts, rooms, strict=True):
            worker._not_taken(room)
        raise
    lost |= {claim.seq for claim in gone}
    divided = zip(parts, rooms, _divided(claims, rooms), strict=True)
    return [(worker._settled(outcomes, lost, taken, room), taken) for (worker, outcomes, _), room, taken in divided]


def _divided(claims: list[Claim], rooms: Sequence[int]) -> list[list[Claim]]:
    """The claims in as many parts as there are rooms, each in proportion to its room."""
    parts, begin, asked, total = [], 0, 0, max(1, sum(rooms))
    for room in rooms:
        asked += room
        end = -(-len(claims) * asked // total)
        parts.append(claims[begin:end])
        begin = end
    return parts
