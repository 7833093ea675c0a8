"""SIGKILL at random moments of `graphvine grow`: started again until it is done, it leaves the same graph."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.common.embedding.small_models import write_small_model
from tests.crash.growing import grow, grow_and_embed, grow_and_switch, look
from tests.pipelines.wikipedia.dump_writer import dump_xml, many_pages
from tests.support.processes import Child, ChildDied, run
from tests.support.stores import Place

pytestmark = pytest.mark.long("grows a graph again and again, in processes that are killed")

KILLS, FULL_KILLS = 6, 50
PAGES = 100
# Moments of a run: opening, first batches, checkpoints, the end, which is where an undisturbed run has it.
EARLIEST_SECONDS = 0.05
_LOOK_SECONDS = 0.002


@dataclass(frozen=True)
class Job:
    """What to grow, and from where."""

    seeds: list[str]
    source: str
    embedder: str
    cache: str
    work: Callable[..., float] = grow

    @property
    def arguments(self) -> tuple[list[str], str, str, str]:
        return self.seeds, self.source, self.embedder, self.cache

    def start(self, place: Place) -> Child:
        return Child(self.work, place, *self.arguments)


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Job:
    pages = many_pages(PAGES, 5)
    path = tmp_path_factory.mktemp("dump") / "wiki.xml"
    path.write_bytes(dump_xml(pages))
    # A seed that is a category or a disambiguation page would end the command with status 1: articles have two texts.
    articles = [page.title for page in pages if len(page.texts) > 1]
    return Job(articles[:3], str(path), "none", str(path.parent))


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Job:
    return Job(["Vine"], "sample", "light", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def queue(sample: Job) -> Job:
    """The sample with its vectors from the queue: the graph must be the same as with vectors at once."""
    return replace(sample, work=grow_and_embed)


@pytest.fixture(scope="module")
def switch(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A graph that moves to another model; both are small."""
    cache = tmp_path_factory.mktemp("models")
    write_small_model(cache / "model", seed=1)
    write_small_model(cache / "another", seed=2)
    return Job(["Vine"], "sample", "light", str(cache), grow_and_switch)


def empty(folder: Path, engine: str) -> Place:
    folder.mkdir(parents=True)
    return Place(engine, folder)


def undisturbed(job: Job, place: Place) -> tuple[dict[str, Any], float]:
    """What the graph holds then, and how long it took."""
    took: float = run(job.work, place, *job.arguments)
    seen: dict[str, Any] = run(look, place)
    assert len(seen["content"]["articles"]) > 50 and not seen["ailments"]
    return seen, took


def same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Equal, numbers, times, tokens and failures aside, and vectors within a hair's breadth."""
    for part, wanted in one["content"].items():
        assert other["content"][part] == wanted, part
    assert set(other["vectors"]) == set(one["vectors"])
    for key, vector in one["vectors"].items():
        if vector:
            assert np.allclose(other["vectors"][key], vector, atol=1e-3, rtol=0), key
        else:
            assert not other["vectors"][key]


def in_checkpoint(place: Place) -> bool:
    return place.path.with_name(place.path.name + ".safe").exists()


def is_to_die(child: Child, place: Place, seconds: float, *, aimed: bool) -> bool:
    """True after so long, or once it is seen inside a checkpoint; False when it is done before."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not child.says_nothing_for(_LOOK_SECONDS):
            return False
        if aimed and in_checkpoint(place):
            break
    return True


def kill_and_start_again(
    job: Job, folder: Path, engine: str, kills: int, seed: int, longest: float
) -> tuple[list[dict[str, Any]], int]:
    """Grow graph after graph until so many were killed; what each graph holds, and how many kills met a checkpoint."""
    chance = random.Random(seed)
    graphs: list[dict[str, Any]] = []
    killed = mended = 0
    while killed < kills or not graphs:
        place = empty(folder / f"graph {len(graphs)}", engine)
        done = False
        while not done:
            with job.start(place) as child:
                moment = chance.uniform(EARLIEST_SECONDS, longest)
                if killed < kills and is_to_die(child, place, moment, aimed=killed % 2 == 1):
                    child.kill()
                    killed += 1
                    mended += in_checkpoint(place)
                    continue
                try:
                    child.hear()
                except ChildDied as died:
                    raise AssertionError(f"after {killed} kills: {died}") from died
                done = True
        graphs.append(run(look, place))
    return graphs, mended


@pytest.mark.parametrize("name", ["dump", "sample", "queue", "switch"])
def test_a_killed_growth_ends_in_the_same_graph(
    name: str, request: pytest.FixtureRequest, engine_name: str, tmp_path: Path, full: bool
) -> None:
    job: Job = request.getfixturevalue(name)
    wanted, took = undisturbed(job, empty(tmp_path / "undisturbed", engine_name))
    kills = request.config.getoption("--kills") or (FULL_KILLS if full else KILLS // 2)
    seed = random.SystemRandom().randrange(10**6)
    graphs, mended = kill_and_start_again(job, tmp_path, engine_name, kills, seed, took)
    for graph in graphs:
        assert not graph["ailments"]
        same(wanted, graph)
    if full and engine_name == "kuzu":
        assert mended, f"no kill met a checkpoint (seed {seed})"
