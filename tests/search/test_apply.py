"""Taking documents in: all of a batch or nothing of it, again and again to the same end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphvine.search import (
    BadDocument,
    Document,
    IndexBusy,
    IndexClosed,
    IndexFields,
    SearchError,
    StampWentBack,
    UnknownField,
    open_index,
)  # fmt: skip
from graphvine.search.index import SearchIndex
from tests.search.samples import DIMENSION, ids, section, unit_vectors


def test_a_new_index_is_empty_and_at_zero(index: SearchIndex) -> None:
    assert index.stamp == 0
    assert index.count() == 0
    assert index.text("anything").hits == ()
    assert index.text("").total == 0
    assert index.vector(np.ones(DIMENSION)).hits == ()
    assert index.hybrid("anything", np.ones(DIMENSION)).hits == ()


def test_what_was_applied_is_found_at_once_and_after_opening_again(tmp_path: Path) -> None:
    vectors = unit_vectors(3)
    with SearchIndex(tmp_path, DIMENSION) as index:
        index.apply([section(n, f"word{n} common", vector=vectors[n]) for n in range(3)], [], 17)
        before = (index.stamp, index.count(), ids(index.text("word1")), ids(index.vector(vectors[2], limit=1)))
    with SearchIndex(tmp_path, DIMENSION) as index:
        after = (index.stamp, index.count(), ids(index.text("word1")), ids(index.vector(vectors[2], limit=1)))
    assert before == after == (17, 3, ["1"], ["2"])


def test_a_later_document_replaces_its_namesake(index: SearchIndex) -> None:
    vectors = unit_vectors(2)
    index.apply([section(1, "old words", vector=vectors[0], author="ann")], [], 1)
    index.apply([section(1, "new words", vector=vectors[1], author="ben")], [], 2)
    assert index.count() == 1
    assert ids(index.text("old")) == []
    assert ids(index.text("new")) == ["1"]
    assert index.count(filters={"author": "ann"}) == 0
    (hit,) = index.vector(vectors[1]).hits
    assert hit.score == pytest.approx(1)
    index.apply([section(1, "without a vector")], [], 3)
    assert index.vector(vectors[1]).hits == ()


def test_kinds_keep_their_ids_apart(index: SearchIndex) -> None:
    index.apply([Document("a", "1", 1, {"body": "x"}), Document("b", "1", 1, {"body": "x"})], [], 1)
    index.apply([], [("a", "1")], 2)
    assert [(hit.kind, hit.id) for hit in index.text("x").hits] == [("b", "1")]
    assert (index.count("a"), index.count("b"), index.count(["a", "b"]), index.count([])) == (0, 1, 1, 0)


def test_deletions_come_before_the_documents_of_their_batch(index: SearchIndex) -> None:
    index.apply([section(1, "first")], [], 1)
    index.apply([section(1, "second")], [("section", "1"), ("section", "never there")], 2)
    assert ids(index.text("second")) == ["1"]


def test_the_last_of_several_namesakes_in_a_batch_stays(index: SearchIndex) -> None:
    vectors = unit_vectors(3)
    index.apply([section(1, f"body{n}", vector=vectors[n]) for n in range(3)], [], 1)
    assert index.count() == 1
    assert ids(index.text("body2")) == ["1"]
    (hit,) = index.vector(vectors[2]).hits
    assert hit.score == pytest.approx(1)


def test_applying_a_batch_again_changes_nothing(index: SearchIndex) -> None:
    vectors = unit_vectors(20)
    batch = [section(n, f"word{n}", vector=vectors[n]) for n in range(20)]
    for _ in range(3):
        index.apply(batch, [("section", "gone")], 5)
    assert index.count() == 20
    assert index.stamp == 5
    assert sorted(ids(index.vector(vectors[0], limit=100)), key=int) == [str(n) for n in range(20)]


def test_a_stamp_alone_is_kept(tmp_path: Path) -> None:
    with SearchIndex(tmp_path, DIMENSION) as index:
        index.apply([], [], 9)
    with SearchIndex(tmp_path, DIMENSION) as index:
        assert index.stamp == 9
        assert index.count() == 0


def test_a_stamp_that_goes_back_is_refused(index: SearchIndex) -> None:
    index.apply([section(1, "x")], [], 5)
    with pytest.raises(StampWentBack, match=r"stamp 5, the graph at 4.*graphvine reindex"):
        index.apply([section(2, "x")], [], 4)
    assert index.count() == 1


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (section("", "x"), "id"),
        (section("a\0b", "x"), "id"),
        (section("x" * 9000, "x"), "id"),
        (section("\ud800", "x"), "id"),
        (Document("", "1", 1), "kind"),
        (Document("k", "1", 2**63), "seq"),
        (Document("k", "1", 1, {"body": 7}), "body"),  # type: ignore[dict-item]
        (section(1, score="high"), "score"),
        (section(1, score=2**63), "score"),
        (section(1, score=True), "score"),
        (section(1, author=7), "author"),
        (section(1, author=["ann", 7]), "author"),
        (section(1, author="\udfff"), "author"),
        (section(1, vector=[1.0]), "vector"),
        (section(1, vector=[float("nan")] * DIMENSION), "vector"),
        (section(1, vector=[float("inf")] * DIMENSION), "vector"),
        (section(1, vector="text"), "vector"),
    ],
)
def test_a_bad_document_is_named_and_nothing_of_its_batch_is_kept(
    index: SearchIndex, bad: Document, field: str
) -> None:
    vector = unit_vectors(1)[0]
    index.apply([section(1, "kept", vector=vector)], [], 1)
    with pytest.raises(BadDocument) as refused:
        index.apply([section(1, "lost", vector=-vector), section(2, "lost", vector=vector), bad], [("section", "1")], 2)
    assert refused.value.field == field
    assert (index.stamp, index.count(), ids(index.text("lost"))) == (1, 1, [])
    assert [hit.score for hit in index.vector(vector).hits] == [pytest.approx(1)]
    index.apply([section(2, "then", vector=-vector)], [], 2)
    assert ids(index.vector(-vector)) == ["2", "1"]


@pytest.mark.parametrize("seq", [-(2**63), 0, 2**63 - 1])
@pytest.mark.parametrize("id", ["1", "é" * 4096, "x" * 8192])
def test_what_is_only_just_sound_goes_in(index: SearchIndex, id: str, seq: int) -> None:
    given = Document("hn_item", id, seq, {"body": "ü\0"}, {"score": -(2**63), "author": "日本", "topic": ["a", "ß"]})
    index.apply([], [], 1, new_texts=[given])
    assert index.count() == 1


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (Document("hn_item", "x" * 8193, 1), "id"),
        (Document("hn_item", "é" * 4097, 1), "id"),
        (Document("hn_item", "a\0b", 1), "id"),
        (Document("", "1", 1), "kind"),
        (Document("hn_item", "1", 2**63), "seq"),
        (Document("hn_item", "1", True), "seq"),
        (Document("hn_item", "1", 1, {"body": 7}), "body"),  # type: ignore[dict-item]
        (Document("hn_item", "1", 1, {}, {"score": True}), "score"),
        (Document("hn_item", "1", 1, {}, {"score": -(2**63) - 1}), "score"),
        (Document("hn_item", "1", 1, {}, {"score": "7"}), "score"),
        (Document("hn_item", "1", 1, {}, {"author": 7}), "author"),
        (Document("hn_item", "1", 1, {}, {"author": "x" * 8193}), "author"),
        (Document("hn_item", "1", 1, {}, {"author": "\ud800"}), "author"),
    ],
)
def test_new_texts_are_looked_at_as_closely(index: SearchIndex, bad: Document, field: str) -> None:
    with pytest.raises(BadDocument) as refused:
        index.apply([], [], 1, new_texts=[bad])
    assert (refused.value.field, index.stamp, index.count()) == (field, 0, 0)


def test_new_texts_are_found_like_any_other(tmp_path: Path) -> None:
    """Those that go in as JSON, those with other letters, and those with several words in a field."""
    made = [
        Document(
            "hn_item", "1", 1, {"title": 'On "graphs"', "body": "Nodes\n\tand \\ edges"}, {"author": "ann", "score": 7}
        ),
        Document("hn_item", "2", 2, {"body": "Gödel's nodes\0"}, {"author": "ben", "time": -5, "type": "comment"}),
        Document("hn_item", "3", 3, {"body": "事実 nodes"}, {"topic": ["a", "b"], "score": 2**63 - 1}),
        Document("hn_item", "4", 4, {}, {"site": "a.org"}),
    ]
    answers = []
    for name in ("changed", "new"):
        with SearchIndex(tmp_path / name, DIMENSION, background=False) as index:
            index.apply(made if name == "changed" else [], [], 4, new_texts=made if name == "new" else [])
            questions = [index.text(words) for words in ("nodes", "godel", "事実", "graphs", "edges", "")]
            narrow = [index.text("", filters=f) for f in ({"author": "ann"}, {"score": 2**63 - 1}, {"topic": "b"})]
            answers.append((questions, narrow, index.facets("", names=["author", "type"]), index.count("hn_item")))
    assert answers[0] == answers[1]
    assert ids(answers[1][0][0]) and answers[1][3] == 4


def test_unknown_fields_are_named(index: SearchIndex) -> None:
    with pytest.raises(UnknownField, match="did you mean 'author'"):
        index.apply([section(1, auther="ann")], [], 1)
    with pytest.raises(UnknownField):
        index.apply([Document("k", "1", 1, {"headline": "x"})], [], 1)
    with pytest.raises(UnknownField):
        index.text("x", filters={"nothing": "y"})
    with pytest.raises(UnknownField):
        index.text("x", sort="-nothing")


def test_documents_that_end_in_an_error_leave_nothing(index: SearchIndex) -> None:
    def broken() -> Iterator[Document]:
        for number in range(1200):
            yield section(number, "x", vector=unit_vectors(1)[0])
        raise OSError("the source went away")

    with pytest.raises(OSError, match="went away"):
        index.apply(broken(), [], 1)
    assert (index.stamp, index.count()) == (0, 0)
    assert index.vector(unit_vectors(1)[0]).hits == ()


def test_clear_forgets_everything(tmp_path: Path) -> None:
    vector = unit_vectors(1)[0]
    with SearchIndex(tmp_path, DIMENSION) as index:
        index.apply([section(1, "x", vector=vector)], [], 8)
        index.clear()
        assert (index.stamp, index.count(), index.vector(vector).hits) == (0, 0, ())
        index.apply([section(2, "y", vector=vector)], [], 3)
    with SearchIndex(tmp_path, DIMENSION) as index:
        assert (index.stamp, index.count(), ids(index.vector(vector))) == (3, 1, ["2"])


def test_a_dimension_may_come_later(tmp_path: Path) -> None:
    with SearchIndex(tmp_path) as index:
        index.apply([section(1, "text only")], [], 1)
        with pytest.raises(BadDocument, match="without a dimension"):
            index.apply([section(2, "x", vector=[1.0])], [], 2)
        with pytest.raises(SearchError, match="without a dimension"):
            index.vector([1.0])
    with SearchIndex(tmp_path, DIMENSION) as index:
        index.apply([section(2, "x", vector=np.ones(DIMENSION))], [], 2)
    with SearchIndex(tmp_path) as index:
        assert (index.dimension, index.count(), ids(index.vector(np.ones(DIMENSION)))) == (DIMENSION, 2, ["2"])


def test_one_at_a_time_has_it_open(tmp_path: Path) -> None:
    with SearchIndex(tmp_path, DIMENSION) as index:
        with pytest.raises(IndexBusy):
            SearchIndex(tmp_path, DIMENSION)
        index.apply([section(1, "x")], [], 1)
    open_index(tmp_path, DIMENSION).close()


def test_after_close_it_says_so(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path, DIMENSION)
    index.close()
    index.close()
    calls: list[Any] = [
        lambda: index.text("x"),
        lambda: index.apply([], [], 1),
        lambda: index.count(),
        lambda: index.clear(),
        lambda: index.maintain(),
    ]
    for call in calls:
        with pytest.raises(IndexClosed):
            call()


@pytest.mark.parametrize(
    "fields",
    [IndexFields(texts=()), IndexFields(words=("seq",)), IndexFields(words=("title",)), IndexFields(words=("a b",))],
)
def test_fields_that_collide_are_refused(tmp_path: Path, fields: IndexFields) -> None:
    with pytest.raises(SearchError, match="can't have the fields"):
        SearchIndex(tmp_path, fields=fields)


def test_zero_vectors_and_huge_ones_are_taken(index: SearchIndex) -> None:
    index.apply([section(1, vector=np.zeros(DIMENSION)), section(2, vector=np.full(DIMENSION, 3e38))], [], 1)
    hits = index.vector(np.ones(DIMENSION)).hits
    assert [(hit.id, pytest.approx(hit.score)) for hit in hits] == [("2", 1.0), ("1", 0.0)]


def test_a_closed_index_holds_no_files_but_those_of_its_segments(tmp_path: Path) -> None:
    """What a merge had written when it was dropped took as much room as what it was to replace."""
    with SearchIndex(tmp_path) as index:
        for batch in range(8):  # as many as are merged: the last begins it
            numbers = range(batch * 2_000, (batch + 1) * 2_000)
            index.apply([], [], batch + 1, new_texts=[section(n, f"word{n} {n % 97} common") for n in numbers])
    folder = tmp_path / "text"
    known = {one["segment_id"].replace("-", "") for one in json.loads((folder / "meta.json").read_text())["segments"]}
    files = {path.name.partition(".")[0] for path in folder.iterdir() if not path.name.startswith((".", "meta"))}
    assert files == known and len(known) < 8
