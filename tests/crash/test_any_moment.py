"""Kills at any moment under a mixed load, aimed and not; after each, the next process checks what it finds.

`--kills N` says how many in all. A round that never hit a checkpoint, a large commit or a load has shown nothing: what
it missed is aimed at again, closer each time, until it is hit.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.crash import load
from tests.support.processes import Child, run
from tests.support.stores import Place

pytestmark = pytest.mark.long("kills dozens of processes, each after it has checked what the last one left")

# What is aimed at, and for how long after its beginning the kill may come, in seconds.
AIMS = {"CHECKPOINT": 0.03, "COMMIT": 0.005, "COPY": 0.02, "MARK": 0.01, "opening": 0.25}
ANY_MOMENT = 0.6
# Of the kills of a round; None is any moment, and opening is whatever recovery there is to do.
SHARES = {"CHECKPOINT": 5, "COMMIT": 3, "COPY": 3, "MARK": 3, "opening": 3, None: 3}
KILLS_A_ROUND = sum(SHARES.values())
# What a round has to bring about, and the aim that does it.
WANTED = {
    "inside CHECKPOINT": "CHECKPOINT", "inside COMMIT": "COMMIT", "inside COPY": "COPY", "inside MARK": "MARK",
    "inside opening": "opening", "put back": "CHECKPOINT", "cut": "MARK",
}  # fmt: skip
MORE_TRIES = 12


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" in metafunc.fixturenames:
        kills = metafunc.config.getoption("--kills") or (500 if metafunc.config.getoption("--full") else 20)
        rounds = max(1, round(kills / KILLS_A_ROUND))
        metafunc.parametrize("number", range(rounds), ids=lambda number: f"round {number}")


class Round:
    """Kill after kill on one store, and what they hit."""

    def __init__(self, place: Place, chance: random.Random) -> None:
        self.place, self.chance = place, chance
        self.generation = 0
        self.tally: Counter[str] = Counter()

    def kill(self, aim: str | None, within: float) -> None:
        """Let a process check what it finds and work, until it dies."""
        self.generation += 1
        thorough = self.generation == KILLS_A_ROUND // 2
        seed, delay = self.chance.randrange(10**9), self.chance.uniform(0, within)
        with Child(load.carry, self.place, self.generation, seed, aim, delay, thorough) as child:
            child.wait_for_death()
            said = child.leftovers()
        steps = [step for step, _ in said]
        assert aim == "opening" or "fine" in steps, f"it died before it was to: {said}"
        recovered = dict(said).get("up", "")
        self.tally["put back"] += "put back" in recovered
        self.tally["cut"] += "were cut" in recovered
        if aim is not None:
            self.tally[f"inside {aim}"] += ("fine" if aim == "opening" else "past") not in steps

    def hit(self, what: str) -> None:
        """Aim until this has happened."""
        aim = WANTED[what]
        within = AIMS[aim]
        for _ in range(MORE_TRIES):
            if self.tally[what]:
                return
            self.kill(aim, within)
            self.kill(None, 0.0)  # which says what it had to recover from
            within /= 2
        raise AssertionError(f"{what}: never, in {self.generation} kills; {dict(self.tally)}")


def test_what_was_acknowledged_is_there_and_nothing_twice(number: int, engine_name: str, tmp_path: Path) -> None:
    chance = random.Random(number)
    place = Place(engine_name, tmp_path / "store")
    run(load.first, place)
    aims = [aim for aim, share in SHARES.items() for _ in range(share)]
    chance.shuffle(aims)
    kills = Round(place, chance)
    for aim in aims:
        kills.kill(aim, AIMS[aim] if aim else ANY_MOMENT)
    for what in WANTED:
        kills.hit(what)
    run(load.last, place, kills.generation + 1)
    print(dict(kills.tally))
