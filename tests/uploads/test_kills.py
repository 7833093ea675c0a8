"""SIGKILL during validation and processing: counts, items and reports are those of an undisturbed run."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.support.processes import Child, ChildDied, prepare, run
from tests.support.stores import Place
from tests.uploads import killing
from tests.uploads.making import as_array, as_lines, packed, write


@pytest.fixture(scope="module", autouse=True)
def warm_server(engine_name: str) -> None:
    prepare(engine_name, "tests.support.warm", "tests.uploads.killing", "graphvine.workers.hn.searching", "tantivy")


@pytest.mark.timeout(400)  # a hundred kills with --full
@pytest.mark.parametrize("form", ["array", "packed lines"])
def test_killed_anywhere_the_same_comes_out(template: Place, tmp_path: Path, full: bool, form: str) -> None:
    kills = 50 if full else 4
    values = killing.mixed(1_500 if full else 240)
    data = as_array(values) if form == "array" else packed(as_lines(values), "gzip")
    file = write(tmp_path, data)
    undisturbed, killed = template.copy_to(tmp_path / "undisturbed"), template.copy_to(tmp_path / "killed")
    assert run(killing.bring, undisturbed, file, seconds=300) == "partial_success"
    expected = run(killing.look, undisturbed)
    chance, struck = random.Random(5), Counter[str]()
    for kill in range(kills):
        # A third while the file is validated, which starts anew each time; then while its items are processed.
        phase = "validating" if kill < kills / 3 else "processing"
        with Child(killing.bring, killed, file) as child:
            struck[strike(child, phase, chance)] += 1
    assert struck["validating"] and struck["processing"], f"kills struck elsewhere: {struck}"
    assert run(killing.bring, killed, file, seconds=300) == "partial_success"
    actual = run(killing.look, killed)
    assert actual.pop("ailments") == expected.pop("ailments") == []
    for name, found in actual.items():
        assert found == expected[name], f"{name} differs"


def strike(child: Child, phase: str, chance: random.Random) -> str:
    """Kill the process somewhere in this phase, at any moment of a batch. Returns what it was last heard to do."""
    last = "open"
    try:
        while last != phase:
            last = child.hear(60)[0]
        for _ in range(chance.randrange(3)):
            last = child.hear(60)[0]
        child.says_nothing_for(chance.random() * 0.04)
    except (ChildDied, TypeError):
        last = "done"  # it had come to its end
    child.kill()
    return last
