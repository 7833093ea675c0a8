"""Growing from a real MediaWiki: every kind of page ends where it should, and no fault of the server costs a page."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

import graphvine
from graphvine.clock import SystemClock
from graphvine.graph import Graph
from graphvine.settings import Settings
from graphvine.workers.wikipedia.errors import SourceRefused
from graphvine.workers.wikipedia.grow import GrowEvent, GrowSummary
from graphvine.workers.wikipedia.settings import WikipediaSettings
from tests.lanes.mediawiki import faulty_proxy as faults
from tests.lanes.mediawiki.faulty_proxy import Fault, FaultyProxy
from tests.lanes.mediawiki.pages import LARGE, MANY_LINKS
from tests.lanes.mediawiki.server import TestWiki
from tests.support.grown import column, content, edges
from tests.support.stores import QUICK
from tests.support.waiting import WAIT_LIMIT

SETTINGS = {**QUICK, "backoff_seconds": 0.05, "backoff_max_seconds": 0.2}
KINDS = [
    "Vine", "Chain 1", "Loop A", "Loop of one", "Into the loop", "To nowhere", "To another wiki", "Twice written",
    "Empty page", 'Zürich & "co"', "東京", "Sorted", "By magic word", "Many links", "Link kinds", "Nothing such",
    "User:Tester/script.js",
]  # fmt: skip


def settings(url: str, **more: object) -> WikipediaSettings:
    given = {
        "read_timeout_seconds": WAIT_LIMIT, "call_timeout_seconds": WAIT_LIMIT, "outage_seconds": 0.1,
        "outage_max_seconds": 0.4, **more,
    }  # fmt: skip
    return WikipediaSettings(api_url=url, embedder="none", **given)  # type: ignore[arg-type]


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    with graphvine.open(tmp_path / "graph.db", settings=Settings(**SETTINGS), clock=SystemClock()) as opened:
        yield opened


@pytest.fixture(scope="module")
def calm(wiki: TestWiki, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What a run that nothing disturbs makes of the wiki."""
    place = tmp_path_factory.mktemp("calm") / "graph.db"
    with graphvine.open(place, settings=Settings(**SETTINGS)) as opened:
        opened.grow(["Vine", *LARGE], settings=settings(wiki.url), depth=1)
        return content(opened)


def test_every_kind_of_page_ends_in_its_state(wiki: TestWiki, graph: Graph) -> None:
    graph.grow(KINDS, settings=settings(wiki.url), depth=0)
    states, kinds = column(graph, "expansion_state"), column(graph, "kind")
    reasons = {row.key: row.reason or "" for row in graph.failed("article", limit=1000)}
    left_out = {row.key: row.reason or "" for row in graph.failed("article", limit=1000, skipped=True)}
    processed = {
        "Vine": "article", "Chain 1": "redirect", "Chain 2": "redirect", "Chain 3": "redirect",
        "To nowhere": "redirect", "Twice written": "article", "Empty page": "article", 'Zürich & "co"': "article",
        "東京": "article", "Sorted": "article", "Many links": "article", "Link kinds": "article",
    }  # fmt: skip
    assert {title: (states[title], kinds[title]) for title in processed} == {
        title: ("processed", kind) for title, kind in processed.items()
    }
    failed = {
        "Loop A": "redirect", "Loop of one": "redirect", "Into the loop": "redirect", "To another wiki": "another wiki",
        "User:Tester/script.js": "javascript",
    }  # fmt: skip
    assert {title: states[title] for title in failed} == dict.fromkeys(failed, "failed")
    for title, word in failed.items():
        assert word in reasons[title], (title, reasons[title])
    assert set(reasons) == set(failed)
    skipped = {"By magic word": "disambiguation", "Nothing such": "no page", "There is nothing here": "no page"}
    assert {title: states[title] for title in skipped} == dict.fromkeys(skipped, "skipped")
    assert set(left_out) == set(skipped) and all(word in left_out[title] for title, word in skipped.items())
    links = edges(graph, "LINKS_TO")
    assert sum(source == "Many links" for source, _ in links) == MANY_LINKS
    assert set(links.values()) == {1}
    assert {name for title, name in edges(graph, "IN_CATEGORY") if title == "Sorted"} == {"Plants"}
    assert column(graph, "expansion_depth")["Chain 3"] == 0
    assert {column(graph, "retry_count")[title] for title in processed} == {0}


def grow_through(
    url: str, graph: Graph, told: Callable[[GrowEvent], None] | None = None, **more: object
) -> GrowSummary:
    """Grow in small batches, so that a fault has something to hit."""
    chosen = settings(url, batch_size=10, **more)
    return graph.grow(["Vine", *LARGE], settings=chosen, depth=1, on_event=told, workers=2)


class Trouble:
    """Begins a fault at the second batch, and ends it when the source was found to be away some times."""

    def __init__(self, fault: AbstractContextManager[None], times: int = 2) -> None:
        self._fault, self._left, self._lock = fault, times, threading.Lock()
        self._stack = ExitStack()
        self.met = 0

    def __call__(self, event: GrowEvent) -> None:
        with self._lock:
            if event.name == "batch" and event.total.done and self._left > 0 and not self.met:
                self.met = 1
                self._stack.enter_context(self._fault)
            elif event.name == "away" and self.met:
                self.met += 1
                self._left -= 1
                if self._left == 0:
                    self._stack.close()

    def assert_recovered(self, graph: Graph, calm: dict[str, object]) -> None:
        assert self.met > 1, "the fault was never met"
        assert content(graph) == calm
        assert set(column(graph, "retry_count").values()) <= {0, 1}
        burnt = [row.key for row in graph.failed("article", limit=1000) if "not available" in (row.reason or "")]
        assert not burnt


