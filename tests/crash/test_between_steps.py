"""A kill between any two steps of whatever touches the store's files.

A first run of each scene counts its steps. Then, for each of them, the scene is played on a copy of the same store
up to that step, killed there, and the store is opened as the next process would open it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.crash import scenes
from tests.support.processes import Child, run
from tests.support.stores import Place

pytestmark = pytest.mark.long("plays each scene once for every step at which it is killed")

Seen = dict[str, Any]
Judge = Callable[[Seen], str | None]


@dataclass(frozen=True)
class Known:
    """A store that nobody has open, and what is in it."""

    place: Place
    states: dict[str, str]


@pytest.fixture(scope="module")
def known(engine_name: str, tmp_path_factory: pytest.TempPathFactory) -> Known:
    place = Place(engine_name, tmp_path_factory.mktemp("known") / "store")
    return Known(place, run(scenes.prepare, place))


@pytest.fixture(scope="module")
def cut(known: Known, tmp_path_factory: pytest.TempPathFactory) -> Known:
    """The same store, killed in a checkpoint which has left the database in ruins."""
    place = known.place.copy_to(tmp_path_factory.mktemp("cut") / "store")
    points = run(scenes.act, "checkpoint", known.place.copy_to(place.folder.parent / "counted"), None)
    kill_at(place, "checkpoint", points.index("CHECKPOINT"))
    with place.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"half a checkpoint" * 1000)
    return Known(place, known.states)


@pytest.fixture(scope="module")
def other(engine_name: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A backup with other rows in it."""
    folder = tmp_path_factory.mktemp("other")
    return folder / "backup", run(scenes.make_backup, Place(engine_name, folder / "store"), folder / "backup")


def kill_at(place: Place, scene: str, step: int) -> str:
    with Child(scenes.act, scene, place, step) as child:
        said = child.hear()
        assert isinstance(said, str) and said.startswith("reached "), said
        return said.removeprefix("reached ")


@dataclass(frozen=True)
class Stage:
    """Where scenes are played, each time on a fresh copy."""

    folder: Path
    engine: str
    full: bool
    start: Known | None = None
    backup: Path | None = None

    def set_up(self, name: str) -> Place:
        root = self.folder / name
        if self.backup is not None:
            shutil.copytree(self.backup, root / "backup")
        if self.start is not None:
            return self.start.place.copy_to(root / "store")
        (root / "store").mkdir(parents=True)
        return Place(self.engine, root / "store")

    def kill_everywhere(self, scene: str, judge: Judge, *, sample: int = 40) -> list[str]:
        """Kill at each step in turn, or at a sample of them; `judge` says what is wrong with what is found then."""
        counted = self.set_up("counted")
        points: list[str] = run(scenes.act, scene, counted, None)
        whole = judge(run(scenes.look, counted))
        assert whole is None, f"without a kill: {whole}"

        def play(step: int) -> str | None:
            place = self.set_up(str(step))
            assert kill_at(place, scene, step) == points[step]
            try:
                return judge(run(scenes.look, place))
            except AssertionError as error:
                return f"it can't be opened or worked with: {error}"
            finally:
                shutil.rmtree(self.folder / str(step))

        played = chosen(points, 10_000 if self.full else sample)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = dict(zip(played, pool.map(play, played), strict=True))
        wrong = {f"step {step}, before {points[step]!r}": fault for step, fault in faults.items() if fault}
        assert not wrong, f"{len(wrong)} of {len(faults)} kills: {wrong}"
        return [points[step] for step in played]


