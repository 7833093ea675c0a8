"""A large commit torn in half: the log ends in half a record, as a kill in the middle of its writing leaves it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.crash import scenes
from tests.support.processes import Child, run
from tests.support.stores import Place


@pytest.fixture(scope="module")
def torn(engine_name: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, dict[str, str], int]:
    """A store killed right behind a large commit; what was in it before, and how long its log was then."""
    folder = tmp_path_factory.mktemp("torn")
    place = Place(engine_name, folder / "store")
    states = run(scenes.prepare, place)
    log = _log(place)
    before = log.stat().st_size if log.exists() else 0
    points = run(scenes.act, "large_commit", place.copy_to(folder / "counted"), None)
    with Child(scenes.act, "large_commit", place, points.index("COMMIT") + 1) as child:
        assert str(child.hear()).startswith("reached ")
    assert log.stat().st_size > before + 50_000, "the commit is in the log"
    return place, states, before


def _log(place: Place) -> Path:
    return place.path.with_name(place.path.name + ".wal")


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.3, 0.5, 0.7, 0.99, 0.99999])
def test_half_a_record_at_the_end(torn: tuple[Place, dict[str, str], int], tmp_path: Path, share: float) -> None:
    origin, states, before = torn
    place = origin.copy_to(tmp_path / "store")
    length = _log(place).stat().st_size
    os.truncate(_log(place), before + int(share * (length - before)))
    seen = run(scenes.look, place)
    assert seen["ailments"] == []
    assert seen["states"] == states, "nothing of the torn unit, and all of what was before it"


def test_rubbish_behind_the_last_commit(torn: tuple[Place, dict[str, str], int], tmp_path: Path) -> None:
    origin, states, before = torn
    place = origin.copy_to(tmp_path / "store")
    with _log(place).open("r+b") as file:
        file.truncate(before)
        file.seek(before)
        file.write(os.urandom(3_000))
    assert run(scenes.look, place)["states"] == states


def test_a_whole_record_that_was_never_acknowledged(torn: tuple[Place, dict[str, str], int], tmp_path: Path) -> None:
    """Nobody was told of it, so it may be there or not, but as a whole."""
    origin, states, _ = torn
    seen = run(scenes.look, origin.copy_to(tmp_path / "store"))
    assert len(seen["states"]) in (len(states), len(states) + 2 * scenes.LARGE)
    assert seen["ailments"] == []
