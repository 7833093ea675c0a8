"""Every benchmark runs, in its smallest size, so that none of them rots."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.tools import run_benchmarks
from tests.tools.package_tree import REPOSITORY


@pytest.mark.parametrize("name", run_benchmarks.names())
def test_a_quick_run_gives_figures(name: str) -> None:
    command = (sys.executable, f"benchmarks/{name}.py", "--quick", "--json")
    done = subprocess.run(command, cwd=REPOSITORY, text=True, capture_output=True, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["benchmark"] == name


def test_a_benchmark_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_benchmarks.main(["no_such_question"]) == 2
    assert "No benchmark is called no_such_question" in capsys.readouterr().out
