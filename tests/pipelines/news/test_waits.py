"""A provider that failed is left alone for a while, which is said; and asked at once where that is wanted."""

from __future__ import annotations

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from graphvine.workers.news.updater import Updater
from tests.pipelines.news.servers import Site
from tests.pipelines.news.support import feed, local, newsdata, update
from tests.pipelines.news.test_updater import asked
from tests.support.web_server import Request


def test_a_provider_that_asks_for_time_is_left_alone_for_it(graph: Graph, site: Site, clock: ManualClock) -> None:
    site.add(1)

    async def limited(request: Request) -> bool:
        if request.path.startswith("/newsdata"):
            await request.answer(b"slow down", status=429, Retry_After="600")
            return True
        return False

    site.before = limited
    both = [newsdata(site), feed(site)]
    run = update(graph, site, providers=both)
    assert run.found == 1 and "429" in run.errors["newsdata"], "the other provider is not kept from it"
    site.before = None
    clock.forward(500)
    waited = update(graph, site, providers=both)
    assert "100 s to wait" in waited.errors["newsdata"] and waited.waiting == {"newsdata": 100.0}
    assert asked(site, "/newsdata") == 1
    clock.forward(101)
    assert update(graph, site, providers=both).errors == {} and asked(site, "/newsdata") == 2


def test_now_asks_a_provider_that_was_to_be_left_alone(graph: Graph, site: Site) -> None:
    site.add(1)

    async def limited(request: Request) -> bool:
        await request.answer(b"slow down", status=503)
        return True

    site.before = limited
    assert "503" in update(graph, site).errors["newsdata"]
    site.before = None
    assert "60 s to wait" in update(graph, site).errors["newsdata"]
    assert Updater(graph, local(), providers=[newsdata(site)], now=True).run_once().found == 1