def chosen(points: list[str], most: int) -> list[int]:
    """The decisive steps (those of the engine, in capitals, and renames, which say what counts), others evenly spread.

    Of a run of like steps (the pages of a file) three are enough: the first, one in the middle, the last. Where there
    are very many decisive ones (the statements that make a new store), they are spread evenly, too.
    """
    runs = [[step for step, _ in run] for _, run in groupby(enumerate(points), key=lambda pair: pair[1])]
    unlike = sorted({step for run in runs for step in (run[0], run[len(run) // 2], run[-1])})
    decisive = [step for step in unlike if points[step].split()[0].isupper() or points[step].startswith("rename")]
    others = [step for step in unlike if step not in decisive]
    decisive = spread(decisive, 3 * most)
    return sorted(decisive + spread(others, max(0, most - len(decisive))))


def spread(steps: list[int], most: int) -> list[int]:
    count = min(most, len(steps))
    return [steps[index * len(steps) // count] for index in range(count)]


def one_of(*expected: dict[str, str]) -> Judge:
    def judge(seen: Seen) -> str | None:
        if seen["ailments"]:
            return f"the doctor found {seen['ailments']}"
        if seen["states"] not in expected:
            sizes = [len(states) for states in expected]
            return f"{len(seen['states'])} rows, in none of the expected states (of {sizes} rows)"
        return None

    return judge


def first_free(known: Known) -> str:
    """The article that is claimed next."""
    return next_free(known, 1)[0]


@pytest.fixture
def stage(known: Known, tmp_path: Path, full: bool) -> Stage:
    return Stage(tmp_path, known.place.engine, full, known)


@pytest.mark.parametrize("scene", ["checkpoint", "opening", "closing", "failing_unit", "backup"])
def test_nothing_changes(stage: Stage, known: Known, scene: str) -> None:
    points = stage.kill_everywhere(scene, one_of(known.states), sample=4 if scene == "backup" else 10)
    if scene == "checkpoint":
        verbs = [point.split()[0] for point in points]
        checkpoint = verbs.index("CHECKPOINT")
        assert "rename" in verbs[:checkpoint] and "rename" in verbs[checkpoint:], "this was no bracket"


def test_a_unit_is_there_in_full_or_not_at_all(stage: Stage, known: Known) -> None:
    claimed = first_free(known)
    before = {**known.states, claimed: "claimed"}
    after = {**before, claimed: "processed"} | {f"result {number}": "discovered" for number in range(50)}
    assert "COMMIT" in stage.kill_everywhere("commit", one_of(before, after))


def next_free(known: Known, count: int) -> list[str]:
    """The articles that are claimed next."""
    free = [title for title, state in known.states.items() if state == "discovered" and title.startswith("old")]
    return sorted(free, key=lambda title: int(title.split()[1]))[1 : 1 + count]  # the one before them is backing off


def test_units_that_share_a_commit_are_there_together_or_not_at_all(stage: Stage, known: Known) -> None:
    claimed = next_free(known, 3)
    before = {**known.states, **dict.fromkeys(claimed, "claimed")}
    after = {**before, **dict.fromkeys(claimed, "processed")} | {
        f"result of {title}": "discovered" for title in claimed
    }
    points = stage.kill_everywhere("group_commit", one_of(before, after))
    assert points.count("COMMIT") == 1, "they shared no commit"


def test_what_workers_settle_and_claim_together_is_there_together_or_not_at_all(stage: Stage, known: Known) -> None:
    settled, claimed = next_free(known, 12)[:6], next_free(known, 12)[6:]
    before = {**known.states, **dict.fromkeys(settled, "claimed")}
    after = {**before, **dict.fromkeys(settled, "processed"), **dict.fromkeys(claimed, "claimed")}
    points = stage.kill_everywhere("exchanging_group", one_of(before, after))
    assert points.count("COMMIT") == 1, "they shared no commit"


def test_workers_beside_a_unit_that_fails_are_there_one_by_one(stage: Stage, known: Known) -> None:
    settled, claimed = next_free(known, 8)[:4], next_free(known, 8)[4:]

    def judge(seen: Seen) -> str | None:
        done = [title for title in settled if seen["states"][title] == "processed"]
        taken = [title for title in claimed if seen["states"][title] == "claimed"]
        if (done, len(taken)) != (settled[: len(done)], len(done)):
            return f"{done} are done and {taken} taken: not one after the other"
        expected = {**known.states, **dict.fromkeys(settled, "claimed")}
        return one_of({**expected, **dict.fromkeys(done, "processed"), **dict.fromkeys(taken, "claimed")})(seen)

    stage.kill_everywhere("failing_exchange", judge, sample=12)


def test_units_beside_one_that_fails_are_there_one_by_one(stage: Stage, known: Known) -> None:
    first, second = next_free(known, 2)
    before = {**known.states, first: "claimed", second: "claimed"}
    one, both = {**before, first: "processed"}, {**before, first: "processed", second: "processed"}
    stage.kill_everywhere("failing_group", one_of(before, one, both), sample=12)


def test_a_claim_is_there_or_not(stage: Stage, known: Known) -> None:
    """A unit of a single statement, which commits by itself."""
    judge = one_of(known.states, {**known.states, first_free(known): "claimed"})
    stage.kill_everywhere("claim", judge)


@pytest.mark.parametrize("scene", ["bulk_load", "typed_copy"])
def test_a_load_is_there_in_full_or_not_at_all(stage: Stage, known: Known, scene: str) -> None:
    def judge(seen: Seen) -> str | None:
        loaded = [title for title in seen["states"] if title.startswith("bulk ")]
        if len(loaded) not in (0, 2 * scenes.BULK):
            return f"{len(loaded)} of {2 * scenes.BULK} rows were loaded"
        rest = {title: state for title, state in seen["states"].items() if not title.startswith("bulk ")}
        return one_of(known.states)({**seen, "states": rest})

    assert "COPY" in stage.kill_everywhere(scene, judge, sample=4)


def test_recovery_can_be_killed_too(stage: Stage, cut: Known) -> None:
    points = replace(stage, start=cut).kill_everywhere("opening", one_of(cut.states), sample=12)
    assert "replace graph.db.back" in points


def test_a_new_store_can_be_killed_while_it_is_made(stage: Stage) -> None:
    replace(stage, start=None).kill_everywhere("opening", one_of({}), sample=5)


def test_a_restore_leaves_the_old_or_the_new(stage: Stage, known: Known, other: tuple[Path, dict[str, str]]) -> None:
    backup, states = other
    replace(stage, backup=backup).kill_everywhere("restore", one_of(known.states, states), sample=6)


def test_a_restore_over_a_cut_checkpoint_leaves_the_old_or_the_new(
    stage: Stage, cut: Known, other: tuple[Path, dict[str, str]]
) -> None:
    backup, states = other
    over_ruins = replace(stage, start=cut, backup=backup)
    over_ruins.kill_everywhere("restore", one_of(cut.states, states), sample=8)
