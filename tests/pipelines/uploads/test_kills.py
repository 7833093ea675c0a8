"""SIGKILL during validation and processing: counts, items and reports are those of an undisturbed run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.pipelines.uploads import killing
from tests.pipelines.uploads.making import as_array, as_lines, packed, write
from tests.support.processes import Child, prepare, run
from tests.support.stores import Place

pytestmark = pytest.mark.long("uploads a file again and again, in processes that are killed")


@pytest.fixture(scope="module", autouse=True)
def warm_server(engine_name: str) -> None:
    prepare(
        engine_name, "tests.support.warm", "tests.pipelines.uploads.killing", "graphvine.workers.hn.search", "tantivy"
    )


@pytest.mark.parametrize("form", ["array", "packed lines"])
def test_killed_anywhere_the_same_comes_out(template: Place, tmp_path: Path, full: bool, form: str) -> None:
    kills = 50 if full else 4
    values = killing.mixed(1_500 if full else 240)
    data = as_array(values) if form == "array" else packed(as_lines(values), "gzip")
    file = write(tmp_path, data)
    undisturbed, killed = template.copy_to(tmp_path / "undisturbed"), template.copy_to(tmp_path / "killed")
    assert run(killing.bring, undisturbed, file) == "partial_success"
    expected = run(killing.look, undisturbed)
    chance = random.Random(5)
    for kill in range(kills):
        # A third while the file is validated, which starts anew each time; then while its items are processed. The
        # first of each dies at once, the others at any moment of the steps that follow.
        phase = "validating" if kill < kills / 3 else "processing"
        first = kill in (0, -(-kills // 3))
        death = killing.Death(phase, 1 if first else chance.randrange(1, 4), 0 if first else chance.random() * 0.04)
        with Child(killing.bring, killed, file, death) as child:
            child.wait_for_death()
            told = child.leftovers()
        assert not first or told[-1] == phase
    assert run(killing.bring, killed, file) == "partial_success"
    actual = run(killing.look, killed)
    assert actual.pop("ailments") == expected.pop("ailments") == []
    for name, found in actual.items():
        assert found == expected[name], f"{name} differs"
