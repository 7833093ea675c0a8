"""Killed between any two batches, or inside of one, the edge jobs end with the same edges."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from graphvine.clock import SystemClock
from graphvine.graph import Graph
from graphvine.workers.search.edges import EdgeJobs
from tests.support.processes import Child, Send
from tests.support.stores import Place

pytestmark = pytest.mark.long("kills a process that makes edges, again and again")
TITLES = [f"Plant {number}" for number in range(30)]


def fill(place: Place) -> None:
    with place.open(SystemClock()) as graph:
        graph.seed("article", TITLES)
        graph.hn.add([
            {"id": number, "type": "story", "title": f"On the Plant {number % 40} and Plant {number % 7}", "by": "pg",
             "url": f"https://example.org/{number % 25}?utm_source={number}"}
            for number in range(1, 121)
        ])  # fmt: skip


def make(send: Send, place: Place, rows_at_once: int) -> None:
    with place.open(SystemClock()) as graph:
        send("opened")
        EdgeJobs(graph, on_rows=send, rows_at_once=rows_at_once).run()
        send("done")


def edges(graph: Graph) -> list[Any]:
    same = graph.query("MATCH (a:HNItem)-[s:HN_SAME_PAGE]->(d:Address) RETURN a.hnId, d.address, s.gone").rows
    named = graph.query("MATCH (a:HNItem)-[m:HN_MENTIONS]->(w:Article) RETURN a.hnId, w.title, m.gone = 0").rows
    return sorted([*same, *named])


def test_the_same_edges_however_often_it_is_killed(place: Place, tmp_path: Path, full: bool) -> None:
    fill(place)
    calm = place.copy_to(tmp_path / "calm")
    chance = random.Random(7)
    for _ in range(50 if full else 4):
        with Child(make, place, chance.choice((5, 11))) as child:
            assert child.hear() == "opened"
            for _ in range(chance.randrange(1, 6)):
                if child.hear() == "done":
                    break
        with place.open(SystemClock()) as graph:  # more titles and rows come between the kills
            graph.seed("article", [f"Plant {chance.randrange(30, 40)}"])
    with place.open(SystemClock()) as graph:
        graph.seed("article", [f"Plant {number}" for number in range(40)])
        EdgeJobs(graph).run()
        killed = edges(graph)
    with calm.open(SystemClock()) as graph:
        graph.seed("article", [f"Plant {number}" for number in range(40)])
        EdgeJobs(graph).run()
        assert killed == edges(graph) and len(killed) > 200
