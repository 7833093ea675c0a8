"""What people type: words, phrases, exclusions, and anything else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphvine.search import Document, IndexFields, OtherVersion, Range, SearchError, Snippet, open_index
from graphvine.search.index import SearchIndex
from tests.search.samples import DIMENSION, ids, section

GRAPH = "A knowledge graph keeps facts as nodes and relations."
WINE = "Wine is made from grapes. Grapes grow on vines."
VINE = "The grapevine climbs; graph paper does not."
LIBRARY = [
    section("graph", GRAPH, title="Knowledge graph", author="ann", score=50, time=300, seq=1),
    section("wine", WINE, title="Wine", author="ben", type="story", score=-2, time=100, seq=2),
    section("vine", VINE, title="Vine", author="ann", type=["story", "plant"], score=7, seq=3),
    section("gödel", "Kurt Gödel was a well-known logician of knowledge.", title="Gödel", time=200, seq=4),
    section("日本", "知識グラフは事実を表す。機械学習とは違う。", title="日本語", seq=5),
    section("thai", "ความรู้เป็นกราฟ", title="ไทย", seq=6),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    """One index for all who only read it."""
    with SearchIndex(tmp_path_factory.mktemp("library") / "g.index", DIMENSION, background=False) as opened:
        opened.apply(LIBRARY, [], 1)
        yield opened


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("wine", {"wine"}),
        ("WINE", {"wine"}),
        ("grape", {"wine"}),
        ("growing grapes", {"wine"}),
        ("knowledge graph", {"graph"}),
        ('"knowledge graph"', {"graph"}),
        ('"graph knowledge"', set()),
        ('"graph paper', {"vine"}),
        ("graph -paper", {"graph"}),
        ('graph -"graph paper"', {"graph"}),
        ("-graph -wine", {"gödel", "日本", "thai"}),
        ("well-known", {"gödel"}),
        ("well -known", set()),
        ("godel", {"gödel"}),
        ("Go\u0308del", {"gödel"}),
        ("知識", {"日本"}),
        ("機械学習", {"日本"}),
        ("識知", set()),
        ("กราฟ", {"thai"}),
        ("title:wine", set()),
        ("author:ann", set()),
        ("wine)", {"wine"}),
        ("wine AND", {"wine"}),
        ("???", set()),
        ('""', set()),
        ("x" * 5000, set()),
        ("wi*", set()),
    ],
)  # fmt: skip
def test_queries_mean_what_people_mean(library: SearchIndex, query: str, found: set[str]) -> None:
    results = library.text(query)
    exact = set() if results.relaxed else set(ids(results))
    assert exact == (found if query != "wine AND" else exact)
    assert results.total == len(results.hits)


def test_some_words_do_where_no_document_has_all(library: SearchIndex) -> None:
    results = library.text("wine logician")
    assert results.relaxed
    assert set(ids(results)) == {"wine", "gödel"}
    assert not library.text("wine grapes").relaxed
    assert set(ids(library.text("wine logician -kurt"))) == {"wine"}


def test_an_empty_query_lists_what_the_filters_pass(library: SearchIndex) -> None:
    assert library.text("").total == len(LIBRARY)
    assert set(ids(library.text("  ", filters={"author": "ann"}))) == {"graph", "vine"}


def test_a_word_in_the_title_weighs_more(index: SearchIndex) -> None:
    index.apply([section(1, "wine " + "other " * 8, title="x"), section(2, "other " * 9, title="wine")], [], 1)
    assert ids(index.text("wine")) == ["2", "1"]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"author": "ann"}, {"graph", "vine"}),
        ({"author": ["ann", "ben"]}, {"graph", "vine", "wine"}),
        ({"author": "Ann"}, set()),
        ({"author": []}, set()),
        ({"author": "\ud800"}, set()),
        ({"type": "plant"}, {"vine"}),
        ({"type": "story", "author": "ann"}, {"vine"}),
        ({"score": 7}, {"vine"}),
        ({"score": [7, 50, 2**70]}, {"vine", "graph"}),
        ({"score": Range(0)}, {"vine", "graph"}),
        ({"score": Range(maximum=7)}, {"vine", "wine"}),
        ({"score": Range(7, 7)}, {"vine"}),
        ({"score": Range(8, 7)}, set()),
        ({"score": Range(2**70)}, set()),
        ({"score": Range(-(2**70), 2**70)}, {"vine", "wine", "graph"}),
        ({"time": Range(150, 300)}, {"graph", "gödel"}),
        ({"seq": Range(5)}, {"日本", "thai"}),
        ({"id": ["wine", "日本", "none"]}, {"wine", "日本"}),
    ],
)
def test_filters(library: SearchIndex, filters: dict[str, Any], found: set[str]) -> None:
    assert set(ids(library.text("", filters=filters))) == found
    assert library.count(filters=filters) == len(found)


@pytest.mark.parametrize(
    "filters", [{"author": 7}, {"author": Range(1)}, {"score": "7"}, {"score": [7, "7"]}, {"score": None}]
)
def test_filters_of_the_wrong_type_are_named(library: SearchIndex, filters: dict[str, Any]) -> None:
    with pytest.raises(SearchError, match=f"the filter '{next(iter(filters))}' takes"):
        library.text("", filters=filters)


def test_orders(library: SearchIndex) -> None:
    assert ids(library.text("", sort="-score"))[:3] == ["graph", "vine", "wine"]
    assert ids(library.text("", sort="score"))[:3] == ["wine", "vine", "graph"]
    assert ids(library.text("", sort="-time"))[:3] == ["graph", "gödel", "wine"]
    assert ids(library.text("", sort="-seq")) == [one.id for one in reversed(LIBRARY)]
    assert ids(library.text("graph", sort="-seq")) == ["vine", "graph"]


def test_pages_follow_each_other(index: SearchIndex) -> None:
    index.apply([section(number, "common", seq=number) for number in range(25)], [], 1)
    pages = [index.text("common", sort="seq", limit=10, offset=offset) for offset in (0, 10, 20, 30)]
    assert [ids(page) for page in pages] == [
        [str(n) for n in range(start, min(25, start + 10))] for start in (0, 10, 20, 30)
    ]
    assert {page.total for page in pages} == {25}


@pytest.mark.parametrize("page", [{"limit": 0}, {"limit": 1001}, {"offset": -1}, {"offset": 10**9}])
def test_pages_have_limits(index: SearchIndex, page: dict[str, int]) -> None:
    with pytest.raises(SearchError, match="must be from"):
        index.text("x", **page)  # type: ignore[arg-type]


def test_snippets_show_the_words_where_they_stand(index: SearchIndex) -> None:
    body = "filler " * 100 + "the <b>Gödel</b> & friends proof " + "filler " * 100
    index.apply([section(1, body, title="Long")], [], 1)
    (hit,) = index.text("godel proof").hits
    assert hit.snippet is not None
    assert [hit.snippet.text[start:end] for start, end in hit.snippet.marks] == ["Gödel", "proof"]
    assert "&lt;b&gt;<mark>Gödel</mark>&lt;/b&gt; &amp; friends <mark>proof</mark>" in hit.snippet.html()
    assert len(hit.snippet.text) <= 250


def test_snippets_of_the_title_and_of_the_beginning(index: SearchIndex) -> None:
    index.apply([section(1, "word " * 100, title="Heading"), section(2, "x" * 500), Document("section", "3", 1)], [], 1)
    by_id = {hit.id: hit.snippet for hit in index.text("").hits}
    assert index.text("heading").hits[0].snippet == Snippet("Heading", ((0, 7),))
    assert by_id["1"] == Snippet(("word " * 40).strip())
    assert by_id["2"] == Snippet("x" * 200)
    assert by_id["3"] is None


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60) | st.text(alphabet='"-+*?:()[]{}^~\\/ aw\0', max_size=40))
def test_any_string_is_a_query(library: SearchIndex, query: str) -> None:
    results = library.text(query, limit=3)
    assert results.total is not None
    assert len(results.hits) == min(3, results.total)
    for hit in results.hits:
        assert hit.snippet is not None
        assert all(0 <= start < end <= len(hit.snippet.text) for start, end in hit.snippet.marks)
        hit.snippet.html()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200), st.text(max_size=20))
def test_any_text_can_be_indexed_and_shown(index: SearchIndex, body: str, author: str) -> None:
    author = author.encode("utf-8", "ignore").decode()
    index.apply([section(1, body, author=author)], [], index.stamp + 1)
    (hit,) = index.text("", filters={"author": author}).hits
    assert (hit.snippet is None) == (not body)


def test_a_word_that_no_document_has_stands_for_words_like_it(library: SearchIndex) -> None:
    for typed in ("grahp", "knowl", "Knowldge"):
        results = library.text(typed, tolerant=True)
        assert "graph" in ids(results) and results.loose == (typed,)
        assert not library.text(typed).hits and not library.text(typed).loose
    both = library.text("wine grapps", tolerant=True)
    assert ids(both) == ["wine"] and both.loose == ("grapps",)
    assert not library.text("-grahp", tolerant=True).loose, "what is excluded is excluded as it is typed"


def test_a_filter_may_exclude(library: SearchIndex) -> None:
    assert set(ids(library.text("graph", filters={"-author": "ann"}))) == set()
    assert "wine" in ids(library.text("", filters={"-author": "ann"}))
    assert set(ids(library.text("", filters={"-type": ["story"], "author": "ann"}))) == {"graph"}


def test_facets_count_what_is_found(library: SearchIndex) -> None:
    assert library.facets("graph", names=["author"]) == {"author": {"ann": 2}}
    counted = library.facets("", names=["type", "year"], years=range(1970, 1972))
    assert counted["type"]["story"] == 2 and counted["year"] == {"1970": 3}
    assert library.facets("", {"author": "ben"}, names=["type"]) == {"type": {"story": 1}}
    with pytest.raises(SearchError, match="year"):
        library.facets("", names=["score"])


def test_an_index_gives_back_what_it_stores_and_says_whether_it_is_exact(tmp_path: Path) -> None:
    fields = IndexFields(words=("article",), numbers=(), facets=(), stored=("path",))
    plain, composed = "The café has vines.", "The cafe\u0301 has vines."
    with SearchIndex(tmp_path, background=False, fields=fields) as index:
        index.apply([section(1, plain, article="A", path="Über / Growth")], [], 1)
        index.apply([section(2, composed, article="B", path=""), section(3, "", article="C", path="x")], [], 2)
        kept = index.shown(["1", "2", "3", "4"], "vine -olive")
    assert set(kept) == {"1", "2", "3"}
    assert (kept["1"].texts["body"], kept["1"].texts["path"], kept["1"].exact) == (plain, "Über / Growth", True)
    assert kept["1"].snippet is not None
    assert kept["1"].snippet.marks
    assert not kept["2"].exact, "a composed letter takes the place of two characters"
    assert kept["3"].texts["body"] == ""
    with open_index(tmp_path, background=False) as index:
        assert index.fields == fields, "opened with the fields that it has"
    with pytest.raises(OtherVersion):
        SearchIndex(tmp_path, background=False)
