"""The forms in which people have items: accepted whole with the form's name, or refused in a sentence."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.graph import Graph
from graphvine.workers.hn.ingest.forms import (
    BY_ID,
    HITS,
    NODE,
    POST,
    ROWS,
    TREES,
    UnknownForm,
    converted,
    items_of,
    one_item,
)
from graphvine.workers.hn.ingest.ingest import Taken
from graphvine.workers.hn.ingest.item import UNREADABLE
from graphvine.workers.hn.item_files import BadFile, read_items
from tests.pipelines.hn.looking import edges, row
from tests.pipelines.uploads.making import zstd

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
        {"id": "8863", "by": "d", "author": "d", "time": "1175714200", "time_ts": "2007-04-04 19:16:40 UTC",
         "score": "104", "title": "App", "text": None, "deleted": None, "dead": "false", "descendants": "71"},
    ],
)  # fmt: skip
def test_rows_of_databases(graph: Graph, given: dict[str, Any]) -> None:
    taken = graph.hn.add([given])
    assert taken == Taken(new=1) and taken.forms == {ROWS: 1}
    item = row(graph, 8863)
    found = [item[name] for name in ("by", "time", "score", "title", "dead", "descendants")]
    assert found == ["d", 1_175_714_200, 104, "App", False, 71]


@pytest.mark.parametrize("given", [
    {"id": 5, "type": "story", "title": "x", "score": "7", "dead": 0, "kids": "[6]"},
    {"id": 5, "by": "a", "author": "a", "time_ts": "2007-04-04 19:16:40 UTC", "title": "x"},
])  # fmt: skip
def test_an_upload_reads_rows_as_hn_add_does(given: dict[str, Any]) -> None:
    assert one_item(given) == forms(given)[1][0] != given


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"id": "7", "title": "x", "author": "a", "num_points": "386", "num_comments": "52", "created_at": "8/4/2016 11:52"},
         {"id": 7, "type": "story", "by": "a", "score": 386, "descendants": 52}),
        ({"id": "8", "type": "pollopt", "parent": "7", "text": "x", "score": "4"}, {"type": "pollopt", "poll": 7, "score": 4}),
        ({"id": 8, "type": "pollopt", "parent": 7, "text": "x"}, {"type": "pollopt", "poll": 7}),
        ({"id": 9, "type": "story", "title": "x", "time": "2008-04-11T04:02:56Z"}, {"time": 1_207_886_576}),
    ],
)  # fmt: skip
def test_tables_that_people_share(given: dict[str, Any], wanted: dict[str, Any]) -> None:
    for item in (forms(given)[1][0], one_item(given)):
        assert {name: item.get(name) for name in wanted} == wanted
        assert "parent" not in item


def test_items_of_node_hnapi(graph: Graph) -> None:
    below = [{"id": 3, "level": 1, "user": "pg", "time": 1_400_000_200, "content": "<p>c", "comments": []}]
    comments = [{"id": 2, "level": 0, "user": "jl", "time": 1_400_000_100, "content": "<p>b", "type": "comment",
                 "time_ago": "1 hour ago", "comments": below}]  # fmt: skip
    post = {"id": 1, "title": "x", "points": 9, "user": "pg", "time": 1_400_000_000, "time_ago": "2 hours ago",
            "type": "link", "url": "http://a.org", "domain": "a.org", "comments_count": 2, "comments": comments}  # fmt: skip
    other = {
        "id": 5,
        "title": "y",
        "points": 3,
        "user": "jl",
        "time": 1_400_000_000,
        "type": "ask",
        "comments_count": 0,
    }
    taken = graph.hn.add([post, other])
    assert taken == Taken(new=4) and taken.forms == {NODE: 4} and edges(graph) == [(1, 2), (2, 3)]
    found = [row(graph, 1)[name] for name in ("type", "by", "score", "descendants", "url")]
    assert found == ["story", "pg", 9, 2, "http://a.org"]
    assert (row(graph, 3)["text"], row(graph, 3)["by"], row(graph, 5)["type"]) == ("<p>c", "pg", "story")


@pytest.mark.parametrize("kids", [["9224", "8917"], "[9224, 8917]", "9224,8917", "9224 8917", '["9224", "8917"]'])
def test_lists_as_text(kids: Any) -> None:
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


@pytest.mark.parametrize(
    ("first", "wanted"),
    [
        (b'{"id": 1, "title": "a \\ud83d b"}', {"id": 1, "title": "a \ud83d b"}),
        (b'{"id": 1, "score": NaN}', {UNREADABLE: "line 1: not JSON: NaN is no number of JSON"}),
        (b'{"id": 1, "title": "\xe9"}', {UNREADABLE: "line 1: not UTF-8: byte 20 can't be read"}),
        (b"[1, 2]", [1, 2]),
    ],
)
def test_a_first_line_that_can_not_be_read_costs_nothing_else(tmp_path: Any, first: bytes, wanted: Any) -> None:
    file = tmp_path / "items"
    file.write_bytes(first + b'\n{"id": 2}\n{"id": 3, "title": "\\ud83d"}')
    assert list(read_items([file])) == [wanted, {"id": 2}, {"id": 3, "title": "\ud83d"}]


def test_a_file_that_is_none_is_refused_in_a_sentence(tmp_path: Any) -> None:
    file = tmp_path / "items"
    for data, said in (
        ("{}".encode("utf-16"), "UTF-16"),
        (b"id,title\n1,x\n", "neither JSON nor"),
        (b" \n", "nothing in it"),
    ):
        file.write_bytes(data)
        with pytest.raises(BadFile, match=said):
            list(read_items([file]))
    file.write_bytes(b'{"id": 1, "children": ' + b"[" * 3_000 + b"]" * 3_000 + b"}")
    with pytest.raises(BadFile, match="nested too deep to be read: give an item a line"):
        list(read_items([file]))


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_packed_files_and_lines(tmp_path: Any, pack: Callable[[bytes], bytes]) -> None:
    file = tmp_path / "items"
    file.write_bytes(pack(b'{"id": 1}\n{"id": 2}\n') + pack(b'{"id": 3}\n'))
    assert list(read_items([file])) == [{"id": 1}, {"id": 2}, {"id": 3}]
    file.write_bytes(pack(json.dumps([{"id": 1}]).encode())[:-3])
    with pytest.raises(BadFile, match="the file is cut"):
        list(read_items([file]))


PRETTY = [
    TREE,
    {"id": 7, "type": "job", "title": 'a } and { in "text" \\'},
    {"id": 8, "kids": [1, 2], "extra": {"a": [{}]}},
]


@pytest.mark.parametrize("indent", [None, 1, 4])
@pytest.mark.parametrize("between", ["", "\n", "\r\n\r\n"])
def test_objects_over_many_lines_one_after_another(tmp_path: Any, indent: int | None, between: str) -> None:
    file = tmp_path / "items"
    file.write_bytes(gzip.compress(between.join(json.dumps(one, indent=indent) for one in PRETTY).encode()))
    assert list(read_items([file])) == PRETTY


def test_an_object_over_many_lines_that_can_not_be_read_is_named(tmp_path: Any) -> None:
    file = tmp_path / "items"
    whole = json.dumps(PRETTY[1], indent=2)
    file.write_text(f'{whole}\n{{\n "id": nine\n}}\n{whole}\nand\n{whole}\n{whole[:20]}')
    first, bad, second, odd, cut = read_items([file])
    assert first == second == PRETTY[1]
    assert bad[UNREADABLE].startswith("object 2: not JSON") and odd[UNREADABLE].startswith("object 4: not JSON")
    assert cut[UNREADABLE].startswith("object 5: not JSON")


NAMES = ["id", "type", "by", "kids", "dead", "time", "title", "user", "author", "time_ago", "children", "timestamp", "poll",
         "parent", "objectID", "comments", "options", "x"]  # fmt: skip
VALUES = st.sampled_from([None, True, 0, 7, 8.0, "7", "story", "pollopt", "", [], [7], ["7"], [{"id": 9}], {"id": 9}])


@given(st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_the_short_way_gives_what_the_long_way_gives(value: dict[str, Any]) -> None:
    try:
        wanted = list(items_of(value))
    except UnknownForm:
        wanted = []
    counted: Counter[str] = Counter()
    found = list(converted([value], counted))
    assert found == [item for _, item in wanted] or (not wanted and UNREADABLE in found[0])
    assert counted == Counter(form for form, _ in wanted)


STORY = {"id": 100, "type": "story", "by": "ann", "time": 1_500_000_000, "title": "Vines", "kids": [101]}
OTHER = {**STORY, "id": 200}


@pytest.mark.parametrize(
    "value",
    [
        {"stories": [STORY, OTHER], "updated": "2020-01-01"},
        {"top": [STORY], "new": [OTHER]},
        {"data": {"hn": {"topStories": [STORY, OTHER]}}},
        {"0": STORY, "1": OTHER, "cachedAt": {"date": "2017-07-23", "timezone": "UTC"}},
        {"data": {"0": STORY, "1": OTHER}},
    ],
)
def test_items_in_lists_of_any_name(value: Any) -> None:
    assert forms(value)[1] == [STORY, OTHER]


@pytest.mark.parametrize("value", [{"title": "no id", "stories": [STORY]}, {"a": {"x": 1}, "b": {"stories": [STORY]}}])
def test_what_may_hold_more_than_its_lists_is_not_taken_for_them(value: Any) -> None:
    assert forms(value)[1] == [value]


def test_a_whole_user_stands_for_the_name_and_other_names_for_the_time() -> None:
    given = {
        "id": "100",
        "title": "Vines",
        "by": {"id": "ann", "karma": 3},
        "timeISO": "2017-07-14T02:40:00.000Z",
        "text": None,
    }
    (item,) = forms({"hn": {"topStories": [given]}})[1]
    assert (item["id"], item["by"], item["time"], item["type"]) == (100, "ann", 1_500_000_000, "story")
    assert forms({**STORY, "by": {"id": "ann"}})[1] == [STORY]
