"""Threads as people read them."""

from __future__ import annotations

import pytest

from graphvine.graph import Graph
from graphvine.workers.hn.api import HackerNews
from graphvine.workers.hn.errors import NoSuchItem
from tests.pipelines.hn.test_intake import STORY


def comment(id: int, parent: int, **more: object) -> dict[str, object]:
    return {"id": id, "type": "comment", "parent": parent, "text": f"text {id}", **more}


@pytest.fixture
def small(news: HackerNews) -> HackerNews:
    """1 has 30, 10, 20 in this order, and 15, which it does not list; 10 has 40."""
    news.add([comment(40, 10), comment(20, 1), comment(10, 1, kids=[40]), comment(30, 1), comment(15, 1)])
    news.add(STORY | {"kids": [30, 10, 20]})
    return news


def test_the_tree_keeps_the_order_of_the_kids(small: HackerNews) -> None:
    shown = [(depth, item.id) for depth, item in small.thread(1).walk()]
    assert shown == [(0, 1), (1, 30), (1, 10), (2, 40), (1, 20), (1, 15)]
    assert [item.id for _, item in small.thread(1, depth=1).walk()] == [1, 30, 10, 20, 15]
    assert [item.id for _, item in small.thread(1, depth=0).walk()] == [1]


def test_above_below_beside_and_the_story(small: HackerNews) -> None:
    assert [item.id for item in small.ancestors(40)] == [10, 1]
    assert [item.id for item in small.descendants(10)] == [40]
    assert [item.id for item in small.siblings(10)] == [30, 20, 15]
    assert [item.id for item in small.siblings(1)] == []
    story = small.story(40)
    assert story is not None and (story.id, story.title) == (1, "Hello")


def test_while_the_way_up_is_broken_there_is_no_story(news: HackerNews) -> None:
    news.add([comment(7, 5), comment(9, 7)])
    assert news.story(9) is None and [item.id for item in news.ancestors(9)] == [7]
    assert news.siblings(7) == []


def test_a_thread_of_depth_500(news: HackerNews, graph: Graph) -> None:
    news.add([comment(id, id - 1) for id in range(501, 1, -1)])
    news.add(STORY)
    walked = list(news.thread(1).walk())
    assert [depth for depth, _ in walked] == list(range(501)) and walked[-1][1].id == 501
    assert [item.id for item in news.ancestors(501)] == list(range(500, 0, -1))
    assert [depth for depth, _ in news.thread(1, depth=77).walk()][-1] == 77
    story = news.story(501)
    assert story is not None and story.id == 1


def test_options_stand_below_their_poll_in_its_order(news: HackerNews) -> None:
    news.add([{"id": id, "type": "pollopt", "poll": 5, "text": str(id)} for id in (6, 7, 8)])
    news.add([{"id": 5, "type": "poll", "title": "?", "parts": [8, 6, 7]}, comment(9, 5)])
    assert [item.id for item in news.thread(5).children] == [8, 6, 7, 9]
    assert [item.id for item in news.ancestors(7)] == [5], "what stands above an option is its poll"


def test_an_option_whose_poll_is_not_there_has_nothing_above_it(news: HackerNews) -> None:
    news.add({"id": 6, "type": "pollopt", "poll": 5, "text": "6"})
    assert news.ancestors(6) == []


def test_an_item_shows_what_it_says_of_itself(news: HackerNews) -> None:
    news.add(STORY | {"kids": [30, 10], "descendants": 7, "score": -4, "odd": {"a": 1}})
    news.add([{"id": 6, "type": "pollopt", "poll": 5, "text": "6"}, {"id": 7, "type": "x"}])
    item = news.item(1)
    assert (item.kids, item.descendants, item.extra["odd"], item.extra["score"]) == ([30, 10], 7, {"a": 1}, -4)
    assert news.search("Hello").found[0].item == item
    assert news.item(6).poll == 5 and "type" in (news.item(7).last_error or "")


def test_an_item_that_is_not_there_is_told(news: HackerNews) -> None:
    for ask in (news.thread, news.ancestors, news.descendants, news.siblings, news.story):
        with pytest.raises(NoSuchItem, match=r"hn pull --ids 5"):
            ask(5)
