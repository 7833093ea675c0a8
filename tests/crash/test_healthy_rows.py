"""Kills every few moments, over several pipelines: no healthy row is given up, and the graph is that of a calm run."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest

from tests.crash.several_pipelines import Works, look, work_on, write_items
from tests.pipelines.news.servers import Site
from tests.pipelines.wikipedia.dump_writer import dump_xml, many_pages
from tests.support.processes import Child, ChildDied, run
from tests.support.stores import Place
from tests.support.web_server import Request, WebServer

pytestmark = pytest.mark.long("works on five pipelines again and again, in processes that are killed")

KILLS, ARTICLES, ITEMS = 6, 8, 300
# With --full: kills every 2 to 7 seconds for ten minutes, over all pipelines.
FULL_SECONDS, FULL_ARTICLES, FULL_ITEMS = 600, 45, 3_000
EARLIEST_SECONDS, LATEST_SECONDS = 2.0, 7.0


class SlowSite(Site):
    """Its pages take a while, so that kills find them in hand."""

    async def answer(self, request: Request) -> None:
        if "/page/" in request.path:
            await request.pause(0.1)
        await super().answer(request)


def finish(place: Place, works: Works, first: int) -> float:
    """All of the work, undisturbed; returns how long it took."""
    began = time.monotonic()
    with Child(work_on, place, works, first) as child:
        while isinstance(child.hear(), str):
            pass
    return time.monotonic() - began


def killed(place: Place, works: Works, first: int, seconds: float) -> bool:
    """Let it work for so long, and kill it; False when it came to its end before."""
    end = time.monotonic() + seconds
    with Child(work_on, place, works, first) as child:
        while (left := end - time.monotonic()) > 0:
            if child.says_nothing_for(left):
                break
            try:
                if not isinstance(child.hear(), str):
                    return False
            except ChildDied as died:
                raise AssertionError(f"it ended by itself: {died}") from died
    return True


def new(folder: Path, engine: str) -> Place:
    folder.mkdir(parents=True)
    return Place(engine, folder)


def test_no_healthy_row_is_given_up_by_kills_alone(engine_name: str, tmp_path: Path, full: bool) -> None:
    site, chance = SlowSite(), random.Random(16)
    articles = FULL_ARTICLES if full else ARTICLES
    site.add(*range(articles))
    pages = many_pages(60 if full else 15, 5)
    dump = tmp_path / "wiki.xml"
    dump.write_bytes(dump_xml(pages))
    seeds = [page.title for page in pages if len(page.texts) > 1][:3]
    items = str(write_items(tmp_path / "items.jsonl", FULL_ITEMS if full else ITEMS))
    with WebServer(site.answer) as server:
        site.url = server.url
        works = Works(server.url, articles, str(dump), seeds, items)
        calm = new(tmp_path / "calm", engine_name)
        took = finish(calm, works, 0)
        wanted: dict[str, Any] = run(look, calm)
        assert len(wanted["found"]["hn"]) == (FULL_ITEMS if full else ITEMS)
        assert wanted["found"]["news"] and wanted["found"]["page"] and wanted["found"]["article"]
        assert len(wanted["content"]["news"]) == len(wanted["content"]["pages"]) == articles
        assert not wanted["ailments"] and not any("lost" in reason for _, reason in wanted["failed"])
        until, kills, graphs = time.monotonic() + FULL_SECONDS, 0, 0
        while (time.monotonic() < until) if full else (kills < KILLS):
            place = new(tmp_path / f"killed {graphs}", engine_name)
            earliest, latest = (EARLIEST_SECONDS, LATEST_SECONDS) if full else (0.1, took / 2)
            while killed(place, works, kills, chance.uniform(earliest, latest)):
                kills += 1
                # Where one run takes longer than a life, none would ever come to its end.
                if kills >= KILLS and (not full or time.monotonic() >= until):
                    break
            finish(place, works, kills)
            found = run(look, place)
            graphs += 1
            assert found["failed"] == wanted["failed"], f"after {kills} kills"
            for part, held in wanted["content"].items():
                assert found["content"][part] == held, f"{part} after {kills} kills"
            assert found["found"] == wanted["found"], f"what a search finds, after {kills} kills"
            assert not found["ailments"], f"after {kills} kills"
    print(f"{kills} kills over {graphs} graphs, each after {earliest:.1f} to {latest:.1f} s")
