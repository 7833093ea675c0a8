"""The benchmark of large drawings and long tables runs, and what it checks holds."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.support.waiting import WAIT_LIMIT
from tests.tools.package_tree import REPOSITORY


@pytest.mark.long("serves three graphs, and looks at each in a browser of its own")
def test_large_drawings_are_moved_and_long_tables_scrolled() -> None:
    command = [sys.executable, str(REPOSITORY / "benchmarks" / "dashboard.py"), "--quick", "--browser", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_LIMIT)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert not [note for note in found["notes"] if "nothing was measured" in note]
    drawn = found["tables"]["drawings, in headless Chromium by software"]
    assert [row["points"] for row in drawn][1:] == [1_000, 500]
    assert all(row["frames a second while it is moved"] > 0 for row in drawn)
    assert {goal["verdict"] for goal in found["goals"]} <= {"holds", "not judged in a quick run"}
