"""What the processes of the kill tests over several pipelines do: each command in turn, and a look at what came of it."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphvine.clock import SystemClock
from graphvine.workers.news.processor import Processor
from graphvine.workers.news.updater import Updater
from graphvine.workers.scrape.api import scrape
from graphvine.workers.scrape.batches import find, results
from tests.crash.growing import command
from tests.pipelines.news.servers import Site
from tests.pipelines.news.support import articles, local, newsdata, queue
from tests.pipelines.scrape.support import local as local_pages
from tests.support.grown import content
from tests.support.processes import Send
from tests.support.stores import Place

BATCH = "killed"
# As they are by default, but for the pause after a failure: what is given up here would be given up at a user's.
OPTIONS: dict[str, Any] = {"checkpoint_memory_mb": 1, "checkpoint_log_mb": 1}


@dataclass(frozen=True)
class Works:
    """What is to be done, by the name of its command."""

    url: str
    pages: int
    dump: str
    seeds: list[str]
    items: str

    @property
    def names(self) -> list[str]:
        return ["grow", "news", "scrape", "hn add", "upload"]


def work_on(send: Send, place: Place, works: Works, first: int) -> None:
    """All of it, from this one on; each says when it begins."""
    names = works.names
    for number in range(len(names)):
        name = names[(first + number) % len(names)]
        send(name)
        if name == "grow":
            command(place, "grow", *works.seeds, "--source", works.dump, "--depth", "20", embedder="none")
        elif name == "hn add":
            command(place, "hn", "add", works.items)
        elif name == "upload":
            command(place, "upload", works.items)
        else:
            with place.open(SystemClock(), **OPTIONS) as graph:
                if name == "news":
                    Updater(graph, local(), providers=[newsdata(Site(url=works.url))]).run_once()
                    Processor(graph, local(mentions=False)).run(until_empty=True)
                else:
                    asyncio.run(_scrape(graph, [f"{works.url}/page/{one}" for one in range(works.pages)]))


async def _scrape(graph: Any, urls: list[str]) -> None:
    async with aclosing(scrape(graph, urls, batch=BATCH, settings=local_pages())) as events:
        async for _ in events:
            pass


def write_items(path: Path, count: int) -> Path:
    items = [
        {"id": number, "type": "story", "by": "a", "time": 1_160_418_111 + number, "title": f"Story {number}"}
        for number in range(1, count + 1)
    ]
    path.write_text("\n".join(map(json.dumps, items)), "utf-8")
    return path


def searched(graph: Any) -> dict[str, list[str]]:
    """What the index holds, as searches tell: by words that every row of a kind has."""
    words = {"hn": "story", "news": "miners", "page": "miners", "article": "vine leaf tendril"}
    # More items than one search of all kinds gives.
    items, at = [], 0
    while page := graph.hn.search(words["hn"], limit=1_000, offset=at, sort="date").found:
        items += [str(one.item.id) for one in page]
        at += len(page)
    others = {
        kind: sorted(hit.key for hit in graph.search(words[kind], kind=[kind], mode="text", limit=100))
        for kind in ("news", "page", "article")
    }
    return {"hn": sorted(items), **others}


def look(send: Send, place: Place) -> dict[str, Any]:
    """Everything that holds, which rows failed and why, how often rows were lost, and what the doctor says."""
    with place.open(SystemClock(), **OPTIONS) as graph:
        batch, machines = find(graph, BATCH), graph.store.library.machines
        items = graph.query("MATCH (a:HNItem) RETURN a.hnId, a.state ORDER BY a.hnId").rows
        uploads = graph.query("MATCH (a:Upload) RETURN a.state, a.processed_items, a.failed_items").rows
        return {
            "content": {
                **content(graph),
                "news": {path: (row["state"], row["summary"]) for path, row in articles(graph).items()},
                "queue": queue(graph),
                "pages": {page.url: (page.state, page.summary) for page in results(graph, batch)},
                "items": items, "uploads": uploads,
            },
            "found": searched(graph),
            "failed": sorted((row.key, row.reason) for name in machines for row in graph.failed(name)),
            "ailments": [finding.detail for finding in graph.doctor() if not finding.ok],
        }  # fmt: skip
