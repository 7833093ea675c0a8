"""Summaries stream: what the model has written so far is in the store before it has finished."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphvine.clock import SystemClock
from graphvine.graph import Graph
from tests.pipelines.scrape.support import TEXT, by_path, local, run
from tests.support.model_server import StreamingModel
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT, eventually
from tests.support.web_server import Request, WebServer

WORDS = ["Vines ", "climb ", "walls."]


@pytest.fixture
def graph(template: Place, tmp_path: Path) -> Iterator[Graph]:
    with template.copy_to(tmp_path / "store").open(SystemClock(), backoff_seconds=0.05) as opened:
        yield opened


async def page(request: Request) -> None:
    await request.answer(TEXT.encode())


def test_the_first_part_is_in_the_store_before_the_model_has_finished(graph: Graph) -> None:
    model = StreamingModel(WORDS)
    events = []
    with WebServer(page) as site, WebServer(model.answer) as server:
        settings = local(summarizer="model", summary_url=f"{server.url}/v1", summary_model="vine-1")
        work = threading.Thread(
            target=lambda: events.extend(run(graph, [f"{site.url}/a"], batch="b", settings=settings))
        )
        work.start()

        def partly_there() -> None:
            assert graph.read("scrape_item.batch", batch="b") and by_path(graph, "b")
            found = by_path(graph, "b")["/a"]
            assert (found.state, found.summary, found.summarizer) == ("summarizing", "Vines", "model (vine-1)")

        eventually(partly_there)
        assert not model.finished.is_set()
        model.go_on.set()
        work.join(WAIT_LIMIT)
    found = by_path(graph, "b")["/a"]
    assert (found.state, found.summary) == ("completed", "Vines climb walls.")
    told = [(event.name, event.text) for event in events if event.text]
    assert told[0] == ("summary_partial", "Vines") and told[-1] == ("summary_finished", "Vines climb walls.")


def test_a_model_that_is_busy_is_asked_again(graph: Graph) -> None:
    model = StreamingModel(WORDS, failures=[503])
    model.go_on.set()
    with WebServer(page) as site, WebServer(model.answer) as server:
        settings = local(summarizer="model", summary_url=f"{server.url}/v1")
        events = run(graph, [f"{site.url}/a"], batch="b", settings=settings)
        assert site.traffic.asked == ["/a"], "the page is not fetched again for it"
    assert by_path(graph, "b")["/a"].summary == "Vines climb walls."
    assert [event.state for event in events if event.name == "summary_failed"] == ["scraped"]


@pytest.mark.parametrize(("failures", "breaks_off", "reason"), [([500] * 9, False, "500"), ([], True, "broke off")])
def test_when_the_model_fails_for_good_the_page_s_own_sentences_serve(
    graph: Graph, failures: list[int], breaks_off: bool, reason: str
) -> None:
    model = StreamingModel(WORDS, failures=failures, breaks_off=breaks_off)
    model.go_on.set()
    with WebServer(page) as site, WebServer(model.answer) as server:
        settings = local(summarizer="model", summary_url=f"{server.url}/v1", summary_model="vine-1")
        run(graph, [f"{site.url}/a"], batch="b", settings=settings)
    found = by_path(graph, "b")["/a"]
    assert found.state == "completed" and found.summary and found.summary.split(". ")[0] in TEXT
    assert (found.summarizer or "").startswith("extractive") and "model (vine-1) failed" in (found.summarizer or "")
    assert reason in (found.summarizer or "") and len(model.asked) == 3