@pytest.mark.parametrize(
    "fault",
    [
        faults.status(429, Retry_After="1"), faults.status(503), faults.api_error("maxlag"), faults.cut_by_length,
        faults.hang_up, faults.says(b"<html>"),
    ],
    ids=["429", "503", "lag", "cut body", "hung up", "no JSON"],
)  # fmt: skip
def test_a_fault_on_the_way_costs_nothing(
    proxy: FaultyProxy, graph: Graph, calm: dict[str, object], fault: Fault
) -> None:
    trouble = Trouble(proxy.failing(fault))
    grow_through(proxy.url, graph, trouble)
    trouble.assert_recovered(graph, calm)


def test_a_server_that_is_killed_and_comes_back_costs_nothing(
    wiki: TestWiki, graph: Graph, calm: dict[str, object]
) -> None:
    trouble = Trouble(wiki.down(), times=1)
    grow_through(wiki.url, graph, trouble)
    trouble.assert_recovered(graph, calm)


def test_a_server_that_hangs_costs_nothing(wiki: TestWiki, graph: Graph, calm: dict[str, object]) -> None:
    trouble = Trouble(wiki.hanging(), times=1)
    grow_through(wiki.url, graph, trouble, read_timeout_seconds=3.0, call_timeout_seconds=6.0)
    trouble.assert_recovered(graph, calm)


def test_a_real_lag_is_waited_for(wiki: TestWiki, graph: Graph, calm: dict[str, object]) -> None:
    trouble = Trouble(wiki.faults(lag_seconds=30), times=1)
    grow_through(wiki.url, graph, trouble)
    trouble.assert_recovered(graph, calm)


def test_faults_at_random_cost_nothing(proxy: FaultyProxy, graph: Graph, calm: dict[str, object]) -> None:
    """Every third answer is one fault or another, all the way."""
    turns = iter(range(10**6))
    kinds = [faults.status(503), faults.cut_by_length, faults.hang_up, faults.status(429)]

    def sometimes(handler: faults._Handler, body: bytes) -> None:
        turn = next(turns)
        if turn % 3 == 0:
            kinds[turn // 3 % len(kinds)](handler, body)
        else:
            handler.answer(200, handler.real_answer(body))

    with proxy.failing(sometimes, passes=2):
        grow_through(proxy.url, graph)
    assert content(graph) == calm
    assert not [row for row in graph.failed("article", limit=1000) if "not available" in (row.reason or "")]


def test_a_page_that_the_server_chokes_on_fails_alone(
    proxy: FaultyProxy, graph: Graph, calm: dict[str, object]
) -> None:
    """Whenever it is asked for this page the server breaks down: three attempts, and all others are there."""

    def chokes(handler: faults._Handler, body: bytes) -> None:
        if b"Wisteria" in body:
            handler.answer(500, b"no")
        else:
            handler.answer(200, handler.real_answer(body))

    with proxy.failing(chokes):
        graph.grow(["Vine", "Wisteria"], settings=settings(proxy.url, batch_size=10), depth=1)
    states = column(graph, "expansion_state")
    assert states["Wisteria"] == "failed" and column(graph, "retry_count")["Wisteria"] == 3
    depths = column(graph, "expansion_depth")
    within = {title for title, depth in depths.items() if depth <= 1} - {"Wisteria"}
    assert "discovered" not in {states[title] for title in within}
    assert not [row.key for row in graph.failed("article") if "500" in (row.reason or "") and row.key != "Wisteria"]


def test_a_wiki_that_refuses_ends_the_growth_and_burns_nothing(proxy: FaultyProxy, graph: Graph) -> None:
    with proxy.failing(faults.status(403), passes=1), pytest.raises(SourceRefused, match="refuses"):
        graph.grow(["Vine", "Wine", "Ivy"], settings=settings(proxy.url), depth=1)
    assert set(column(graph, "expansion_state").values()) == {"discovered"}
    assert set(column(graph, "retry_count").values()) == {0}
    graph.grow([], settings=settings(proxy.url), depth=0)
    assert {column(graph, "expansion_state")[title] for title in ("Vine", "Wine", "Ivy")} == {"processed"}


def test_an_edit_on_the_wiki_is_found_by_refresh(wiki: TestWiki, graph: Graph) -> None:
    graph.grow(["Twice written", "Changed by a test"], settings=settings(wiki.url), depth=0)
    wiki.edit("Changed by a test", "Now of [[Wine]] alone.")
    assert graph.refresh(settings=settings(wiki.url)).changed == 1
    graph.grow([], settings=settings(wiki.url), depth=0)
    assert {target for source, target in edges(graph, "LINKS_TO") if source == "Changed by a test"} == {"Wine"}
    assert not [title for title, _ in edges(graph, "IN_CATEGORY") if title == "Changed by a test"]
