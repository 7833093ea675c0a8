"""Several processes take items in at once: each item once, every edge once, and the graph of one who works alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import graphvine
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from graphvine.workers.hn.ingest.ingest import Taken, intake, take_in
from graphvine.workers.hn.schedule import mend
from graphvine.workers.uploads.api import Uploads
from tests.pipelines.hn.looking import edges, row, whole
from tests.pipelines.hn.making import DELIVERED, Item, make
from tests.pipelines.uploads.making import ailments, as_lines, collected, small, write
from tests.support.processes import Child, Send, prepare
from tests.support.stores import Place
from tests.support.threads import together

PROCESSES = 4
STORY = {"id": 1, "type": "story", "title": "Hello", "by": "pg", "time": 1_400_000_000, "score": 5}
COMMENT = {"id": 2, "type": "comment", "parent": 1, "text": "hi", "by": "sama", "time": 1_400_000_001}


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    prepare("neo4j", "tests.lanes.neo4j.test_taking_in_together")


def shares(items: list[Item]) -> list[list[Item]]:
    """Each item for one of the processes at least, most for two or three, in an order of their own."""
    draw = random.Random(9)
    shares: list[list[Item]] = [[] for _ in range(PROCESSES)]
    for item in items:
        for number in draw.sample(range(PROCESSES), draw.choice((1, 2, 3))):
            shares[number].append(item)
    for share in shares:
        draw.shuffle(share)
    return shares


def take(send: Send, where: str, items: list[Item], batch: int) -> None:
    with graphvine.open(where) as graph:
        send("open")
        send(take_in(graph, items, "BULK_UPLOAD", handed_over_at=DELIVERED, batch=batch))


def test_the_same_graph_as_one_alone(place: Place, tmp_path: Path, full: bool) -> None:
    made = make(20_000 if full else 300, deep=40)
    with graphvine.open(tmp_path / "alone.kuzu") as graph:
        take_in(graph, made.items, "BULK_UPLOAD", handed_over_at=DELIVERED)
        alone = whole(graph)
    with place.open() as graph:
        children = [Child(take, place.where, share, 1_000 if full else 50) for share in shares(made.items)]
        for child in children:
            assert child.hear() == "open"
        taken = sum((child.hear() for child in children), Taken())
        assert taken.new + taken.failed >= len(alone[0]) and taken.unchanged + taken.skipped + taken.updated > 0
        here = whole(graph)
        for mine, theirs in zip(here, alone, strict=True):
            assert mine == theirs
        assert mend(graph) == 0, "nobody was left behind"
        assert ailments(graph) == []


def test_uploads_with_items_in_common(place: Place, tmp_path: Path) -> None:
    made = make(160, deep=20)
    timed = [{"fetchedAt": DELIVERED, **item} for item in made.items if isinstance(item.get("id"), int)]
    paths = [write(tmp_path, as_lines(share), f"file {at}") for at, share in enumerate(shares(timed)[:3])]
    with place.open() as graph, place.open() as second, place.open() as third:
        settings = small(items_at_once=30, chunk_bytes=3_000, bytes_at_once=1 << 20)
        jobs: list[Callable[[], Any]] = [
            lambda graph=graph, path=path: Uploads(graph, settings).upload(path)  # type: ignore[misc]
            for graph, path in zip((graph, second, third), paths, strict=True)
        ]
        found = together(jobs)
        for upload, share in zip(found, shares(timed), strict=False):
            assert upload.processed_items + upload.failed_items == upload.total_items == len(share)
            failed = {error["index"] for error in Uploads(graph).errors(upload.upload_id)}
            wanted = {item["id"] for place, item in enumerate(share) if place not in failed}
            assert collected(graph, upload.collection_id) == sorted(wanted)
        made_there = sum(upload.new_items for upload in found)
        assert made_there == graph.query("MATCH (a:HNItem) RETURN count(*)").rows[0][0]
        links = edges(graph)
        assert len(links) == len(set(links)) and mend(graph) == 0
        assert ailments(graph) == []


def hold(send: Send, where: str) -> None:
    """Have the turn, and never end it."""
    with graphvine.open(where) as graph:

        def stay() -> None:
            send("has the turn")
            graph.clock.sleep(600)

        intake(graph).alone(stay)


def test_a_process_that_is_killed_in_its_turn_keeps_nobody_waiting(graph: Graph, place: Place) -> None:
    with Child(hold, place.where) as child:
        assert child.hear() == "has the turn"
        child.kill()
        assert take_in(graph, [STORY, COMMENT], "SINGLE_POST") == Taken(new=2)


def test_ids_that_are_put_in_meanwhile_are_seen(graph: Graph, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever seeds waits for no turn: what it made between the look and the write is found, and the batch goes on."""
    with place.open() as other:
        real, met = graph.engine.read, list[int]()

        def read(block: Any, parameters: Any) -> Any:
            rows = real(block, parameters)
            if block.name.startswith("known") and not met:
                met.append(other.seed("hn_item", ["2"]))
            return rows

        monkeypatch.setattr(graph.engine, "read", read)
        assert take_in(graph, [STORY, COMMENT], "SINGLE_POST") == Taken(new=1, revived=1)
    assert met == [1] and edges(graph) == [(1, 2)]
    assert (row(graph, 2)["state"], row(graph, 2)["story"]) == ("completed", 1)


def test_who_passed_each_other_are_brought_together(graph: Graph) -> None:
    """A worker without a turn and an arrival may miss each other; the job finds them, options and all that is below."""
    poll = {"id": 10, "type": "poll", "title": "Which?"}
    below = [COMMENT | {"id": 3, "parent": 2}, {"id": 11, "type": "pollopt", "poll": 10, "text": "this"}]
    take_in(graph, [STORY, COMMENT, poll, *below], "SINGLE_POST")
    before = whole(graph)
    for text in ("(:HNItem {hnId: 1})-[l:PARENT_OF]->()", "()-[l:OPTION_OF]->()"):
        graph.execute(f"MATCH {text} DELETE l")
    graph.execute("MATCH (a:HNItem) WHERE a.hnId IN [2, 3, 11] SET a.story = 0")
    assert mend(graph) == 3 and mend(graph) == 0
    assert whole(graph) == before


def test_what_a_turn_wrote_is_gone_when_it_fails(graph: Graph) -> None:
    def fail() -> None:
        graph.run(Unit.of([Step("hn_item.seed", {"rows": [{"hnId": 5, "seq": 0}], "now": 0})]))
        assert graph.read("hn_item.known_one", hnId=5), "what it wrote it reads"
        raise KeyError("something else went wrong")

    with pytest.raises(KeyError):
        intake(graph).alone(fail)
    assert graph.read("hn_item.known_one", hnId=5) == []
