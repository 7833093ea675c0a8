"""A kill between any two steps of whatever touches the store's files.

A first run of each scene counts its steps. Then, for each of them, the scene is played on a copy of the same store
up to that step, killed there, and the store is opened as the next process would open it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.crash import scenes
from tests.support.processes import Child, run
from tests.support.stores import Place

Seen = dict[str, Any]


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
    if place.engine == "kuzu":
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


def kill_everywhere(
    scene: str, start: Known | None, folder: Path, engine: str, judge: Callable[[Seen], str | None],
    beside: Path | None = None,
) -> list[str]:  # fmt: skip
    """Kill at each step in turn; `judge` says what is wrong with what was found, None for nothing."""

    def stage(name: str) -> Place:
        root = folder / name
        if beside is not None:
            shutil.copytree(beside, root / "backup")
        if start is not None:
            return start.place.copy_to(root / "store")
        (root / "store").mkdir(parents=True)
        return Place(engine, root / "store")

    counted = stage("counted")
    points: list[str] = run(scenes.act, scene, counted, None)
    wrong = {}
    whole = judge(run(scenes.look, counted))
    assert whole is None, f"without a kill: {whole}"
    for step, point in enumerate(points):
        place = stage(str(step))
        assert kill_at(place, scene, step) == point
        try:
            fault = judge(run(scenes.look, place))
        except AssertionError as error:
            fault = f"can't be opened or worked with: {error}"
        if fault is not None:
            wrong[f"{step} before {point}"] = fault
        shutil.rmtree(folder / str(step))
    assert not wrong, f"{len(wrong)} of {len(points)} points: {wrong}"
    return points


def one_of(*expected: dict[str, str]) -> Callable[[Seen], str | None]:
    def judge(seen: Seen) -> str | None:
        if seen["ailments"]:
            return f"the doctor found {seen['ailments']}"
        if seen["states"] not in expected:
            sizes = [len(states) for states in expected]
            return f"{len(seen['states'])} rows, in none of the expected states (of {sizes} rows)"
        return None

    return judge


@pytest.mark.parametrize("scene", ["checkpoint", "opening", "closing", "failing_unit", "backup"])
def test_nothing_changes(known: Known, tmp_path: Path, scene: str) -> None:
    points = kill_everywhere(scene, known, tmp_path, known.place.engine, one_of(known.states))
    if scene == "checkpoint" and known.place.engine == "kuzu":
        assert {"rename graph.db.safe.new", "CHECKPOINT", "pwrite graph.db.marks", "rename graph.db.safe"} <= set(points)


def test_a_unit_is_there_in_full_or_not_at_all(known: Known, tmp_path: Path) -> None:
    (claimed,) = sorted(
        (title for title, state in known.states.items() if state == "discovered" and title.startswith("old")),
        key=lambda title: int(title.split()[1]),
    )[1:2]  # the one before it is backing off
    # The claim comes before the first step; the reaper of `look` has not been there when states are read.
    before = {**known.states, claimed: "claimed"}
    after = {**before, claimed: "processed"} | {f"result {number}": "discovered" for number in range(50)}
    points = kill_everywhere("commit", known, tmp_path, known.place.engine, one_of(before, after))
    assert "COMMIT" in points


@pytest.mark.parametrize("scene", ["bulk_load", "typed_copy"])
def test_a_load_is_there_in_full_or_not_at_all(known: Known, tmp_path: Path, scene: str) -> None:
    def judge(seen: Seen) -> str | None:
        loaded = [title for title in seen["states"] if title.startswith("bulk ")]
        if len(loaded) not in (0, 2 * scenes.BULK):
            return f"{len(loaded)} of {2 * scenes.BULK} rows were loaded"
        rest = {title: state for title, state in seen["states"].items() if not title.startswith("bulk ")}
        return one_of(known.states)({**seen, "states": rest})

    points = kill_everywhere(scene, known, tmp_path, known.place.engine, judge)
    assert "COPY" in points


def test_recovery_can_be_killed_too(cut: Known, tmp_path: Path) -> None:
    points = kill_everywhere("opening", cut, tmp_path, cut.place.engine, one_of(cut.states))
    if cut.place.engine == "kuzu":
        assert "replace graph.db.back" in points


def test_a_new_store_can_be_killed_while_it_is_made(engine_name: str, tmp_path: Path) -> None:
    kill_everywhere("opening", None, tmp_path, engine_name, one_of({}))


def test_a_restore_leaves_the_old_or_the_new(
    known: Known, other: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    backup, states = other
    kill_everywhere("restore", known, tmp_path, known.place.engine, one_of(known.states, states), beside=backup)


def test_a_restore_over_a_cut_checkpoint_leaves_the_old_or_the_new(
    cut: Known, other: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    backup, states = other
    kill_everywhere("restore", cut, tmp_path, cut.place.engine, one_of(cut.states, states), beside=backup)
