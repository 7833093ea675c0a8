"""Values that hold several items: an upload takes in what `hn add` takes in, whole, from every place on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphvine.graph import Graph
from graphvine.workers.hn.ingest.forms import BY_ID, HITS, POST, TREES
from graphvine.workers.uploads.api import Uploads
from graphvine.workers.uploads.decode import Fault, Place
from graphvine.workers.uploads.errors import FileFault
from graphvine.workers.uploads.reader import Items
from tests.acceptance.cli_support import run
from tests.pipelines.hn.looking import edges
from tests.pipelines.uploads.making import ailments, as_array, as_lines, collected, items, packed, small, write
from tests.support.stores import Place as StorePlace


def tree(first: int, deep: int, beside: int = 2) -> dict[str, Any]:
    """A thread as Algolia has it: so many levels, and some more answers on the first."""
    inner: list[Any] = []
    for id in range(first + deep, first, -1):
        inner = [{"id": id, "author": "jl", "created_at_i": id, "type": "comment", "text": f"t{id}", "children": inner}]
    more = [{"id": first + deep + 1 + number, "author": "x", "text": "y", "children": []} for number in range(beside)]
    return {"id": first, "author": "pg", "created_at_i": 7, "type": "story", "title": "t", "children": inner + more}


def hit(id: int) -> dict[str, Any]:
    return {"objectID": str(id), "author": "pg", "title": "t", "created_at_i": 9, "_tags": ["story"]}


def as_objects(values: list[Any]) -> bytes:
    """One after another, each over many lines."""
    return "\n".join(json.dumps(value, indent=2) for value in values).encode()


FORMS: dict[str, tuple[list[Any], str, int]] = {
    "trees": ([tree(1, 3), tree(100, 40), tree(200, 0, 0)], TREES, 6 + 43 + 1),
    "hits": ([{"hits": [hit(1), hit(2)], "nbHits": 2}, {"hits": [hit(3)]}], HITS, 3),
    "under their ids": ([{str(item["id"]): item for item in items(9)}], BY_ID, 9),
    "a post with its comments": ([{"post": items(1)[0], "comments": [{"id": 5, "text": "x"}, {"id": 6}]}], POST, 3),
}  # fmt: skip


@pytest.mark.parametrize("shape", ["array", "lines", "object"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_taken_in_whole(uploads: Uploads, graph: Graph, tmp_path: Path, form: str, shape: str) -> None:
    values, name, count = FORMS[form]
    values = values[:1] if shape == "object" else values
    made = {"array": lambda: as_array(values, 1), "lines": lambda: as_lines(values)}
    data = made.get(shape, lambda: json.dumps(values[0], indent=2).encode())()
    found = uploads.upload(write(tmp_path, packed(data, "zstd")))
    assert (found.state, found.item_form, found.failed_items) == ("completed", name, 0)
    assert len(collected(graph, found.collection_id)) == found.total_items == found.processed_items
    assert found.total_items == count or shape == "object"
    assert ailments(graph) == []


def test_the_answers_of_a_deep_thread_stand_where_they_stood(uploads: Uploads, graph: Graph, tmp_path: Path) -> None:
    found = uploads.upload(write(tmp_path, as_lines([*items(3, first=1_000), tree(1, 100)])))
    assert (found.state, found.processed_items) == ("completed", 106)
    below = [(parent, child) for parent, child in edges(graph) if child < 1_000]
    assert below == sorted([*((id, id + 1) for id in range(1, 101)), (1, 102), (1, 103)])


@pytest.mark.parametrize("chunk", [1, 50, 1_000])
@pytest.mark.parametrize("as_text", [as_lines, as_array, as_objects])
def test_from_every_place_the_rest_is_read(tmp_path: Path, as_text: Any, chunk: int) -> None:
    values = [
        *items(7, first=500),
        tree(1, 12),
        items(1)[0],
        {"hits": []},
        {"hits": [hit(60), hit(61)]},
        {"stories": items(2, first=800)},
        *items(2, 700),
    ]
    with Items(write(tmp_path, as_text(values)), small(chunk_bytes=chunk)) as found:
        batches = list(found.batches(Place()))
        whole = [item for batch in batches for item in batch.items]
        assert sum(count for _, count in found.counts()) == len(whole) == 7 + 15 + 1 + 2 + 2 + 2
        assert [index for batch in batches for index in batch.indexes] == list(range(len(whole)))
        for number, batch in enumerate(batches):
            rest = [item for later in found.batches(batch.next) for item in later.items]
            assert rest == [item for later in batches[number + 1 :] for item in later.items]
        wanted = sorted((batch.indexes[-1], *batch.parts[-1]) for batch in batches)
        assert found.chosen(wanted).items == [whole[index] for index, _, _ in wanted]


def test_a_thread_may_be_longer_than_an_item_and_has_a_limit_too(tmp_path: Path) -> None:
    values = [tree(1, 60), {"id": 900, "type": "story", "title": "x" * 4_000}, *items(2, 700)]
    for as_text in (as_lines, as_array):
        path = write(tmp_path, as_text(values))
        for tree_size, wanted in ((100_000, 63), (3_000, 1)):
            with Items(path, small(max_item_size=2_000, max_tree_size=tree_size)) as found:
                read = [item for part in found.parts() for item in part.items]
                assert len(read) == sum(count for _, count in found.counts()) == wanted + 3
                assert sum(isinstance(item, Fault) for item in read) == (1 if wanted > 1 else 2)


def test_an_object_that_is_too_large_is_refused_in_a_sentence(graph: Graph, tmp_path: Path) -> None:
    uploads = Uploads(graph, small(max_item_size=2_000, max_tree_size=3_000))
    for indent in (None, 1):
        found = uploads.upload(write(tmp_path, json.dumps(tree(1, 60), indent=indent).encode()))
        assert found.validation_errors == [
            "the file is one object of more than 3,000 bytes: write an item a line (JSON Lines), or take it in with"
            " 'graphvine hn add'"
        ]


def test_a_form_that_is_not_known_is_one_failed_item(uploads: Uploads, graph: Graph, tmp_path: Path) -> None:
    broken = {"id": 1, "author": "x", "children": [{"id": 2, "author": "y"}, "three"]}
    found = uploads.upload(write(tmp_path, as_lines([broken, *items(2, 700)])))
    assert (found.state, found.processed_items, found.failed_items) == ("partial_success", 2, 1)
    assert found.processing_errors == ["Item 0: children of item 1: 'three' is neither an item nor an id"]
    assert collected(graph, found.collection_id) == [700, 701]


def test_the_command_names_the_form_of_each_file(place: StorePlace, tmp_path: Path) -> None:
    one = write(tmp_path, as_lines([tree(1, 3)]), "one")
    two = write(tmp_path, json.dumps({"hits": [hit(50)]}).encode(), "two")
    told = run("upload", str(one), str(two), "--graph", str(place.path)).out
    assert "6 of 6 items processed" in told and "(items came as Algolia's trees)" in told
    assert "1 of 1 item processed" in told and "(items came as Algolia's hits)" in told


def test_objects_over_many_lines(uploads: Uploads, graph: Graph, tmp_path: Path) -> None:
    data = as_objects([tree(1, 3), *items(5, 700)])
    found = uploads.upload(write(tmp_path, packed(data, "gzip")))
    assert (found.state, found.format, found.processed_items) == ("completed", "objects", 11)
    cut = uploads.upload(write(tmp_path, as_objects(items(5, 800))[:-30], "cut"))
    assert (cut.state, cut.processed_items, cut.failed_items) == ("partial_success", 4, 1)
    assert cut.processing_errors[0].startswith("Item 4: not JSON")
    with (
        Items(write(tmp_path, data, "long"), small(max_item_size=50, max_tree_size=100)) as read,
        pytest.raises(FileFault, match="item 0 is longer than 100 bytes"),
    ):
        list(read.values())
