"""Two hundred pages of a site that is slow, broken, huge and endless: eight at once, no slot idle, bad pages fail."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

from graphvine.clock import SystemClock
from tests.scrape.support import TEXT, by_path, local, names, run
from tests.support.stores import Place
from tests.support.web_server import Request, Traffic, WebServer

SLOTS = 8
# So many pages that answer at once tell how quick the machine is.
TRIAL = 24
# Each takes its place in the list, so that bad pages come all along the way.
KINDS = {
    "slow": 140, "html": 40, "fails": 5, "gone": 5, "huge": 3, "endless": 3, "silent": 2, "breaks": 2,
}  # fmt: skip
REASONS = {
    "fails": "500", "gone": "410", "huge": "larger than", "endless": "not complete after", "silent": "in time",
    "breaks": "broke off",
}  # fmt: skip


class Site:
    """How long its pages take is set by what the machine can do: a busy one is not a fault of the manager."""

    pace_seconds = 0.0

    async def answer(self, request: Request) -> None:
        await page(request, self.pace_seconds)


async def page(request: Request, pace_seconds: float) -> None:
    kind = request.path.split("/")[1]
    if kind == "slow":
        await request.pause(pace_seconds)
        await request.answer(f"{TEXT} This is {request.path}.".encode())
    elif kind == "html":
        await request.begin(media_type="text/html")
        await request.pause(pace_seconds)
        await request.send(f"<html><title>Vines</title><body><article><p>{TEXT}</p></article>".encode())
    elif kind == "fails":
        await request.pause(0.5)
        await request.answer(b"out of order", status=500)
    elif kind == "gone":
        await request.pause(0.5)
        await request.answer(b"gone", status=410)
    elif kind == "huge":
        await request.begin(Content_Length=str(1 << 40))
        await request.pause(0.5)
        await request.send(b"x" * 100_000)
    elif kind == "endless":
        await request.begin()
        while True:
            await request.send(b"and so on ")
            await request.pause(0.05)
    elif kind == "silent":
        await request.pause(600)
    else:
        await request.begin(Content_Length="1000")
        await request.pause(0.4)
        await request.send(b"half of ")


def addresses(url: str) -> list[str]:
    queues = [[f"{url}/{kind}/{number}" for number in range(count)] for kind, count in KINDS.items()]
    spread = [(place / len(queue), address) for queue in queues for place, address in enumerate(queue)]
    return [address for _, address in sorted(spread)]


def test_two_hundred_pages(template: Place, tmp_path: Path) -> None:
    site = Site()
    settings = local(total_seconds=4.0, read_seconds=3.5, max_bytes=1_000_000)
    with (
        WebServer(site.answer) as server,
        template.copy_to(tmp_path / "store").open(SystemClock(), backoff_seconds=0.2, max_retries=2) as graph,
    ):
        began = time.monotonic()
        run(graph, [f"{server.url}/slow/first-{number}" for number in range(TRIAL)], batch="trial", settings=settings)
        site.pace_seconds = min(2.0, max(0.8, 20 * (time.monotonic() - began) / TRIAL))
        server.traffic = traffic = Traffic()
        events = run(graph, addresses(server.url), batch="pages", settings=settings)
        results = by_path(graph, "pages")
    assert names(events)[-1] == "batch_finished"
    assert traffic.most == SLOTS
    states = Counter((path.split("/")[1], result.state) for path, result in results.items())
    assert states == {(kind, "failed" if kind in REASONS else "completed"): count for kind, count in KINDS.items()}
    for path, result in results.items():
        kind = path.split("/")[1]
        if kind in REASONS:
            assert REASONS[kind] in (result.error or ""), (path, result.error)
        else:
            assert result.summary and result.summarizer == "extractive (word statistics)"
    # While pages wait there is work for every slot. The last to be asked for the first time marks the end of that.
    first_asked = list(dict.fromkeys(traffic.asked))
    assert len(first_asked) == sum(KINDS.values())
    used = traffic.share_used(SLOTS, traffic.asked_at[traffic.asked.index(first_asked[-1])])
    print(f"used {used:.1%} at {site.pace_seconds:.1f} s a page")
    assert used >= 0.95, f"the slots were used {used:.1%} of the time"
