"""SIGKILL at any moment of a load with its index: what is there afterwards is what an undisturbed load leaves."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.pipelines.hn.looking import SAME, whole
from tests.pipelines.hn.making import DELIVERED, make, shuffled
from tests.support.processes import Child, Send, prepare, run
from tests.support.stores import Place

pytestmark = pytest.mark.long("takes in items again and again, in processes that are killed")

ITEMS, DEEP, BATCH = 600, 60, 100


@pytest.fixture(scope="module", autouse=True)
def warm_server(engine_name: str) -> None:
    prepare(
        engine_name,
        "tests.support.warm",
        "tests.pipelines.hn.looking",
        "tests.pipelines.hn.making",
        "graphvine.workers.hn.api",
        "tantivy",
    )


def load(send: Send, place: Place, delivery: int = 0) -> int:
    """Take in everything, from the start; each delivery is a later one, so what is there is seen again unchanged."""
    from graphvine.workers.hn.api import HackerNews
    from graphvine.workers.hn.settings import HNSettings

    with place.open(checkpoint_log_mb=1, checkpoint_memory_mb=4) as graph:
        news = HackerNews(graph, HNSettings(items_at_once=BATCH))
        send("open")
        taken = news.add(
            shuffled(make(ITEMS, deep=DEEP), 7),
            fetched_at=DELIVERED + delivery,
            progress=lambda so_far: send(so_far.total),
        )
        return taken.total


def look(send: Send, place: Place) -> tuple[Any, int, list[str]]:
    """The whole graph, what its index holds, and what the doctor has to say."""
    from graphvine.workers.hn.search import HNSearch

    with place.open() as graph:
        with HNSearch(graph) as searching:
            found = searching.search("").total
        return whole(graph), found, [finding.detail for finding in graph.doctor() if not finding.ok]


def test_killed_anywhere_the_same_graph_comes_out(template: Place, tmp_path: Path, full: bool) -> None:
    undisturbed, killed = template.copy_to(tmp_path / "undisturbed"), template.copy_to(tmp_path / "killed")
    run(load, undisturbed)
    chance, kills = random.Random(11), 100 if full else 5
    heard = 0
    for number in range(kills):
        with Child(load, killed, number) as child:
            assert child.hear() == "open"
            # From the first moments of a batch to several batches on.
            child.says_nothing_for(chance.uniform(0, 0.05))
            for _ in range(chance.randrange(4)):
                said = child.hear()
                heard = max(heard, said if isinstance(said, int) else ITEMS)
            child.says_nothing_for(chance.uniform(0, 0.3))
            child.kill()
    assert heard >= BATCH, "nothing was ever written between the kills"
    run(load, killed, kills)
    expected, actual = run(look, undisturbed), run(look, killed)
    assert actual[2] == expected[2] == []
    assert actual[1] == expected[1] == sum(found[1] == "completed" for found in actual[0][0].values())
    time = SAME.index("fetchedAt")
    without_time = [
        {id: (*row[:time], *row[time + 1 :]) for id, row in look[0][0].items()} for look in (actual, expected)
    ]
    assert without_time[0] == without_time[1] and actual[0][1:] == expected[0][1:]
