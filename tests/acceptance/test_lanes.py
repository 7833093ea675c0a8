"""The lane runner counts what pytest reports, ends what hangs, and hides nothing."""

from __future__ import annotations

import fcntl
import sys
from pathlib import Path

import pytest

from tests.tools.lanes import Lane, Run
from tests.tools.parts import Part
from tests.tools.pytest_runs import run_pytest
from tests.tools.run_lanes import FAILED, PASSED, install, run, what_brings

PYTHON = Path(sys.executable)
ALL_OUTCOMES = """
import pytest
def test_good(): pass
def test_bad(): assert False
def test_hidden(): pytest.skip("no server")
def test_unable(): pytest.skip("capability: vector index")
@pytest.mark.xfail(strict=True, reason="known")
def test_known(): assert False
@pytest.fixture
def broken(): raise OSError
def test_error(broken): pass
"""
HANGS = """
import pathlib, signal, subprocess, sys
def test_hang():
    subprocess.Popen([sys.executable, "child.py"], cwd=pathlib.Path(__file__).parent)
    signal.pause()
"""
HOLDS_A_LOCK = """
import fcntl, signal
with open("lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    print("held", end="", file=lock, flush=True)
    signal.pause()
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return tmp_path / "test_suite.py"


def lane_of(suite: Path, *needs: Part) -> Lane:
    return Lane("trial", (Run((str(suite.parent),)),), needs)


def test_every_outcome_is_counted(suite: Path) -> None:
    suite.write_text(ALL_OUTCOMES)
    status, counts = run_pytest(PYTHON, ("-q", str(suite)), seconds=60)
    assert status == 1
    assert str(counts) == "1 failed, 1 passed, 2 skipped, 1 xfailed, 1 error"
    [hidden] = counts.unexplained
    assert "test_hidden: no server" in hidden


def test_a_suite_that_hangs_is_ended_with_all_it_started(suite: Path) -> None:
    suite.write_text(HANGS)
    (suite.parent / "child.py").write_text(HOLDS_A_LOCK)
    status, counts = run_pytest(PYTHON, ("-q", str(suite)), seconds=12)
    assert status == 124
    assert str(counts) == "no tests"
    with (suite.parent / "lock").open() as lock:
        assert lock.read() == "held"
        fcntl.flock(lock, fcntl.LOCK_EX)  # free once its holder is gone


def test_a_skip_is_a_failure_only_where_nothing_may_be_skipped(suite: Path) -> None:
    suite.write_text("import pytest\ndef test_hidden(): pytest.skip('no server')\n")
    assert run(lane_of(suite), full=False, strict=False).verdict == PASSED
    strict = run(lane_of(suite), full=False, strict=True)
    assert strict.verdict == FAILED
    assert "no server" in strict.note


def test_a_suite_in_which_nothing_is_collected_fails(suite: Path) -> None:
    suite.write_text("")
    assert run(lane_of(suite), full=False, strict=False).verdict == FAILED


def test_a_lane_without_tests_does_not_exist(suite: Path) -> None:
    assert not lane_of(suite).exists()
    suite.write_text("")
    assert lane_of(suite).exists()
    assert not Run((str(suite.parent),), of="graph/engines/no_such_engine.py").exists()


def test_a_part_that_does_not_come_is_named(suite: Path) -> None:
    absent = Part("a part", lambda: False, ((sys.executable, "-c", ""),))
    assert install(lane_of(suite, absent), set()) == "a part is still missing after its installation"
    broken = Part("a part", lambda: False, ((sys.executable, "-c", "raise SystemExit(3)"),))
    assert "could not install a part" in install(lane_of(suite, broken), set())


def test_a_command_that_parts_share_runs_once(suite: Path) -> None:
    log = suite.parent / "log"
    command = (sys.executable, "-c", f"open({str(log)!r}, 'a').write('ran ')")
    done: set[tuple[str, ...]] = set()
    for name in ("one", "two"):
        Part(name, log.exists, (command,)).install(done)
    assert log.read_text() == "ran "


def test_a_lane_left_out_says_what_brings_it(suite: Path) -> None:
    absent = Part("a server", lambda: False, packages=("server",))
    assert what_brings(lane_of(suite, absent)) == (
        "needs a server: make parts LANES=trial (as root: apt-get install server)"
    )
