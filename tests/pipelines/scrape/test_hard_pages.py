"""Pages of a site that is broken, huge, silent and endless: the bad ones fail with a reason, the others are done."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from graphvine.clock import SystemClock
from tests.pipelines.scrape.support import TEXT, by_path, local, names, run
from tests.support.stores import Place
from tests.support.web_server import Request, WebServer

SLOTS = 8
KINDS = {"text": 24, "html": 12, "fails": 2, "gone": 2, "huge": 2, "endless": 1, "silent": 1, "breaks": 2}
REASONS = {
    "fails": "500", "gone": "410", "huge": "larger than", "endless": "not complete after", "silent": "in time",
    "breaks": "broke off",
}  # fmt: skip


async def page(request: Request) -> None:
    kind = request.path.split("/")[1]
    if kind == "text":
        await request.answer(f"{TEXT} This is {request.path}.".encode())
    elif kind == "html":
        await request.begin(media_type="text/html")
        await request.send(f"<html><title>Vines</title><body><article><p>{TEXT}</p></article>".encode())
    elif kind == "fails":
        await request.answer(b"out of order", status=500)
    elif kind == "gone":
        await request.answer(b"gone", status=410)
    elif kind == "huge":
        await request.begin(Content_Length=str(1 << 40))
        await request.send(b"x" * 100_000)
    elif kind == "endless":
        await request.begin()
        while True:
            await request.send(b"and so on ")
            await request.pause(0.05)
    elif kind == "silent":
        await request.pause(3600)
    else:
        await request.begin(Content_Length="1000")
        await request.send(b"half of ")


def addresses(url: str) -> list[str]:
    """Every kind evenly along the way, so that bad pages come between good ones."""
    spread = [(number / count, f"{url}/{kind}/{number}") for kind, count in KINDS.items() for number in range(count)]
    return [address for _, address in sorted(spread)]


def test_bad_pages_fail_with_a_reason_and_the_others_are_done(template: Place, tmp_path: Path) -> None:
    # The limits in time are for the two pages that have no end. Three tries each: a busy machine may miss one.
    settings = local(max_scrapes=SLOTS, total_seconds=6.0, read_seconds=5.0, max_bytes=1_000_000)
    with (
        WebServer(page) as server,
        template.copy_to(tmp_path / "store").open(SystemClock(), backoff_seconds=0.2, max_retries=2) as graph,
    ):
        events = run(graph, addresses(server.url), batch="pages", settings=settings)
        results = by_path(graph, "pages")
    assert names(events)[-1] == "batch_finished"
    assert 2 <= server.traffic.most <= SLOTS
    states = Counter((path.split("/")[1], result.state) for path, result in results.items())
    assert states == {(kind, "failed" if kind in REASONS else "completed"): count for kind, count in KINDS.items()}
    for path, result in results.items():
        kind = path.split("/")[1]
        if kind in REASONS:
            assert REASONS[kind] in (result.error or ""), (path, result.error)
        else:
            assert result.summary and result.summarizer == "extractive (word statistics)"
