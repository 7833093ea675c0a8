"""SIGKILL at each step, and at any moment: no article is lost, none is done twice, the checkpoint is valid."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.pipelines.news import killing
from tests.pipelines.news.servers import Site
from tests.support.processes import Child, prepare, run
from tests.support.stores import Place

pytestmark = pytest.mark.long("kills a process at every step of the updater and the processor")

UPDATER = ("index_read", "page_fetched", "stored")
PROCESSOR = (
    "additions_read",
    "merged",
    "repaired",
    "front_read",
    "loaded",
    "content_saved",
    "summary_saved",
    "finished",
)


@pytest.fixture(scope="module", autouse=True)
def warm_server(engine_name: str) -> None:
    prepare(engine_name, "httpx", "tests.support.warm", "tests.pipelines.news.warm", "tests.pipelines.news.killing")


def killed_at(step: str, place: Place, site: Site, *works: str) -> None:
    """Have this work done, and killed as soon as it stands at this step."""
    with Child(killing.working, place, site.url, works, step) as child:
        while child.hear() != step:
            pass
        child.kill()


def finished(place: Place, site: Site, *works: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Have this work done to its end: what was there before, and after."""
    with Child(killing.working, place, site.url, works) as child:
        before = said = child.hear()
        while not hasattr(said, "value"):
            said = child.hear()
        return before, said.value


def all_done(seen: dict[str, Any], count: int) -> None:
    assert len(seen["states"]) == count and set(seen["states"].values()) == {"processed"}, "no article is lost"
    phases = {phase: seen["passed"][phase] for phase in ("content", "summary", "sentiment")}
    assert phases == dict.fromkeys(phases, count), "a phase that was saved is not repeated"
    assert seen["queue"] == [] and (not seen["additions"] or seen["checkpoint"] == seen["additions"][-1])


def test_a_kill_at_each_step_of_the_updater(template: Place, tmp_path: Path, site: Site) -> None:
    place = template.copy_to(tmp_path / "store")
    for number, step in enumerate(UPDATER):
        site.add(*range(11 * number, 11 * number + 11))
        killed_at(step, place, site, "update")
        before, after = finished(place, site, "update", "process")
        there = 11 * number + (11 if step == "stored" else 0)
        assert len(before["states"]) == there, f"all of a run or nothing of it, at {step}"
        all_done(after, 11 * number + 11)
    assert run(killing.examine, place) == []


def test_a_kill_at_each_step_of_the_processor(template: Place, tmp_path: Path, site: Site) -> None:
    place = template.copy_to(tmp_path / "store")
    for number, step in enumerate(PROCESSOR):
        site.add(*range(3 * number, 3 * number + 3))
        killed_at(step, place, site, "update", "process")
        before, after = finished(place, site, "process")
        assert len(before["states"]) == 3 * number + 3 and set(before["states"].values()) <= {"pending", "processed"}
        all_done(after, 3 * number + 3)
        assert after["passed"]["additions"] == 3 * number + 3
    assert run(killing.examine, place) == []


def test_killed_at_any_moment_again_and_again(template: Place, tmp_path: Path, site: Site, full: bool) -> None:
    chance, number = random.Random(5), 0
    place = template.copy_to(tmp_path / "store")
    for _ in range(100 if full else 4):
        site.add(*range(number, number + 3))
        number += 3
        with Child(killing.working, place, site.url, ("update", "process")) as child:
            for _ in range(chance.randint(1, 18)):
                if hasattr(child.hear(), "value"):
                    break  # it came to its end before
            child.says_nothing_for(chance.random() * 0.03)
            child.kill()
    all_done(finished(place, site, "update", "process")[1], number)
    assert run(killing.examine, place) == []
