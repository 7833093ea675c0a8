"""The forms in which people have items: accepted whole with the form's name, or refused in a sentence."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import Any

import pytest

from graphvine.graph import Graph
from graphvine.workers.hn.ingest.forms import BY_ID, HITS, POST, ROWS, TREES, UnknownForm, items_of
from graphvine.workers.hn.ingest.ingest import Taken
from tests.pipelines.hn.looking import edges, row

TREE = {
    "id": 1, "created_at": "2014-05-13T16:53:20.000Z", "created_at_i": 1_400_000_000, "type": "story", "author": "pg",
    "title": "Hello", "url": "http://a.org", "text": None, "points": 7, "parent_id": None, "story_id": 1, "options": [],
    "children": [
        {"id": 3, "type": "comment", "author": "jl", "created_at_i": 1_400_000_200, "text": "b", "points": None,
         "parent_id": 1, "story_id": 1, "options": [], "children": [
            {"id": 4, "type": "comment", "author": "pg", "created_at_i": 1_400_000_300, "text": "c", "parent_id": 3,
             "story_id": 1, "options": [], "children": []}]},
        {"id": 2, "type": "comment", "author": "sama", "created_at_i": 1_400_000_100, "text": "a", "parent_id": 1,
         "story_id": 1, "options": [], "children": []},
    ],
}  # fmt: skip
HIT = {
    "objectID": "5", "author": "pg", "title": "Vines", "url": "http://b.org", "points": 9, "num_comments": 2,
    "created_at": "2014-05-13T16:53:20Z", "created_at_i": 1_400_000_000, "_tags": ["story", "author_pg", "story_5"],
    "_highlightResult": {"title": {"value": "<em>Vines</em>"}}, "children": [6, 7],
}  # fmt: skip
REPLY = {
    "objectID": "6", "author": "jl", "comment_text": "yes", "parent_id": 5, "story_id": 5, "created_at_i": 1_400_000_100,
    "_tags": ["comment", "author_jl", "story_5"],
}  # fmt: skip


def forms(value: Any) -> tuple[Counter[str], list[Any]]:
    found = list(items_of(value))
    return Counter(form for form, _ in found), [item for _, item in found]


def test_a_tree_of_algolia_is_all_of_its_items(graph: Graph) -> None:
    taken = graph.hn.add(TREE)
    assert taken == Taken(new=4) and taken.forms == {TREES: 4}
    assert edges(graph) == [(1, 2), (1, 3), (3, 4)]
    assert (row(graph, 1)["by"], row(graph, 1)["score"], row(graph, 1)["time"]) == ("pg", 7, 1_400_000_000)
    assert [child.id for child in graph.hn.thread(1).children] == [3, 2], "in the order of the tree"


def test_hits_of_algolia(graph: Graph) -> None:
    taken = graph.hn.add({"hits": [HIT, REPLY], "nbHits": 2})
    assert taken == Taken(new=2) and taken.forms == {HITS: 2}
    story = row(graph, 5)
    assert (story["type"], story["by"], story["descendants"], story["score"]) == ("story", "pg", 2, 9)
    assert "_highlightResult" not in (story["extra"] or "") and edges(graph) == [(5, 6)]


@pytest.mark.parametrize(
    "given",
    [
        {"id": "8863", "by": "d", "time": "1175714200", "timestamp": "2007-04-04 19:16:40 UTC", "score": "104",
         "type": "story", "title": "App", "dead": "false", "descendants": "71"},
        {"id": 8863, "by": "d", "timestamp": "2007-04-04 19:16:40 UTC", "score": 104, "type": "story", "title": "App",
         "descendants": 71, "dead": False},
        {"id": 8863.0, "by": "d", "time": 1175714200.0, "score": 104.0, "type": "story", "title": "App", "dead": 0,
         "descendants": 71, "kids": "", "parent": None, "text": ""},
    ],
)  # fmt: skip
def test_rows_of_databases(graph: Graph, given: dict[str, Any]) -> None:
    taken = graph.hn.add([given])
    assert taken == Taken(new=1) and taken.forms == {ROWS: 1}
    item = row(graph, 8863)
    found = [item[name] for name in ("by", "time", "score", "title", "dead", "descendants")]
    assert found == ["d", 1_175_714_200, 104, "App", False, 71]


@pytest.mark.parametrize("kids", ["[9224, 8917]", "9224,8917", "9224 8917", '["9224", "8917"]'])
def test_lists_as_text(kids: str) -> None:
    assert forms({"id": 1, "type": "story", "kids": kids})[1][0]["kids"] == [9224, 8917]


def test_items_under_their_ids(graph: Graph) -> None:
    taken = graph.hn.add({"1": {"type": "story", "title": "x"}, "2": {"id": 2, "type": "comment", "parent": 1}})
    assert taken == Taken(new=2) and taken.forms == {BY_ID: 2} and edges(graph) == [(1, 2)]
    with pytest.raises(UnknownForm, match="the one under 1 says that its id is 7"):
        forms({"1": {"id": 7, "type": "story"}})


def test_a_post_with_its_comments(graph: Graph) -> None:
    comments = [
        {"id": 2, "text": "a", "by": "x", "replies": [{"id": 3, "text": "b", "by": "y"}]},
        {"id": 4, "text": "c"},
    ]
    taken = graph.hn.add({"post": {"id": 1, "title": "x", "type": "story"}, "comments": comments})
    assert taken == Taken(new=4) and taken.forms == {POST: 4}
    assert edges(graph) == [(1, 2), (1, 4), (2, 3)]


def test_what_is_not_known_is_rejected_whole_and_in_a_sentence(graph: Graph) -> None:
    broken = {"id": 1, "type": "story", "author": "x", "children": [{"id": 2, "author": "y"}, "three"]}
    taken = graph.hn.add([broken, {"id": 9, "type": "job"}])
    assert taken == Taken(new=1, rejected=1)
    (refused,) = taken.refused
    assert refused.reason == "children of item 1: 'three' is neither an item nor an id"
    assert graph.query("MATCH (a:HNItem) RETURN a.hnId").rows == [[9]]


def test_gzip_and_lines(tmp_path: Any) -> None:
    from graphvine.workers.hn.item_files import BadFile, read_items

    file = tmp_path / "items.gz"
    file.write_bytes(gzip.compress(b'{"id": 1}\n{"id": 2}\n'))
    assert list(read_items([file])) == [{"id": 1}, {"id": 2}]
    file.write_bytes(gzip.compress(json.dumps([{"id": 1}]).encode())[:-6])
    with pytest.raises(BadFile, match="cut or broken"):
        list(read_items([file]))
