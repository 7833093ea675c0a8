"""The queue against its model: any operations, in any order, leave what plain Python says they should."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.common.queue_run import QueueRun
from tests.support.stores import Place

pytestmark = pytest.mark.long("plays hundreds of operations, and looks at everything after each")

PARTS, FULL_PARTS, SEEDS_EACH, STEPS = 1, 60, 5, 120
# A run in which nothing was claimed, lost or taken back would have shown nothing.
WANTED = {
    "claimed", "claimed a suspect", "claimed a loaded one", "completed", "failed for now", "failed for good",
    "released", "heartbeats", "reclaimed", "given up", "requeued", "set by hand", "lost",
}  # fmt: skip


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "part" in metafunc.fixturenames:
        metafunc.parametrize("part", range(FULL_PARTS if metafunc.config.getoption("--full") else PARTS))


def test_the_store_does_what_the_model_says(template: Place, tmp_path: Path, part: int) -> None:
    happened: Counter[str] = Counter()
    for seed in range(part * SEEDS_EACH, (part + 1) * SEEDS_EACH):
        happened += QueueRun(template.copy_to(tmp_path / f"store {seed}"), seed).run(STEPS)
    assert set(happened) >= WANTED
