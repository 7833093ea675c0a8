"""Batches: named, resumed, finished, with a hook; one manager at a time, and another when it dies."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from graphvine.clock import ManualClock, SystemClock
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.records import Step
from graphvine.workers.hooks import NoHandler
from graphvine.workers.registry import handler
from graphvine.workers.scrape.api import scrape
from graphvine.workers.scrape.batches import Batch, check_addresses, name_for, submit
from graphvine.workers.scrape.errors import BadAddress, BadBatch, BatchBusy, BatchLost
from graphvine.workers.scrape.hook import BatchResults
from graphvine.workers.scrape.manager import Manager
from tests.pipelines.scrape.support import TEXT, by_path, gather, local, names, rows, run
from tests.support.stores import Place
from tests.support.web_server import Request, WebServer


@pytest.fixture
def graph(template: Place, tmp_path: Path) -> Iterator[Graph]:
    with template.copy_to(tmp_path / "store").open(SystemClock(), backoff_seconds=0.05) as opened:
        yield opened


@pytest.fixture(scope="module")
def site() -> Iterator[WebServer]:
    async def page(request: Request) -> None:
        if request.path.startswith("/gone"):
            await request.answer(b"gone", status=404)
        else:
            await request.answer(f"{TEXT} This is {request.path}.".encode())

    with WebServer(page) as server:
        yield server


def test_a_batch_from_its_addresses_to_its_end(graph: Graph, site: WebServer) -> None:
    events = run(graph, [f"{site.url}/a", f"{site.url}/gone"], batch="b", settings=local())
    assert names(events)[0] == "batch_started" and names(events)[-1] == "batch_finished"
    assert events[-1].counts == {"completed": 1, "failed": 1}
    of_a = [event.name for event in events if event.url.endswith("/a") and event.name != "summary_partial"]
    assert of_a == ["scrape_started", "scrape_finished", "summary_started", "summary_finished"]
    found = by_path(graph, "b")
    assert found["/a"].state == "completed" and found["/a"].summarizer == "extractive (word statistics)"
    assert found["/gone"].state == "failed" and "404" in (found["/gone"].error or "")
    assert [row.key for row in graph.failed("scrape_item")] == [f"b {site.url}/gone"]
    edges = graph.query("MATCH (b:ScrapeBatch)-[:SCRAPES]->(i:ScrapeItem) RETURN b.name, i.url ORDER BY i.seq").rows
    assert edges == [["b", f"{site.url}/a"], ["b", f"{site.url}/gone"]]


def test_a_finished_batch_is_left_alone_and_more_pages_make_another_round(graph: Graph, site: WebServer) -> None:
    keys: list[str] = []

    def hook(batch: BatchResults) -> None:
        keys.append(batch.key)

    run(graph, [f"{site.url}/a"], batch="b", settings=local(), hook=hook)
    again = run(graph, [f"{site.url}/a"], batch="b", settings=local(), hook=hook)
    assert names(again) == ["stored", "batch_started", "batch_finished"] and keys == ["scrape_item/b/1"]
    more = run(graph, [f"{site.url}/b"], batch="b", settings=local(), hook=hook)
    assert more[-1].name == "hook_finished" and keys == ["scrape_item/b/1", "scrape_item/b/2"]
    assert {event.url for event in more if event.url} == {f"{site.url}/b"}


def test_what_failed_can_be_put_back(graph: Graph, site: WebServer) -> None:
    run(graph, [f"{site.url}/gone", f"{site.url}/a"], batch="b", settings=local())
    assert graph.requeue("scrape_item", everything=True) == 1
    events = run(graph, batch="b", settings=local())
    assert [event.name for event in events if event.url] == ["scrape_started", "scrape_failed"]
    assert graph.exclude("scrape_item", [f"b {site.url}/gone"]) == 1


def test_seeds_belong_to_the_batch_default(graph: Graph, site: WebServer) -> None:
    graph.seed("scrape_item", [f"{site.url}/a", "no address"])
    run(graph, batch="default", settings=local())
    states = {row[0]: row[1] for row in graph.query("MATCH (i:ScrapeItem) RETURN i.url, i.state").rows}
    assert states == {f"{site.url}/a": "completed", "no address": "failed"}


def test_leaving_early_gives_everything_back(graph: Graph, site: WebServer) -> None:
    async def leave() -> None:
        async with aclosing(
            scrape(graph, [f"{site.url}/{n}" for n in range(9)], batch="b", settings=local())
        ) as events:
            async for event in events:
                if event.name == "scrape_finished":
                    break

    asyncio.run(leave())
    left = graph.query("MATCH (i:ScrapeItem) RETURN i.state, i.lease, i.retry_count").rows
    assert {row[0] for row in left} <= {"idle", "scraped", "completed"} and all(row[1] <= 0 for row in left)
    assert {row[2] for row in left} == {0}, "no try was burnt"
    assert run(graph, batch="b", settings=local())[-1].counts == {"completed": 9}


def test_a_paused_pipeline_claims_nothing(graph: Graph, site: WebServer) -> None:
    graph.pause("scrape_item", "rest")
    assert names(run(graph, [f"{site.url}/a"], batch="b", settings=local())) == ["batch_started", "paused"]
    graph.resume("scrape_item")
    assert run(graph, batch="b", settings=local())[-1].counts == {"completed": 1}


def test_a_hook_that_fails_is_tried_again_with_the_same_key(graph: Graph, site: WebServer) -> None:
    keys: list[str] = []

    async def hook(batch: BatchResults) -> list[Step]:
        keys.append(batch.key)
        if len(keys) < 3:
            raise OSError("away")
        return [Step("article.seed", {"rows": [{"title": page.url, "seq": 0} for page in batch.items()], "now": 0})]

    events = run(graph, [f"{site.url}/a"], batch="b", settings=local(), hook=hook)
    assert names(events)[-3:] == ["hook_failed", "hook_failed", "hook_finished"] and set(keys) == {"scrape_item/b/1"}
    assert [row["key"] for row in graph.read("article.named", keys=[f"{site.url}/a"])] == [f"{site.url}/a"]


def test_what_a_hook_wants_written_is_not_when_its_leader_was_replaced(graph: Graph, site: WebServer) -> None:
    def hook(batch: BatchResults) -> list[Step]:
        graph.execute("MATCH (b:ScrapeBatch {name: 'b'}) SET b.lease = 5")  # another manager has the batch
        return [Step("article.seed", {"rows": [{"title": "by the hook", "seq": 0}], "now": 0})]

    with pytest.raises(BatchLost):
        run(graph, [f"{site.url}/a"], batch="b", settings=local(), hook=hook)
    assert graph.read("article.named", keys=["by the hook"]) == []
    assert graph.read("scrape_item.batch", batch="b")[0]["hook"] == "pending"


def test_a_command_as_a_hook_gets_the_results(graph: Graph, site: WebServer, tmp_path: Path) -> None:
    script = "import os, sys; open(sys.argv[1], 'w').write(os.environ['GRAPHVINE_HOOK_KEY'] + ' ' + sys.stdin.read())"
    settings = local(hook_command=f'{sys.executable} -c "{script}" {tmp_path / "out"}')
    events = run(graph, [f"{site.url}/a"], batch="b", settings=settings)
    assert events[-1].name == "hook_finished"
    key, _, result = (tmp_path / "out").read_text().partition(" ")
    assert key == "scrape_item/b/1" and '"state": "completed"' in result


def test_a_command_that_fails_for_good_is_told(graph: Graph, site: WebServer) -> None:
    settings = local(hook_command="false", hook_tries=2)
    events = run(graph, [f"{site.url}/a"], batch="b", settings=settings)
    assert names(events)[-2:] == ["hook_failed", "hook_failed"] and "status 1" in events[-1].error
    assert graph.read("scrape_item.batch", batch="b")[0]["hook"] == "failed"


def test_a_second_manager_is_refused_or_stands_by_and_takes_over(place: Place, site: WebServer) -> None:
    clock = ManualClock()
    with place.open(clock) as graph:
        batch = submit(graph, "b", [f"{site.url}/a"])
        first = Manager(graph, batch, local())
        first.lease.take()
        assert len(first.claim_scrapes()) == 1
        with pytest.raises(BatchBusy, match="runs the batch"):
            run(graph, batch="b", settings=local())

        async def stand_by() -> list[str]:
            found = []
            async with aclosing(scrape(graph, batch="b", settings=local(), standby=True)) as events:
                async for event in events:
                    found.append(event.name)
                    if event.name == "standing_by":
                        clock.forward(31)  # the first is silent for too long
            return found

        assert asyncio.run(stand_by())[:2] == ["standing_by", "batch_started"]
        assert by_path(graph, "b")["/a"].state == "completed"
        with pytest.raises(BatchLost):
            first.beat()


def test_two_batches_share_the_slots(graph: Graph, site: WebServer) -> None:
    settings = local(max_scrapes=2)
    managers = []
    for name in ("one", "two"):
        manager = Manager(graph, submit(graph, name, [f"{site.url}/{n}" for n in range(3)]), settings)
        manager.lease.take()
        managers.append(manager)
    assert [len(managers[0].claim_scrapes()), len(managers[1].claim_scrapes())] == [2, 0]
    managers[0].release()
    assert len(managers[1].claim_scrapes()) in (0, 2)
    managers[1].beat()
    managers[1].claim_scrapes()
    assert managers[1].active_scrapes == 2

    async def both() -> None:
        await asyncio.gather(*(gather(graph, batch=name, settings=settings, standby=True) for name in ("one", "two")))

    for manager in managers:
        manager.release()
        manager.lease.release()
    asyncio.run(both())
    assert {row["state"] for n in ("one", "two") for row in rows(graph, _batch(graph, n)).values()} == {"completed"}


def _batch(graph: Graph, name: str) -> Batch:
    return Batch(name, graph.read("scrape_item.batch", batch=name)[0]["seq"])


def test_the_common_loop_is_refused(graph: Graph) -> None:
    with pytest.raises(NoHandler, match="graphvine scrape"):
        handler(graph, "scrape_item")


@pytest.mark.parametrize(
    "address", ["ftp://a.example/", "http://", "a b", "http://user:secret@a.example/", 5, "x" * 3000]
)
def test_a_bad_address_is_named_before_anything_is_written(graph: Graph, address: object) -> None:
    with pytest.raises(BadAddress, match="item 1"):
        run(graph, ["http://a.example/", address], batch="b", settings=local())  # type: ignore[list-item]
    assert graph.query("MATCH (i:ScrapeItem) RETURN count(*)").rows == [[0]]


def test_names_of_batches() -> None:
    assert name_for(["b", "a", "a"]) == name_for(["a", "b"]) != name_for(["a"])
    assert check_addresses(["HTTP://A.example#x", "http://a.example/"]) == ["http://a.example/"]


@pytest.mark.parametrize("name", ["", "a b", "../x", "x" * 81])
def test_a_bad_name_is_refused(graph: Graph, name: str) -> None:
    with pytest.raises(BadBatch):
        run(graph, ["http://a.example/"], batch=name, settings=local())


def test_a_batch_that_is_not_there_is_told(graph: Graph) -> None:
    with pytest.raises(GraphvineError, match="no batch 'nowhere'"):
        run(graph, batch="nowhere", settings=local())
