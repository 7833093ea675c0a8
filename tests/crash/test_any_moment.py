"""Kills at any moment under a mixed load, aimed and not; after each, the next process checks what it finds.

`--kills N` says how many in all. A run that never hit a checkpoint, a large commit or a load has shown nothing, so
the last test counts what was hit.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.crash import load
from tests.support.processes import Child, run
from tests.support.stores import Place

KILLS_A_ROUND = 20
# What is aimed at, and for how long after its beginning the kill may come, in seconds.
AIMS = {"CHECKPOINT": 0.03, "COMMIT": 0.005, "COPY": 0.02}
tally: Counter[str] = Counter()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" in metafunc.fixturenames:
        kills = metafunc.config.getoption("--kills") or (500 if metafunc.config.getoption("--full") else 40)
        rounds = max(1, round(kills / KILLS_A_ROUND))
        metafunc.parametrize("number", range(rounds), ids=lambda number: f"round {number}")


def kill_once(place: Place, generation: int, chance: random.Random) -> None:
    aim = chance.choice([*AIMS, *AIMS, None, "opening"])
    thorough = generation % 10 == 0
    arguments = (place, generation, chance.randrange(10**9), aim, thorough)
    with Child(load.carry, *arguments) as child:
        if aim == "opening":  # and whatever recovery there is to do
            child.says_nothing_for(chance.uniform(0, 0.25))
            child.kill()
            tally["while opening"] += not any(said[0] == "fine" for said in child.leftovers())
            return
        word, recovered = child.hear()
        assert word == "up"
        tally["put back"] += "put back" in recovered
        tally["cut"] += "were cut" in recovered
        assert child.hear()[0] == "fine"
        if aim is not None:
            assert child.hear() == ("about", aim)
        child.says_nothing_for(chance.uniform(0, AIMS[aim] if aim else 0.6))
        child.kill()
        if aim is not None:
            tally[f"inside {aim}"] += ("past", aim) not in child.leftovers()


def test_what_was_acknowledged_is_there_and_nothing_twice(number: int, engine_name: str, tmp_path: Path) -> None:
    chance = random.Random(number)
    place = Place(engine_name, tmp_path / "store")
    run(load.first, place)
    for generation in range(1, KILLS_A_ROUND + 1):
        kill_once(place, generation, chance)
        tally["kills"] += 1
    recovered = run(load.last, place, KILLS_A_ROUND + 1)
    tally["put back"] += "put back" in recovered
    tally["cut"] += "were cut" in recovered


def test_the_kills_hit_what_they_were_aimed_at() -> None:
    print(dict(tally))
    least = max(1, tally["kills"] // 40)
    wanted = ["inside CHECKPOINT", "inside COMMIT", "inside COPY", "while opening", "put back", "cut"]
    missed = [name for name in wanted if tally[name] < least]
    assert not missed, f"too few {missed}: {dict(tally)}"
