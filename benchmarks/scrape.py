"""Two hundred pages of a site that is slow, broken, huge and endless: is every slot of the manager in use?

The manager fetches eight pages at once. Most pages answer after a second; the others fail, break off, say that they
are larger than anything, send on without end or send nothing, all along the way. While pages wait there is work for
every slot: a slot's time counts as used while the site answers a request of it, from the first request until the last
page is asked for the first time. Fetching, reading the text, summarizing and saving go on in that time.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter
from contextlib import aclosing
from pathlib import Path

import graphvine
from graphvine.graph import Graph
from graphvine.settings import Settings
from graphvine.workers.scrape.api import scrape
from graphvine.workers.scrape.batches import find, results
from graphvine.workers.scrape.settings import ScrapeSettings
from support.command import main
from support.findings import Findings
from support.progress import Bar
from support.slow_site import slow_site

SLOTS = 8
PAGE_SECONDS, QUICK_PAGE_SECONDS = 1.0, 0.05
KINDS = {"page": 180, "fails": 10, "huge": 3, "breaks": 2, "endless": 3, "silent": 2}
QUICK_KINDS = {"page": 20, "fails": 1, "huge": 1, "breaks": 1, "endless": 1, "silent": 1}
LEAST_USED = 0.95


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, help=f"how long a page takes (default {PAGE_SECONDS})")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    kinds = QUICK_KINDS if arguments.quick else KINDS
    settings = ScrapeSettings(
        allowed_private_hosts="127.0.0.1", summarizer="words", max_scrapes=SLOTS, per_host_concurrency=SLOTS,
        wake_ms=100, max_bytes=1_000_000, total_seconds=4.0, read_seconds=3.5,
    )  # fmt: skip
    bar.expect(1)
    store = Settings(backoff_seconds=0.2, max_retries=2)
    with slow_site() as (site, url), graphvine.open(folder / "graph.kuzu", settings=store) as graph:
        bar.say("warming up")
        run(graph, [f"{url}/page/first-{number}" for number in range(SLOTS)], "trial", settings)
        site.forget()
        site.page_seconds = arguments.seconds or (QUICK_PAGE_SECONDS if arguments.quick else PAGE_SECONDS)
        bar.say(f"{sum(kinds.values())} pages")
        began = time.monotonic()
        run(graph, addresses(url, kinds), "pages", settings)
        took = time.monotonic() - began
        bar.step()
        states = Counter((result.url.split("/")[3], result.state) for result in results(graph, find(graph, "pages")))
        used = site.share_used(SLOTS)
    findings.tables["pages"] = [
        {"kind": kind, "pages": count, "completed": states[kind, "completed"], "failed": states[kind, "failed"]}
        for kind, count in kinds.items()
    ]
    findings.notes.append(f"{took:.1f} s in all, {site.most} requests at once at most")
    findings.speed_goal(
        "share of the slots' time in use", f"at least {LEAST_USED:.0%}", f"{used:.1%}", used >= LEAST_USED
    )
    wanted = {(kind, "completed" if kind == "page" else "failed"): count for kind, count in kinds.items()}
    findings.correctness_goal(
        "pages that end as they should", f"{sum(kinds.values())}", f"{(states & Counter(wanted)).total()}",
        states == wanted,
    )  # fmt: skip
    findings.correctness_goal("requests at once", f"at most {SLOTS}", f"{site.most}", site.most <= SLOTS)


def addresses(url: str, kinds: dict[str, int]) -> list[str]:
    """Every kind evenly along the way."""
    spread = [(number / count, f"{url}/{kind}/{number}") for kind, count in kinds.items() for number in range(count)]
    return [address for _, address in sorted(spread)]


def run(graph: Graph, urls: list[str], batch: str, settings: ScrapeSettings) -> None:
    async def to_its_end() -> None:
        async with aclosing(scrape(graph, urls, batch=batch, settings=settings)) as events:
            async for _ in events:
                pass

    asyncio.run(to_its_end())


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
