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

# What is aimed at, and for how long after its beginning the kill may come, in seconds.
AIMS = {"CHECKPOINT": 0.03, "COMMIT": 0.005, "COPY": 0.02, "MARK": 0.01}
# Of the kills of a round; None is any moment, and opening is whatever recovery there is to do.
SHARES = {"CHECKPOINT": 5, "COMMIT": 3, "COPY": 3, "MARK": 3, "opening": 3, None: 3}
KILLS_A_ROUND = sum(SHARES.values())
tally: Counter[str] = Counter()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" in metafunc.fixturenames:
        kills = metafunc.config.getoption("--kills") or (500 if metafunc.config.getoption("--full") else 40)
        rounds = max(1, round(kills / KILLS_A_ROUND))
        metafunc.parametrize("number", range(rounds), ids=lambda number: f"round {number}")


def kill_once(place: Place, generation: int, aim: str | None, chance: random.Random) -> None:
    thorough = generation == KILLS_A_ROUND // 2
    arguments = (place, generation, chance.randrange(10**9), aim, thorough)
    with Child(load.carry, *arguments) as child:
        if aim == "opening":
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
    aims = [aim for aim, share in SHARES.items() for _ in range(share)]
    chance.shuffle(aims)
    for generation, aim in enumerate(aims, 1):
        kill_once(place, generation, aim, chance)
        tally["kills"] += 1
    recovered = run(load.last, place, KILLS_A_ROUND + 1)
    tally["put back"] += "put back" in recovered
    tally["cut"] += "were cut" in recovered


def test_the_kills_hit_what_they_were_aimed_at() -> None:
    print(dict(tally))
    least = max(1, tally["kills"] // 40)
    wanted = ["inside CHECKPOINT", "inside COMMIT", "inside COPY", "inside MARK", "while opening", "put back", "cut"]
    missed = [name for name in wanted if tally[name] < least]
    assert not missed, f"too few {missed}: {dict(tally)}"
