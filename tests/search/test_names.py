"""Names in memory, and the flat query for some of the words: quicker, and the same answers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from graphvine.search import Document, names
from graphvine.search.index import SearchIndex
from graphvine.search.query_parser import read_query
from tests.search.samples import ids, nearest, section, unit_vectors

ROWS = 300


def search_on(index: SearchIndex) -> None:
    """Until the names are in memory."""
    for query in unit_vectors(10, seed=5):
        index.vector(query, snippets=False)
    index.wait()
    assert index._names.ready


@pytest.mark.parametrize("at_once", [7, 5_000])
def test_names_in_memory_are_those_of_the_index(
    index: SearchIndex, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "_AT_ONCE", at_once)
    vectors = unit_vectors(ROWS)
    index.apply([section(n, vector=vectors[n], seq=1_000 + n) for n in range(ROWS)], [], 1)
    before = [index.vector(query, snippets=False) for query in unit_vectors(20, seed=99)]
    search_on(index)
    assert [index.vector(query, snippets=False) for query in unit_vectors(20, seed=99)] == before


def test_what_changes_after_they_were_read_is_found_by_its_name(index: SearchIndex) -> None:
    vectors = unit_vectors(ROWS)
    index.apply([section(n, vector=vectors[n]) for n in range(200)], [], 1)
    search_on(index)
    moved = {n: vectors[(n + 1) % 50] for n in range(50)}
    index.apply(
        [section(n, vector=vectors[n]) for n in range(200, ROWS)] + [section(n, vector=v) for n, v in moved.items()],
        [("section", str(n)) for n in range(100, 150)], 2,
    )  # fmt: skip
    now = vectors.copy()
    now[list(moved)] = list(moved.values())
    among = [n for n in range(ROWS) if not 100 <= n < 150]
    for query in unit_vectors(20, seed=99):
        wanted = nearest(now, query, 10, among)
        assert ids(index.vector(query, snippets=False)) == wanted
        assert ids(index.vector(query, snippets=False)) == wanted  # and once more, when it is remembered
        assert ids(index.vector(query, None, {"id": wanted}, snippets=False)) == wanted


def test_where_ids_are_numbers_no_document_is_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SearchIndex(tmp_path / "g.index", named_by_number="item", background=False) as index:
        index.apply([Document("item", str(n), n, {"body": f"word{n % 3} wine"}) for n in range(1, 31)], [], 1)
        monkeypatch.setattr(names, "name_of", pytest.fail)
        found = index.text("wine", snippets=False, limit=30).hits
        assert {(hit.kind, hit.id, hit.seq) for hit in found} == {("item", str(n), n) for n in range(1, 31)}


def test_the_flat_query_scores_as_the_plain_one(index: SearchIndex) -> None:
    chance, words = random.Random(1), [f"word{n}" for n in range(30)]
    weights = [1 / (rank + 1) for rank in range(30)]

    def some(most: int) -> str:
        return " ".join(chance.choices(words, weights, k=chance.randrange(1, most)))

    index.apply([section(n, some(40), title=some(6) if n % 3 else "") for n in range(600)], [], 1)
    searching = index._searching()
    searcher = searching._snapshot.searcher
    for query in (
        "word0 word1 word9",
        "word3 word12 -word1",
        '"word0 word1" word25',
        "word0",
        *(some(9) for _ in range(40)),
    ):
        clauses = read_query(query, searching._index.analysis)
        plain = searcher.search(searching._index.asking.matching(clauses, all_words=False), limit=600).hits
        wanted = {(address.segment_ord, address.doc): score for score, address in plain}
        found = searching._by_text(query, None, None, 600, 0, "relevance", any_word=True)
        got = {(address.segment_ord, address.doc): score for score, address in found.scored}
        assert got == pytest.approx(wanted, rel=1e-4)
        assert found.total == len(wanted)
