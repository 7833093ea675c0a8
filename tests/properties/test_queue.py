"""The queue against its model: any operations, in any order, leave what plain Python says they should."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.properties.queue_run import QueueRun
from tests.support.stores import Place

SEEDS, FULL_SEEDS, STEPS = 10, 300, 120
happened: Counter[str] = Counter()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(FULL_SEEDS if metafunc.config.getoption("--full") else SEEDS))


def test_the_store_does_what_the_model_says(template: Place, tmp_path: Path, seed: int) -> None:
    happened.update(QueueRun(template.copy_to(tmp_path / "store"), seed).run(STEPS))


def test_everything_happened() -> None:
    """A run in which nothing was claimed, lost or taken back would have shown nothing."""
    wanted = [
        "claimed", "claimed a suspect", "claimed a loaded one", "completed", "failed for now", "failed for good",
        "released", "heartbeats", "reclaimed", "given up", "requeued", "set by hand", "lost",
    ]  # fmt: skip
    assert not [name for name in wanted if not happened[name]], happened
