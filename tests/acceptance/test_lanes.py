"""The lane runner counts what pytest reports, ends all that was started, and hides nothing."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import WAIT_LIMIT, eventually
from tests.tools.lanes import LANES, Lane, Run
from tests.tools.parts import Part
from tests.tools.pytest_runs import run_pytest
from tests.tools.run_lanes import FAILED, PASSED, Extent, install, left_out_lane, report, run, what_brings

REPOSITORY = Path(__file__).parents[2]
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
# Three processes that hold a lock each, and wish to stay: one of pytest's own, one in a session of its own, and one
# whose parent is gone.
HANGS = """
import pathlib, signal, subprocess, sys
FOLDER = pathlib.Path(__file__).parent
def test_hang():
    start = [sys.executable, "child.py"]
    subprocess.Popen([*start, "own"], cwd=FOLDER)
    subprocess.Popen([*start, "apart"], cwd=FOLDER, start_new_session=True)
    subprocess.run([sys.executable, "-c", "import subprocess, sys; subprocess.Popen(sys.argv[1:], start_new_session=True)",
                    *start, "orphan"], cwd=FOLDER, check=True)
    signal.pause()
"""
HOLDS_A_LOCK = """
import fcntl, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
with open(f"lock {sys.argv[1]}", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    print("held", end="", file=lock, flush=True)
    signal.pause()
"""
LOCKS = ("own", "apart", "orphan")
# The runner with a table of our own: the lane's folder, then its other arguments.
RUNNER = """
import sys
from tests.tools import run_lanes
from tests.tools.lanes import Lane, Run
run_lanes.LANES = (Lane("trial", (Run((sys.argv.pop(1),), ("-n", "2")),), everyday=True),)
sys.exit(run_lanes.main())
"""
# The time of a lane is up as soon as the three are there, however long that takes.
TIME_IS_UP = """
import subprocess, sys
from pathlib import Path
from tests.acceptance.test_lanes import held
from tests.support.waiting import eventually

def wait(process, seconds=None, *, real=subprocess.Popen.wait, folder=Path(sys.argv[1])):
    if seconds is None:
        return real(process)
    eventually(lambda: held(folder))
    raise subprocess.TimeoutExpired(process.args, seconds)

subprocess.Popen.wait = wait
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    folder.mkdir()
    return folder / "test_suite.py"


def lane_of(suite: Path, *needs: Part) -> Lane:
    return Lane("trial", (Run((str(suite.parent),)),), needs)


def test_every_outcome_is_counted_and_nothing_is_run_again(suite: Path) -> None:
    suite.write_text(ALL_OUTCOMES + "\nopen(__file__ + '.runs', 'a').write('x')\n")
    status, counts = run_pytest(PYTHON, ("-q", str(suite)), seconds=WAIT_LIMIT)
    assert status == 1
    assert str(counts) == "1 failed, 1 passed, 2 skipped, 1 xfailed, 1 error"
    [hidden] = counts.unexplained
    assert "test_hidden: no server" in hidden
    assert Path(f"{suite}.runs").read_text() == "x"


def test_a_skip_is_a_failure_only_where_nothing_may_be_skipped(suite: Path) -> None:
    suite.write_text("import pytest\ndef test_hidden(): pytest.skip('no server')\n")
    assert run(lane_of(suite), Extent()).verdict == PASSED
    strict = run(lane_of(suite), Extent(strict=True))
    assert strict.verdict == FAILED
    assert "no server" in strict.note


def test_a_suite_in_which_nothing_is_collected_fails(suite: Path) -> None:
    suite.write_text("")
    assert run(lane_of(suite), Extent()).verdict == FAILED


def test_every_folder_of_tests_belongs_to_a_lane() -> None:
    for lane in LANES:
        for suite in lane.runs:
            assert all(any((REPOSITORY / folder).rglob("test_*.py")) for folder in suite.folders), lane.name
    core = next(lane for lane in LANES if lane.everyday)
    ignored = {option.removeprefix("--ignore=") for option in core.runs[0].options if option.startswith("--ignore=")}
    elsewhere = {folder for lane in LANES if lane is not core for suite in lane.runs for folder in suite.folders}
    assert core.runs[0].folders == ("tests",) and ignored <= elsewhere


# Left out, and said so


def test_what_takes_long_is_left_out_and_said_with_the_command_that_runs_it(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # As our own conftest does it: the folder is not below it.
    (suite.parent / "conftest.py").write_text("from tests.conftest import pytest_deselected\n")
    suite.write_text(
        "import pytest\ndef test_quick(): pass\n@pytest.mark.long('kills a hundred')\ndef test_slow(): pass\n"
    )
    whole = Run((str(suite.parent),), long="all of it once more")
    lane = Lane("trial", (Run((str(suite.parent),), ("-o", "markers=long", "-p", "no:cacheprovider")), whole))
    short = run(lane, Extent())
    assert (short.verdict, str(short.counts)) == (PASSED, "1 passed")
    other = left_out_lane(Lane("other", ()))
    assert report([short, other], Extent()) == 0
    said = capsys.readouterr().out.splitlines()
    wanted = [
        ("trial: 1 tests that take long", "make test LANES=trial LONG=1"),
        ("trial: all of it once more", "make test LANES=trial LONG=1"),
        ("lane other", "make test LANES=other"),
        ("the long counts", "make full"),
    ]
    assert said[said.index("== left out ==") + 1 : -1] == [f"{what:<40} {command}" for what, command in wanted]
    assert re.fullmatch(r"===== 1 passed in [\d.]+s =====", said[-1])


def test_a_lane_without_its_parts_says_what_brings_it(suite: Path) -> None:
    absent = Part("a server", lambda: False, packages=("server",))
    assert what_brings(lane_of(suite, absent)) == (
        "needs a server: make parts LANES=trial (as root: apt-get install server)"
    )
    assert left_out_lane(lane_of(suite, absent)).left_out == [("lane trial", what_brings(lane_of(suite, absent)))]


# Parts


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


# Ending what was started


@pytest.fixture
def hanging(suite: Path) -> Path:
    suite.write_text(HANGS)
    (suite.parent / "child.py").write_text(HOLDS_A_LOCK)
    return suite.parent


def held(folder: Path) -> None:
    for name in LOCKS:
        path = folder / f"lock {name}"
        assert path.exists() and path.read_text() == "held"


def free(folder: Path) -> None:
    """Each lock is free: its holder is gone."""
    for name in LOCKS:
        with (folder / f"lock {name}").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def environment() -> dict[str, str]:
    """Without what says that a test is running, without CI, which would install things, and without make's variables."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "MAKE", "MFLAGS")) and name not in ("CI", "LANES", "LONG")
    }


def ended_by(command: list[str], number: signal.Signals, hanging: Path, *, group: bool = False) -> tuple[int, str]:
    """Send this to the command once all of its processes are there; returns its exit status and what it said.

    A terminal sends to the whole `group` of the command.
    """
    with subprocess.Popen(
        command, cwd=REPOSITORY, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    ) as running:  # fmt: skip
        try:
            eventually(lambda: held(hanging) if running.poll() is None else None)
            assert running.poll() is None, running.communicate()
            (os.killpg if group else os.kill)(running.pid, number)
            said, _ = running.communicate(timeout=WAIT_LIMIT)
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
    return running.returncode, said


@pytest.mark.long("runs the runner in processes of its own, with workers")
def test_a_suite_that_hangs_is_ended_with_all_it_started(hanging: Path) -> None:
    done = subprocess.run(
        [PYTHON, "-c", TIME_IS_UP + RUNNER, str(hanging)], cwd=REPOSITORY, env=environment(), capture_output=True, text=True,
        timeout=WAIT_LIMIT,
    )  # fmt: skip
    assert done.returncode == 1 and "not done after" in done.stdout
    free(hanging)


@pytest.mark.long("runs the runner in processes of its own, with workers")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_to_the_runner_ends_every_process_it_started(hanging: Path, number: signal.Signals) -> None:
    status, said = ended_by([str(PYTHON), "-c", RUNNER, str(hanging)], number, hanging)
    free(hanging)
    assert status == 128 + number
    assert re.search(rf"===== no tests, interrupted by {number.name} in [\d.]+s =====\n$", said)


@pytest.mark.long("runs the runner in processes of its own, with workers")
@pytest.mark.parametrize(
    ("number", "group"), [(signal.SIGINT, True), (signal.SIGTERM, False)], ids=["Ctrl-C", "SIGTERM"]
)
def test_a_signal_to_make_ends_every_process_it_started(
    hanging: Path, tmp_path: Path, number: signal.Signals, group: bool
) -> None:
    """The real `make test`, in an environment in which linting is done at once and the table of lanes is ours."""
    runner, tools = tmp_path / "runner.py", tmp_path / "bin"
    runner.write_text(RUNNER)
    tools.mkdir()
    for name in set(re.findall(r"\$\(BIN\)/([\w-]+)", (REPOSITORY / "Makefile").read_text())):
        lanes = (
            f'[ "$2" = tests.tools.run_lanes ] && shift 2 && PYTHONPATH=. exec "{PYTHON}" "{runner}" "{hanging}" "$@"\n'
        )
        (tools / name).write_text(f"#!/bin/sh\n{lanes if name == 'python' else ''}exit 0\n")
        (tools / name).chmod(0o755)
    stamps = [f"--old-file=.venv/.stamp-{name}" for name in ("package", "dev", "weights")]
    command = ["make", *stamps, "test", f"BIN={tools}"]
    status, _ = ended_by(command, number, hanging, group=group)
    free(hanging)
    assert status not in (0, 1)
