"""The index follows while items come in: whatever is written between two looks at the graph stands in it once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from graphvine.graph import Graph
from graphvine.index_sync import index_folder
from graphvine.workers.hn.ingest.index_sync import KIND, open_items_index
from graphvine.workers.hn.ingest.ingest import Taken, intake, take_in
from tests.pipelines.hn.making import DELIVERED
from tests.support.stores import Place


def story(id: int) -> dict[str, Any]:
    return {"id": id, "type": "story", "by": "ann", "time": 1_400_000_000 + id, "title": f"story {id}"}


class Interrupted:
    """The graph, in which something happens once right after the newest stamp was read."""

    def __init__(self, graph: Graph, then: Any) -> None:
        self._graph, self._then = graph, then

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)

    def read(self, block: str, **given: Any) -> Any:
        found = self._graph.read(block, **given)
        if block == "hn_item.newest_stamp" and self._then is not None:
            then, self._then = self._then, None
            then()
        return found


def test_what_is_written_between_two_looks_stands_there_once(graph: Graph) -> None:
    taking = intake(graph)

    def take(*items: dict[str, Any]) -> None:
        taking.take(items, "BULK_UPLOAD", handed_over_at=DELIVERED)

    index = open_items_index(graph)
    take({"id": 2, "type": "comment", "by": "bob", "time": 1_400_000_002, "text": "first", "parent": 1})
    index.catch_up()
    index._graph = Interrupted(graph, lambda: take(*map(story, range(3, 8))))  # type: ignore[assignment]
    # The comment comes to stand below it: not all documents of the unit are at hand, so the graph is read.
    take(story(1))
    index.catch_up()
    assert index._graph._then is None, "it happened"
    assert index.index.count() == 7


def found(graph: Graph) -> int:
    return graph.hn.search("story", limit=1).total


ITEMS = [story(id) for id in range(1, 301)]


@pytest.mark.parametrize("again", ["add", "upload"])
def test_unchanged_items_are_found_after_the_index_was_removed(place: Place, tmp_path: Path, again: str) -> None:
    file = tmp_path / "items.json"
    file.write_text(json.dumps(ITEMS))
    with place.open() as graph:
        graph.hn.add(ITEMS, fetched_at=DELIVERED)
        folder = index_folder(graph.engine.where)
    shutil.rmtree(folder)
    with place.open() as graph:
        if again == "add":
            assert graph.hn.add(ITEMS, fetched_at=DELIVERED + 1) == Taken(unchanged=300)
        else:
            assert graph.upload(file).unchanged_items == 300
        assert found(graph) == 300
    with place.open() as graph:
        assert found(graph) == 300 and all(finding.ok for finding in graph.doctor())


def test_items_whose_process_ended_before_they_were_indexed_are_found(place: Place) -> None:
    with place.open() as graph:
        graph.hn.add(ITEMS[:100], fetched_at=DELIVERED)
    with place.open() as graph:  # committed, and the process ends before the index follows
        take_in(graph, ITEMS[100:200], "BULK_UPLOAD", handed_over_at=DELIVERED)
    with place.open() as graph:
        assert graph.hn.add(ITEMS[:250], fetched_at=DELIVERED + 1) == Taken(new=50, unchanged=200)
        assert found(graph) == 250


def test_an_index_that_lost_items_is_built_again_when_it_is_opened(place: Place) -> None:
    with place.open() as graph:
        graph.hn.add(ITEMS, fetched_at=DELIVERED)
    with place.open() as graph:
        index = open_items_index(graph).index
        # As a version that counted the wrong stamps left it: where the graph is, with documents missing.
        index.apply([], [(KIND, str(id)) for id in range(1, 200)], index.stamp)
    index_folder(graph.engine.where).joinpath("hn_item.checked").unlink()
    with place.open() as graph:
        assert found(graph) == 300


def test_after_a_clean_close_nothing_is_counted(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with place.open() as graph:
        graph.hn.add(ITEMS, fetched_at=DELIVERED)
    with place.open() as graph:
        read, asked = graph.read, list[str]()
        monkeypatch.setattr(graph, "read", lambda name, **given: asked.append(name) or read(name, **given))
        assert found(graph) == 300
    assert "hn_item.searchable" not in asked and "hn_item.newest_stamp" in asked


@pytest.mark.long("adds items one by one, and opens a store for each")
def test_items_that_come_one_by_one_leave_few_segments(place: Place) -> None:
    with place.open() as graph:
        for item in ITEMS[:60]:
            graph.hn.add(item, fetched_at=DELIVERED)
        assert found(graph) == 60
        assert open_items_index(graph).index._text.searcher().num_segments <= 30
    for item in ITEMS[60:72]:
        with place.open() as graph:
            graph.hn.add(item, fetched_at=DELIVERED)
    with place.open() as graph:
        assert found(graph) == 72
        assert open_items_index(graph).index._text.searcher().num_segments <= 30
