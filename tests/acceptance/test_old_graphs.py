"""A graph that version 0.1.0 made, and left in the middle of its work, opens; everything in it is found and goes on.

tests/data/graph-0.1.0.tar.xz was written by that version: the sample wiki one link deep (two articles claimed by a
worker that is gone), items of Hacker News, an upload with errors, news on their way, a scrape batch that was cut short.
The JSON file beside it has the counts that 0.1.0 itself reported before it closed the graph.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

import graphvine
from graphvine.graph import Graph
from tests.tools.package_tree import REPOSITORY

DATA = REPOSITORY / "tests" / "data"
EXPECTED: dict[str, Any] = json.loads((DATA / "graph-0.1.0.json").read_text())
# What opening renews: the machines drawn for people, and the versions of the schema.
REDRAWN = {"Pipeline", "State", "SchemaVersion", "TRANSITION"}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    with tarfile.open(DATA / "graph-0.1.0.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "old.kuzu"


def count(graph: Graph, pattern: str) -> int:
    return int(graph.query(f"MATCH {pattern} RETURN count(*)").rows[0][0])


def test_every_row_and_edge_is_there(old: Path) -> None:
    with graphvine.open(old) as graph:
        nodes = {name: count(graph, f"(a:{name})") for name in EXPECTED["nodes"]}
        edges = {name: count(graph, f"()-[a:{name}]->()") for name in EXPECTED["relationships"]}
        states = {one.pipeline: {name: n for name, n in one.states.items() if n} for one in graph.status()}
        assert [finding for finding in graph.doctor() if not finding.ok] == []
    for found, key in ((nodes, "nodes"), (edges, "relationships")):
        assert {k: v for k, v in found.items() if k not in REDRAWN} == {
            k: v for k, v in EXPECTED[key].items() if k not in REDRAWN
        }
    # Opening reclaims what a dead process of this machine held: the two pages that were being scraped.
    # Sections had no queue: what has a vector, or will have none, rests.
    assert states.pop("section") == {"embedded": EXPECTED["nodes"]["Section"]}
    assert states.pop("vector") == {}
    assert states == EXPECTED["states"] | {"scrape_item": {"completed": 2, "idle": 2}}


def test_searches_find_what_they_found(old: Path) -> None:
    with graphvine.open(old) as graph:
        found = [hit.article for hit in graph.search("tendrils", mode="text", limit=3)]
        item = graph.query("MATCH (i:HNItem) WHERE i.title IS NOT NULL RETURN i.hnId, i.title ORDER BY i.hnId").rows[0]
        hits = [hit.item.id for hit in graph.hn.search(str(item[1])).found]
        indexes = {one.check: one.detail for one in graph.doctor() if one.check.startswith("search ")}
    assert found == EXPECTED["search"]["tendrils"]
    assert item[0] in hits
    # The searches rebuilt the indexes, which 0.1.0 wrote with other fields.
    assert set(indexes) == {f"search {name}" for name in ("article", "hn_item", "news_article", "scrape_item")}
    assert all("in step with the graph" in detail for detail in indexes.values()), indexes


def test_the_work_goes_on(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHVINE_WIKIPEDIA_EMBEDDER", "none")
    with graphvine.open(old) as graph:
        graph.reap("article", timeout_seconds=0.001)
        summary = graph.grow([], source="sample", depth=2)
        assert summary.states.get("claimed", 0) == 0
        assert summary.states["processed"] > EXPECTED["states"]["article"]["processed"]
