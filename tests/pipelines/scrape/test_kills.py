"""SIGKILL at any moment, again and again: everything ends, nothing is summarized twice, the hook takes effect once."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.pipelines.scrape import killing
from tests.pipelines.scrape.support import TEXT
from tests.support.processes import Child, ChildDied, prepare, run
from tests.support.stores import Place
from tests.support.web_server import Request, WebServer

pytestmark = pytest.mark.long("scrapes a batch again and again, in processes that are killed")


@pytest.fixture(scope="module", autouse=True)
def warm_server() -> None:
    prepare("kuzu", "httpx", "tests.support.warm", "tests.pipelines.scrape.killing")


async def page(request: Request) -> None:
    await request.pause(0.02)
    await request.answer(f"{TEXT} This is {request.path}.".encode())


def test_killed_again_and_again(template: Place, tmp_path: Path, full: bool) -> None:
    kills, pages = (100, 150) if full else (5, 12)
    chance = random.Random(7)
    place = template.copy_to(tmp_path / "store")
    calls = tmp_path / "calls"
    done: set[str] = set()
    heard_of_end = 0
    with WebServer(page) as server:
        urls = [f"{server.url}/{number}" for number in range(pages)]
        for kill in range(kills):
            with Child(killing.scrape_on, place, urls, calls) as child:
                try:
                    for _ in range(chance.randint(1, 12)):
                        heard_of_end += hear(child.hear(), done)
                    child.says_nothing_for(chance.random() * 0.03)
                except ChildDied:
                    assert heard_of_end, f"kill {kill}: it ended by itself before its work was done"
                child.kill()
                for said in child.leftovers():
                    heard_of_end += hear(said, done)
        with Child(killing.scrape_on, place, urls, calls) as child:
            while True:
                said = child.hear()
                if not isinstance(said, tuple):
                    break
                hear(said, done)
        seen = run(killing.look, place)
    assert set(seen["states"].values()) == {"completed"} and len(seen["states"]) == pages
    assert seen["batch"] == ("finished", "done", "scrape_item/killed/1", 1)
    assert seen["effects"] == 1, "the hook took effect once"
    assert seen["ailments"] == []
    called = calls.read_text().splitlines()
    assert called and set(called) == {f"scrape_item/killed/1 {pages}"}, "each call had the same key and all results"


def hear(said: object, done: set[str]) -> int:
    """What a child told: a page whose final summary is saved must never be worked on again."""
    if not isinstance(said, tuple):
        return 1  # it came to its end
    name, url = said
    assert url not in done or not url, f"{name} of {url}, whose final summary was saved before"
    if name == "summary_finished":
        done.add(url)
    return int(name == "batch_finished")


def test_killed_while_its_hook_runs(template: Place, tmp_path: Path) -> None:
    place, calls = template.copy_to(tmp_path / "store"), tmp_path / "calls"
    with WebServer(page) as server:
        urls = [f"{server.url}/{number}" for number in range(2)]
        with Child(killing.scrape_on, place, urls, calls) as child:
            while child.hear() != ("hook_called", ""):
                pass
            child.kill()
        run(killing.scrape_on, place, urls, calls)
        run(killing.scrape_on, place, urls, calls)
    seen = run(killing.look, place)
    assert seen["effects"] == 1 and seen["batch"][1] == "done"
    assert len(calls.read_text().splitlines()) in (1, 2), "once, or twice with the same key when the kill came first"
