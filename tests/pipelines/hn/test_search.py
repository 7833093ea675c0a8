"""Search: words, filters, joins up the thread; and an index that follows the graph whatever happens to it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from graphvine.clock import ManualClock
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.index_sync import index_folder
from graphvine.workers.hn.api import HackerNews
from graphvine.workers.hn.ingest.ingest import take_in
from graphvine.workers.hn.search import HNSearch
from graphvine.workers.hn.settings import HNSettings
from tests.pipelines.hn.making import DELIVERED, make, shuffled
from tests.support.stores import Place

TIME = 1_400_000_000


def item(id: int, by: str, text: str = "", parent: int | None = None, **more: Any) -> dict[str, Any]:
    made = {"id": id, "by": by, "time": TIME + id, "text": text, **more}
    return made | ({"type": "comment", "parent": parent} if parent else {"type": "story", "title": text})


SOME = [
    item(1, "pg", "graph databases", score=100), item(2, "sama", "graph theory is fun", 1),
    item(3, "pg", "thanks, a graph fan", 2), item(10, "jl", "lisp forever", score=5),
    item(11, "pg", "lisp and graph", 10), item(12, "sama", "agreed", 11),
    {"id": 20, "type": "job", "title": "Graph engineers wanted", "time": TIME + 20},
]  # fmt: skip


@pytest.fixture(scope="module")
def filled(template: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HackerNews]:
    """One graph for all who only search in it."""
    with template.copy_to(tmp_path_factory.mktemp("filled") / "store").open() as opened:
        news = HackerNews(opened, HNSettings())
        news.add(SOME)
        yield news


@pytest.mark.parametrize(
    ("words", "options", "found"),
    [
        ("graph", {}, {1, 2, 3, 11, 20}), ("graph", {"author": "pg"}, {1, 3, 11}), ("graph", {"type": "story"}, {1}),
        ("graph", {"min_score": 50}, {1}), ("", {"max_score": 5, "min_score": 1}, {10}),
        ("graph", {"after": TIME + 3, "before": TIME + 11}, {3, 11}), ("graph", {"under": 1}, {2, 3}),
        ("graph", {"under": 2}, {3}), ("", {"under": 10}, {11, 12}), ("", {"under": 12}, set()),
        ("", {"story_by": "pg"}, {2, 3}), ("graph", {"story_by": "jl"}, {11}), ("", {"story_by": "nobody"}, set()),
        ("", {"reply_to": "sama"}, {3}), ("", {"reply_to": "pg", "author": "sama"}, {2, 12}),
        ("", {"story_by": "jl", "author": "sama"}, {12}), ("", {"story_by": "pg", "under": 10}, set()),
        ("", {"reply_to": "nobody"}, set()), ('"graph theory"', {}, {2}), ("graph -lisp", {"author": "pg"}, {1, 3}),
        ("GRAPHS", {}, {1, 2, 3, 11, 20}),
    ],
)  # fmt: skip
def test_words_filters_and_joins(filled: HackerNews, words: str, options: dict[str, Any], found: set[int]) -> None:
    page = filled.search(words, limit=100, **options)
    assert {one.item.id for one in page.found} == found and page.total == len(found)


def test_orders_and_pages(filled: HackerNews) -> None:
    newest = [one.item.id for one in filled.search("graph", sort="date").found]
    assert newest == [20, 11, 3, 2, 1]
    assert [one.item.id for one in filled.search("graph", sort="date", limit=2, offset=1).found] == [11, 3]
    assert filled.search("", sort="score").found[0].item.id == 1
    with pytest.raises(GraphvineError, match="sort: Invalid enum value 'size': relevance, date, score are known"):
        filled.search("x", sort="size")


def test_html_is_not_found_and_snippets_are_plain(news: HackerNews) -> None:
    news.add(item(5, "x", 'see <a href="https:&#x2F;&#x2F;example.org" rel="nofollow">the &quot;manual&quot;</a>', 1))
    assert news.search("nofollow").total == 0
    assert 'the "manual' in news.search("manual").found[0].snippet


def test_a_changed_item_is_found_by_what_it_says_now(news: HackerNews, clock: ManualClock) -> None:
    news.add(item(5, "x", "before"))
    clock.forward(1)
    news.add(item(5, "x", "afterwards"))
    assert (news.search("before").total, news.search("afterwards").total) == (0, 1)


def test_what_gets_its_story_late_is_found_under_it(news: HackerNews) -> None:
    news.add([item(2, "a", "late", 1), item(3, "b", "later", 2)])
    assert news.search("later").total == 1
    news.add(item(1, "pg", "story"))
    assert {one.item.id for one in news.search("", story_by="pg").found} == {2, 3}


def test_what_was_taken_in_without_the_index_is_found(graph: Graph, news: HackerNews) -> None:
    with HNSearch(graph) as searching:
        take_in(graph, [item(1, "pg", "first")], "SINGLE_POST")
        assert searching.search("first").total == 1
        graph.seed("hn_item", ["9"])  # takes a number that the index is not told of
        take_in(graph, [item(2, "pg", "second")], "SINGLE_POST")
        assert searching.search("second").total == 1
    take_in(graph, [item(3, "pg", "third")], "SINGLE_POST")
    assert news.search("third").total == 1


def test_a_lost_or_broken_index_is_made_again(news: HackerNews, graph: Graph) -> None:
    news.add(SOME)
    folder = index_folder(graph.engine.where) / "hn_item"
    assert news.search("graph").total == 5
    shutil.rmtree(folder)
    assert news.search("graph").total == 5
    (folder / "manifest.json").write_text("{}")
    assert news.search("graph").total == 5
    assert news.reindex() == 7 and news.search("graph").total == 5


def test_the_index_holds_what_the_graph_holds_after_a_shuffle(place: Place, full: bool) -> None:
    made = make(20_000 if full else 1_500, deep=60)
    with place.open() as graph:
        HackerNews(graph).add(shuffled(made, 5), fetched_at=DELIVERED, source="BULK_UPLOAD")
        with HNSearch(graph) as searching:
            assert searching.search("").total == len(made.completed)
            story = next(id for id in made.completed if id in set(made.parent.values()) and id not in made.parent)
            below = {id for id in made.completed if _top(made, id) == story and id != story}
            found = searching.search("", under=story, limit=1000)
            assert {one.item.id for one in found.found} == below - set(made.option_of) | (below & set(made.option_of))
        assert not [finding for finding in graph.doctor() if not finding.ok]


def _top(made: Any, id: int) -> int | None:
    while True:
        above = made.parent.get(id) or made.option_of.get(id)
        if above is None:
            return id
        if above not in made.completed:
            return None
        id = above
