"""Faulty pages: each ends in the declared place, with its reason, and keeps none of the others from their end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from tests.pipelines.news.servers import TEXT, Site
from tests.pipelines.news.support import articles, feed, in_order, process, process_all, queue, update
from tests.support.waiting import WAIT_LIMIT
from tests.support.web_server import Request, WebServer

Page = Callable[[Request], Awaitable[None]]
HASTY = {"total_seconds": 1.0, "max_bytes": 50_000}  # for pages that have no end
PATIENT = {"max_bytes": 50_000}


def status(code: int, **headers: str) -> Page:
    async def page(request: Request) -> None:
        await request.answer(b"no", status=code, **headers)

    return page


async def silent(request: Request) -> None:
    await request.pause(WAIT_LIMIT)


async def endless(request: Request) -> None:
    await request.begin()
    while True:
        await request.send(b"more and more and more\n" * 1_000)


async def dripping(request: Request) -> None:
    await request.begin()
    while True:
        await request.send(b"drop\n")
        await request.pause(0.05)


async def picture(request: Request) -> None:
    await request.answer(b"\x89PNG\r\n\x1a\n" + bytes(100), media_type="image/png")


async def empty(request: Request) -> None:
    await request.answer(b"<html><body><script>render()</script></body></html>", media_type="text/html")


async def nothing(request: Request) -> None:
    await request.answer(b"  \n")


async def broken_off(request: Request) -> None:
    await request.begin(Content_Length="1000")
    await request.send(b"half of it")


async def inside(request: Request) -> None:
    """A redirect into this machine, to a port that nobody has allowed."""
    await request.answer(status=302, Location="http://127.0.0.1:9/admin")


async def round_and_round(request: Request) -> None:
    await request.answer(status=302, Location=request.path)


# The page, what its reason says, and whether it is tried again (after which it ends as failed too).
FAULTS: dict[str, tuple[Page, str, bool]] = {
    "429": (status(429, Retry_After="1"), "429", True),
    "500": (status(500), "500", True),
    "503": (status(503), "503", True),
    "broken_off": (broken_off, "broke off", True),
    "404": (status(404), "404", False),
    "451": (status(451), "451", False),
    "endless": (endless, "larger than 50000 bytes", False),
    "picture": (picture, "picture", False),
    "empty": (empty, "no text", False),
    "nothing": (nothing, "empty", False),
    "inside": (inside, "private network", False),
    "round": (round_and_round, "redirects more than", False),
}
ENDLESS: dict[str, tuple[Page, str, bool]] = {
    "silent": (silent, "after 1 s", True),
    "dripping": (dripping, "after 1 s", True),
}


@pytest.mark.parametrize(("faults", "limits"), [(FAULTS, PATIENT), (ENDLESS, HASTY)], ids=["faults", "without an end"])
def test_each_faulty_page_ends_in_the_declared_place_with_its_reason(
    site: Site, graph: Graph, clock: ManualClock, faults: dict[str, tuple[Page, str, bool]], limits: dict[str, float]
) -> None:
    for number, (name, (page, _, _)) in enumerate(faults.items()):
        site.add(number, path=f"/fault/{name}")
        site.pages[f"/fault/{name}"] = page
    good = int(limits is PATIENT)  # which may take as long as it likes
    site.add(*[99][:good])
    port = site.url.rpartition(":")[2]
    chosen = {
        **limits,
        "allowed_private_hosts": f"127.0.0.1:{port}",
        "max_articles_per_run": 20,
        "concurrency": 20,
        "per_host_concurrency": 20,
    }
    site.per_page = 50
    update(graph, site, **chosen)
    run = process(graph, **chosen)
    found = articles(graph)
    for name, (_, reason, again) in faults.items():
        row = found[f"/fault/{name}"]
        assert reason in row["last_error"], f"{name}: {row['last_error']}"
        assert row["state"] == ("pending" if again else "failed"), name
        assert (row["id"] in queue(graph)) == again and row["contentTimeout"] == 1, name
    assert run.loaded == len(faults) + good
    assert not good or found["/page/99"]["state"] == "processed"
    in_order(graph)
    # Those that may pass do not: each has its last try at the end of the queue, and fails.
    process_all(graph, clock, max_content_fetch_attempts=2, **chosen)
    for name, (_, reason, again) in faults.items():
        row = articles(graph)[f"/fault/{name}"]
        assert row["state"] == "failed" and reason in row["last_error"] and row["contentTimeout"] == (3 if again else 1)
    failed = {row.key: row.reason for row in graph.failed("news_article")}
    assert len(failed) == len(faults) and all(failed.values())


def test_robots_txt_is_obeyed(graph: Graph, clock: ManualClock) -> None:
    site = Site()
    with WebServer(site.answer, robots="User-agent: *\nDisallow: /page/2\n") as server:
        site.url = server.url
        site.add(1, 2)
        update(graph, site)
        process(graph, obey_robots=True)
        assert "/page/2" not in server.traffic.asked
    found = articles(graph)
    assert found["/page/1"]["state"] == "processed"
    assert found["/page/2"]["state"] == "failed" and "robots.txt" in found["/page/2"]["last_error"]


def test_few_requests_at_once_go_to_one_host(graph: Graph, site: Site) -> None:
    async def slow(request: Request) -> None:
        """Until another is asked for meanwhile, and then long enough for a third."""
        while site.traffic.now < 2 and "/page/7" not in site.traffic.asked:
            await request.pause(0.005)
        await request.pause(0.03)
        await request.answer(TEXT.encode())

    site.add(*range(8))
    for number in range(8):
        site.pages[f"/page/{number}"] = slow
    update(graph, site)
    site.traffic.most = 0
    assert process(graph, max_articles_per_run=8, per_host_concurrency=2).removed == 8
    assert site.traffic.most == 2


def test_private_addresses_are_out_of_bounds_by_default(graph: Graph, site: Site) -> None:
    site.add(1)
    refused = update(graph, site, allowed_private_hosts="")
    assert refused.found == 0 and "private network" in refused.errors["newsdata"]
    update(graph, site, topic="FEED", providers=[feed(site)])
    process(graph, topic="FEED", allowed_private_hosts="")
    row = articles(graph, "FEED")["/page/1"]
    assert row["state"] == "failed" and "private network" in row["last_error"] and "/page/1" not in site.traffic.asked


@pytest.mark.parametrize(("page", "reason"), [(silent, "after 1 s"), (endless, "larger than"), (dripping, "after 1 s")])
def test_a_provider_without_an_end_is_left(graph: Graph, site: Site, page: Page, reason: str) -> None:
    async def faulty(request: Request) -> bool:
        await page(request)
        return True

    site.before = faulty
    run = update(graph, site, **HASTY)
    assert run.found == 0 and reason in run.errors["newsdata"]
