"""A worker that claims through a daemon tells of its attempts itself; the daemon does not tell them again."""

from __future__ import annotations

import graphvine
from graphvine.outcomes import Done, Retry
from tests.support.shared_graphs import Served
from tests.unit.test_telemetry import Heard


def test_a_worker_elsewhere_has_the_spans(served: Served) -> None:
    served.graph.seed("article", ["Vine", "Ivy"])
    daemon = Heard(served.graph)
    with graphvine.open(served.with_token) as far:
        worker = Heard(far)
        claims = far.claims("article", "a worker elsewhere")
        held = {claim.key: claim for claim in claims.claim(2)}
        claims.settle([Done(held["Vine"]), Retry(held["Ivy"], "busy")])
    told = {
        str((s.attributes or {})["graphvine.row.key"]): (s.attributes or {})["graphvine.outcome"]
        for s in worker.attempts()
    }
    assert told == {"Vine": "done", "Ivy": "retried"}
    assert all(worker.parts(span) == ["claim", "settle"] for span in worker.attempts())
    assert daemon.attempts() == [] and ("write",) in daemon.counted("graphvine.statement.duration")
