"""The numbers of /overview are those that a count in Cypher gives at the same moment, of every pipeline."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from graphvine.clock import NEVER
from graphvine.graph import Graph
from graphvine.queries import library
from graphvine.workers.serve.status_cache import status_of
from tests.support.shared_graphs import Served
from tests.support.waiting import eventually


def counted(graph: Graph, pipeline: str) -> dict[str, int]:
    machine = graph.library.machines[pipeline]
    text = f"MATCH (n:{machine.label}) RETURN n.{machine.column} AS state, n.lease AS lease, n.due AS due"
    rows = graph.query(text).rows
    now = graph.clock.now_ms()
    return {
        "total": len(rows), "claimed": sum(lease > 0 for _, lease, _ in rows),
        "failed": sum(state == "failed" for state, *_ in rows),
        "ready": sum(lease <= 0 and due <= now for _, lease, due in rows),
        "backing_off": sum(lease == 0 and now < due < NEVER for _, lease, due in rows),
        "finished": sum(state in machine.done for state, *_ in rows),
    }  # fmt: skip


@pytest.mark.parametrize("pipeline", list(library().machines))
def test_the_overview_equals_a_count_in_cypher(served: Served, client: httpx.Client, pipeline: str) -> None:
    graph = served.graph

    def shown() -> dict[str, Any]:
        (card,) = [one for one in client.get("/overview").json()["pipelines"] if one["status"]["pipeline"] == pipeline]
        return {**card["status"], "finished": card["finished"]}

    def check(**wanted: int) -> None:
        def agrees() -> None:
            status_of(served.http_server.app_state, 0)  # otherwise it is looked at once a second at most
            figures, count = shown(), counted(graph, pipeline)
            assert {name: figures[name] for name in count} == count
            assert count.items() >= wanted.items()

        eventually(agrees)

    check(total=0)
    graph.seed(pipeline, [str(number) for number in range(101, 109)])
    check(total=8, claimed=0)
    claims = graph.claims(pipeline, "a worker")
    taken = claims.claim(4)
    check(claimed=4)
    claims.fail(taken[0], "broken", permanent=True)
    claims.fail(taken[1], "busy")
    claims.release(taken[2:3])
    check(claimed=1, failed=1, backing_off=1)
    claims.release(taken[3:])
    check(claimed=0, failed=1, ready=6)
