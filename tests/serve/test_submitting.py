"""What a client of a served graph has done over there: the same words, the same answers, as on a graph of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import graphvine
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.workers.pipeline import CannotWork
from graphvine.workers.registry import handler
from tests.support.articles import states
from tests.support.shared_graphs import Served

STORY = {"id": 1, "type": "story", "title": "A graph of vines", "by": "ada", "time": 1_700_000_000, "score": 7}
REPLY = {"id": 2, "type": "comment", "parent": 1, "text": "It climbs.", "by": "bob", "time": 1_700_000_100}


@pytest.fixture
def far(served: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """A graph that the service of this test holds."""
    monkeypatch.setenv("GRAPHVINE_WIKIPEDIA_EMBEDDER", "none")
    with graphvine.open(served.with_token) as graph:
        yield graph


def test_growing_is_watched(far: Graph) -> None:
    seen = []
    summary = far.grow(["Vine"], depth=1, source="sample", on_event=seen.append)
    assert summary.states["processed"] > 5 and summary.seeds == 1 and not summary.stopped
    assert seen[0].name == "started" and seen[-1].name == "finished"
    assert seen[-1].total.done == summary.counts.done
    assert [event.name for event in far.grow_events((), depth=1, source="sample")][-1] == "finished"
    hits = far.search("vine", mode="text", limit=3)
    assert hits and hits[0].article
    assert far.reindex() > 0
    assert far.map(limit=10).svg.startswith("<svg")


def test_growing_can_be_stopped_from_here(far: Graph) -> None:
    stop = threading.Event()
    stop.set()
    assert far.grow(["Vine"], source="sample", stop=stop).stopped


def test_what_goes_wrong_over_there_is_told_here(far: Graph) -> None:
    with pytest.raises(GraphvineError, match="no-such-dump.xml' is not there"):
        far.grow(["Vine"], source="no-such-dump.xml")
    with pytest.raises(GraphvineError, match="vector"):
        far.search("x", mode="vector")


def test_hacker_news(far: Graph) -> None:
    taken = far.hn.add([STORY, REPLY, {"no": "id"}])
    assert (taken.new, taken.rejected) == (2, 1)
    assert far.hn.thread(1).children[0].id == 2
    page = far.hn.search("climbs")
    assert page.total == 1 and page.found[0].item.by == "bob"
    assert far.reindex() == 2, "items are indexed, too"
    far.hn.mark_failed(2, "by hand")
    assert far.read("hn_item.item", hnId=2)[0]["state"] == "failed"
    with pytest.raises(GraphvineError, match="99"):
        far.hn.advance(99, "validate_item")
    assert far.hn.retry([2]) == 1
    with pytest.raises(CannotWork, match="graphvine work hn_item"):
        handler(far, "hn_item")


def test_care_is_taken_over_there(far: Graph, served: Served, tmp_path: Path) -> None:
    folder = Path(served.graph.where).parent  # the daemon writes beside its graph alone
    far.seed("article", ["a", "b"])
    backup = far.backup(folder / "kept")
    assert backup.engine == "kuzu" and (folder / "kept" / "backup.json").exists()
    moved = far.export(folder / "moved")
    assert moved.rows > 0 and (folder / "moved").is_dir()
    with pytest.raises(GraphvineError, match="there already"):
        far.export(folder / "moved")
    (folder / "a file").touch()
    with pytest.raises(GraphvineError, match="a file"):
        far.backup(folder / "a file" / "kept")
    assert all(finding.ok for finding in far.doctor())
    with graphvine.open(tmp_path / "other.kuzu") as other:
        other.load(folder / "moved")
        assert set(states(other)) == {"a", "b"}


def test_a_typed_query_is_ended_for_its_own_client_alone(served: Served, far: Graph) -> None:
    from graphvine.errors import QueryTimeout
    from graphvine.workers.serve import engine_routes
    from tests.support.threads import together
    from tests.support.waiting import eventually

    endless = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a * b % 7 = 3 RETURN count(*)"

    def ask() -> str:
        with pytest.raises(QueryTimeout):
            far.query(endless, timeout_seconds=60)
        return "ended"

    def end() -> str:
        eventually(lambda: _running(engine_routes))
        with graphvine.open(served.with_token) as other:
            other.interrupt()
        assert engine_routes._asking, "another's word ends nothing of ours"
        far.interrupt()
        return "told"

    assert together([ask, end]) == ["ended", "told"]


def _running(engine_routes: object) -> None:
    assert engine_routes._asking  # type: ignore[attr-defined]
