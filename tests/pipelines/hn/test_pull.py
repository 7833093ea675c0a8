"""Pulling from a server that speaks the Firebase protocol, and has bad days."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from graphvine.clock import ManualClock
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.workers.counts import Counts
from graphvine.workers.hn.api import HackerNews
from graphvine.workers.hn.errors import NoSuchUser, SourceAway
from graphvine.workers.hn.handler import HNItemHandler
from graphvine.workers.hn.ingest.ingest import Taken
from graphvine.workers.hn.pull import Pull, Pulled
from graphvine.workers.loop import Loop
from tests.pipelines.hn.conftest import quick
from tests.pipelines.hn.looking import edges, row, states
from tests.pipelines.hn.server import CUT, GARBAGE, HANGS, OTHER_ITEM, SLOW, STATUS_429, STATUS_500, HackerNewsServer


def fill(server: HackerNewsServer, count: int) -> None:
    """A story with a chain of comments, again and again."""
    for id in range(1, count + 1):
        top = id - (id - 1) % 10
        item: dict[str, Any] = {"id": id, "by": "pg", "time": 1_400_000_000 + id, "text": f"word{id}"}
        server.items[id] = item | (
            {"type": "story", "title": f"story {id}"} if id == top else {"type": "comment", "parent": id - 1}
        )
        if id != top:
            server.items[id - 1]["kids"] = [id]


def test_ids_lists_and_ranges(news: HackerNews, graph: Graph, server: HackerNewsServer) -> None:
    fill(server, 100)
    server.lists["topstories"] = [91, 81, 71]
    server.lists["newstories"] = [61, 51]
    assert news.pull(ids=[1, 2]).taken == Taken(new=2)
    assert news.pull(top=2).asked == 2 and news.pull(new=5).asked == 2
    assert sorted(states(graph)) == [1, 2, 51, 61, 81, 91]
    assert row(graph, 1)["sourceType"] == "FIREBASE_API"
    assert news.pull(first=1, last=100).taken.new == 94
    assert len(edges(graph)) == 90


def test_null_deleted_and_dead_items(news: HackerNews, graph: Graph, server: HackerNewsServer) -> None:
    server.items[2] = {"id": 2, "type": "comment", "deleted": True, "parent": 1, "time": 1_400_000_000}
    server.items[3] = {"id": 3, "type": "story", "dead": True, "title": "[dead]", "time": 1_400_000_000}
    pulled = news.pull(ids=[1, 2, 3])
    assert (pulled.missing, pulled.taken) == (1, Taken(new=2))
    assert row(graph, 2)["deleted"] and row(graph, 3)["dead"]


@pytest.mark.parametrize("faults", [
    [STATUS_500], [STATUS_500, STATUS_429, STATUS_500], [CUT], [GARBAGE], [SLOW], [GARBAGE, CUT, STATUS_500],
])  # fmt: skip
def test_a_bad_day_is_recovered_from(news: HackerNews, server: HackerNewsServer, faults: list[str]) -> None:
    fill(server, 20)
    for id in (3, 7, 11):
        server.fail(f"item/{id}", *faults)
    server.fail("maxitem", STATUS_500)
    assert news.pull(first=1, last=20).taken == Taken(new=20)


def test_a_request_that_hangs_is_made_again(graph: Graph, server: HackerNewsServer) -> None:
    fill(server, 20)
    for id in (3, 7, 11):
        server.fail(f"item/{id}", HANGS)
    news = HackerNews(graph, quick(server, timeout_seconds=1.0))
    assert news.pull(first=1, last=20).taken == Taken(new=20)


@pytest.mark.parametrize("fault", [STATUS_500, OTHER_ITEM, GARBAGE])
def test_what_can_not_be_had_waits_in_the_queue_and_is_fetched_later(
    news: HackerNews, graph: Graph, server: HackerNewsServer, clock: ManualClock, fault: str
) -> None:
    fill(server, 10)
    # An answer that is another item is not asked for again at once.
    times = 1 if fault == OTHER_ITEM else 4
    server.fail("item/5", *[fault] * times)
    pulled = news.pull(first=1, last=10)
    assert (pulled.taken, pulled.put_off) == (Taken(new=9), 1)
    assert row(graph, 5)["state"] == "initial_state" and row(graph, 6)["story"] == 0
    loop = Loop(graph, "hn_item", HNItemHandler(graph, quick(server)))
    server.fail("item/5", *[fault] * times)
    assert loop.run_once() == Counts(claimed=1, retried=1)
    assert loop.run_once() == Counts()
    clock.forward(10)
    assert loop.run_once() == Counts(claimed=1, done=1)
    assert row(graph, 5)["state"] == "completed" and row(graph, 10)["story"] == 1
    assert edges(graph) == [(id, id + 1) for id in range(1, 10)]
    assert not [finding for finding in graph.doctor() if not finding.ok]


def test_a_seeded_id_without_an_item_fails(news: HackerNews, graph: Graph, server: HackerNewsServer) -> None:
    graph.seed("hn_item", ["77"])
    assert Loop(graph, "hn_item", HNItemHandler(graph, quick(server))).run_once() == Counts(claimed=1, failed=1)
    assert row(graph, 77)["last_error"] == "there is no item 77: the API answers null"


def test_a_source_that_is_away_is_told(news: HackerNews, server: HackerNewsServer) -> None:
    server.fail("maxitem", *[STATUS_500] * 4)
    with pytest.raises(SourceAway, match=r"maxitem\.json can't be read: status 500"):
        news.pull(since_last=True)


def test_a_walk_goes_on_where_it_was(graph: Graph, server: HackerNewsServer) -> None:
    fill(server, 100)
    stop = threading.Event()
    pull = Pull(
        graph, quick(server, pull_chunk=20), stop=stop, on_progress=lambda so_far: so_far.taken.new and stop.set()
    )
    assert pull.between(1, 100).stopped
    assert len(states(graph)) == 20
    server.asked.clear()
    assert HackerNews(graph, quick(server, pull_chunk=20)).pull(first=1, last=100).asked == 80
    assert "item/20" not in server.asked and len(states(graph)) == 100


def test_since_last_and_updates_change_only_what_changed(
    news: HackerNews, graph: Graph, server: HackerNewsServer, clock: ManualClock
) -> None:
    fill(server, 30)
    assert news.pull(since_last=True).taken == Taken(new=30)
    assert news.pull(since_last=True).asked == 0
    server.items[31] = {"id": 31, "type": "story", "title": "new"}
    assert news.pull(since_last=True).taken == Taken(new=1)
    server.lists["updates"] = {"items": [1, 2, 31], "profiles": ["pg"]}
    server.items[1] = server.items[1] | {"score": 99}
    untouched = row(graph, 2)
    clock.forward(60)
    assert news.pull(updates=True).taken == Taken(updated=1, unchanged=2)
    assert row(graph, 1)["score"] == 99
    assert row(graph, 2) == untouched | {"fetchedAt": clock.now_ms()}


def test_a_thread_is_pulled_from_any_of_its_items(news: HackerNews, graph: Graph, server: HackerNewsServer) -> None:
    fill(server, 30)
    news.pull(thread=15)
    assert sorted(states(graph)) == list(range(11, 21))
    assert news.thread(11).children[0].children[0].id == 13


def test_requests_are_many_at_once_but_limited(graph: Graph, server: HackerNewsServer) -> None:
    fill(server, 60)
    for id in range(1, 61):
        server.fail(f"item/{id}", SLOW)
    HackerNews(graph, quick(server, concurrency=6, pull_chunk=60)).pull(first=1, last=60)
    assert 2 <= server.most_at_once <= 6


def test_the_rate_is_kept(graph: Graph, server: HackerNewsServer) -> None:
    import time

    fill(server, 20)
    began = time.monotonic()
    HackerNews(graph, quick(server, requests_per_second=100)).pull(first=1, last=20)
    assert time.monotonic() - began >= 0.19


@pytest.mark.parametrize("given", [{}, {"ids": [1], "top": 3}, {"first": 5, "last": 2}, {"first": 0, "last": 0}])
def test_what_makes_no_sense_is_refused(news: HackerNews, given: dict[str, Any]) -> None:
    with pytest.raises(GraphvineError):
        news.pull(**given)


def test_ids_that_answered_null_are_asked_for_again_for_a_time(
    news: HackerNews, graph: Graph, server: HackerNewsServer, clock: ManualClock
) -> None:
    fill(server, 10)
    late, never = server.items.pop(7), server.items.pop(4)
    assert news.pull(since_last=True).missing == 2
    pulled = news.pull(since_last=True)
    assert (pulled.asked, pulled.missing) == (2, 2), "the next pull asks at once"
    assert news.pull(since_last=True).asked == 0, "then at longer and longer intervals"
    clock.forward(31)
    server.items[7] = late
    pulled = news.pull(since_last=True)
    assert (pulled.asked, pulled.taken.new, pulled.missing) == (2, 1, 1) and row(graph, 7)["state"] == "completed"
    asked = 0
    for _ in range(40):
        clock.forward(3_600)
        asked += news.pull(since_last=True).asked
    assert 20 <= asked <= 26, "hourly, for a day"
    server.items[4] = never
    assert news.pull(since_last=True).asked == 0 and not graph.query("MATCH (m:HNMissing) RETURN m.hnId").rows


def test_every_list_and_a_user(news: HackerNews, graph: Graph, server: HackerNewsServer) -> None:
    fill(server, 60)
    for place, name in enumerate(("best", "ask", "show", "job")):
        server.lists[f"{name}stories"] = [10 * place + 1, 10 * place + 2]
        assert news.pull(**{name: 1}).taken.new == 1  # type: ignore[arg-type]
    server.lists["user/pg"] = {"id": "pg", "submitted": [55, 54, 53]}
    server.lists["user/nobody"] = None
    assert (news.pull(user="pg").total, sorted(states(graph))) == (3, [1, 11, 21, 31, 53, 54, 55])
    with pytest.raises(NoSuchUser, match="no user 'nobody'"):
        news.pull(user="nobody")


def test_progress_has_a_total_and_comes_within_a_chunk(graph: Graph, server: HackerNewsServer) -> None:
    fill(server, 30)
    heard: list[Pulled] = []
    came = threading.Event()

    def hear(so_far: Pulled) -> None:
        heard.append(so_far)
        came.set()

    server.hold(30, came)
    pull = Pull(graph, quick(server, pull_chunk=1_000), on_progress=hear)
    assert pull.between(1, 30).taken.new == 30
    assert {one.total for one in heard} == {30} and heard[0].asked < 30 and heard[-1].asked == 30
