"""Pages on a server: a batch has one manager, whoever leads it; the slots are shared by all that run."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

import pytest

from graphvine.clock import ManualClock, SystemClock
from graphvine.graph import Graph
from graphvine.isolation import SUSPECT_AT
from graphvine.workers.scrape.batches import submit
from graphvine.workers.scrape.errors import BatchBusy, BatchLost
from graphvine.workers.scrape.manager import Manager
from tests.lanes.neo4j import news_processes
from tests.pipelines.scrape.support import TEXT, local, rows
from tests.pipelines.scrape.test_command import site, test_pages_from_the_command_line_and_again_by_name  # noqa: F401
from tests.support.processes import Child, prepare
from tests.support.stores import Place
from tests.support.threads import together
from tests.support.web_server import Request, WebServer

MANAGERS = 6


@pytest.fixture(scope="module", autouse=True)
def warm_server() -> None:
    prepare("neo4j", "httpx", "tests.support.warm", "tests.pipelines.news.warm", "tests.lanes.neo4j.news_processes")


@pytest.fixture
def place(place: Place) -> Place:
    place.open().close()
    return place


@pytest.fixture
def graphs(place: Place) -> Iterator[list[Graph]]:
    """Several lines to one server, as from several machines, on one clock that stands still."""
    clock = ManualClock()
    with ExitStack() as stack:
        yield [stack.enter_context(place.open(clock)) for _ in range(MANAGERS)]


def take(manager: Manager) -> list[Manager]:
    try:
        manager.lease.take()
    except BatchBusy:
        return []
    return [manager]


def test_of_many_managers_one_has_the_batch_and_another_when_it_is_silent(graphs: list[Graph]) -> None:
    batch = submit(graphs[0], "b", [f"http://example.org/{number}" for number in range(20)])
    before: list[Manager] = []
    for turn in range(5):
        managers = [Manager(graph, batch, local(), f"{turn}.{number}") for number, graph in enumerate(graphs)]
        leaders = [one for led in together([partial(take, manager) for manager in managers]) for one in led]
        assert len(leaders) == 1, "a batch has one owner"
        for replaced in before:
            with pytest.raises(BatchLost):
                replaced.beat()
            assert replaced.claim_scrapes() == [], "who was replaced claims nothing"
        # What was lost with its process twice is a suspect, and worked on alone.
        assert len(leaders[0].claim_scrapes()) == (8 if turn < SUSPECT_AT else 1)
        graphs[0].clock.sleep(31)  # it is silent for too long
        before = leaders
    held = Counter(row["claimed_by"] for row in rows(graphs[0], batch).values() if row["lease"] > 0)
    assert list(held.values()) == [1], "what the one before held was taken back"


def test_batches_of_many_managers_share_eight_slots(graphs: list[Graph]) -> None:
    managers = []
    for number, graph in enumerate(graphs):
        urls = [f"http://example.org/{number}/{page}" for page in range(9)]
        managers.append(Manager(graph, submit(graph, f"b{number}", urls), local()))
        managers[-1].lease.take()
    for _ in range(4):
        taken = together([manager.claim_scrapes for manager in managers])
        taken += [manager.claim_scrapes() for manager in managers]  # what met a taken slot looks again
        assert sum(map(len, taken)) == 8
        slots = graphs[0].read("scrape_item.slots")
        assert sorted(row["slot"] for row in slots) == list(range(1, 9)), "no two have the same"
        together([manager.release for manager in managers])
        graphs[0].clock.sleep(1)
    assert graphs[0].read("scrape_item.slots") == []


def test_a_manager_that_is_killed_is_followed_by_the_one_that_stands_by(place: Place) -> None:
    over = threading.Event()

    async def page(request: Request) -> None:
        while int(request.path[1:]) >= 8 and not over.is_set():
            await request.pause(0.02)
        await request.answer(f"{TEXT} This is {request.path}.".encode())

    with WebServer(page) as server:
        urls = [f"{server.url}/{number}" for number in range(16)]
        with Child(news_processes.lead, place.where, urls, "b") as first:
            heard = [first.hear()]
            while sum(name == "summary_finished" for name, _ in heard) < 8:
                heard.append(first.hear())
            with Child(news_processes.lead, place.where, urls, "b") as second:
                assert second.hear() == ("standing_by", "")
                first.kill()
                over.set()
                heard += [said for said in first.leftovers() if isinstance(said, tuple)]
                while isinstance(said := second.hear(), tuple):
                    heard.append(said)
    done = Counter(url for name, url in heard if name == "summary_finished")
    with place.open(SystemClock()) as graph:
        batch = graph.read("scrape_item.batch", batch="b")[0]
        states = {row["state"] for row in graph.query("MATCH (i:ScrapeItem) RETURN i.state AS state").as_dicts()}
        effects = graph.query("MATCH ()-[t:TRANSITION {name: 'scrape_item/b/1'}]->() RETURN count(*)").rows
        assert (batch["status"], batch["hook"], batch["lease"]) == ("finished", "done", 0)
    assert states == {"completed"} and effects == [[1]] and set(done.values()) == {1}
