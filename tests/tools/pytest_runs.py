"""Run pytest in a process of its own, with a limit in time, and count what it reports."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.tools.package_tree import REPOSITORY
from tests.tools.processes import Interrupted, end_descendants

# How long an interrupted pytest may take to close what its tests have open, before everything is killed.
GRACE_SECONDS = 5
# To open a graph Kuzu takes 180 MB, thousands of times in a run: in large pages that is a third of the time.
LARGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
# Where tests/conftest.py writes how many tests were deselected.
LEFT_OUT_VARIABLE = "GRAPHVINE_TEST_LEFT_OUT"
# A skip that starts so says that the engine does not claim to have the ability; any other hides a check.
CAPABILITY = re.compile(r"capability: ", re.IGNORECASE)


@dataclass
class Counts:
    """Tests by outcome, the skips that no capability explains, and how many tests were not asked for."""

    outcomes: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)
    left_out: int = 0

    def add(self, other: Counts) -> None:
        self.outcomes += other.outcomes
        self.unexplained += other.unexplained
        self.left_out += other.left_out

    def __str__(self) -> str:
        order = ("failed", "passed", "skipped", "xfailed", "error")
        named = [f"{self.outcomes[outcome]} {outcome}" for outcome in order if self.outcomes[outcome]]
        return ", ".join(named) or "no tests"


def run_pytest(python: Path, arguments: tuple[str, ...], seconds: float) -> tuple[int, Counts]:
    """Return pytest's exit status (124 when the time was up) and the counts of its report."""
    with tempfile.TemporaryDirectory(prefix="graphvine-lane-") as folder:
        report, left_out = Path(folder) / "report.xml", Path(folder) / "left-out"
        command = [str(python), "-m", "pytest", *arguments, f"--junitxml={report}"]
        environment = {**LARGE_PAGES, **os.environ, LEFT_OUT_VARIABLE: str(left_out)}
        # A session of its own: a signal from the terminal reaches us alone, and we say when pytest ends.
        process = subprocess.Popen(command, cwd=REPOSITORY, env=environment, start_new_session=True)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            print(f"\nStopped: not done after {seconds:.0f} s.", flush=True)
            status = 124
        except Interrupted:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_SECONDS)
            raise
        finally:
            _end_group(process)
            end_descendants()
        counts = read_report(report) if report.exists() else Counts()
        counts.left_out = int(left_out.read_text()) if left_out.exists() else 0
        return status, counts


def read_report(report: Path) -> Counts:
    """Count the outcomes in a JUnit file as pytest writes it."""
    counts = Counts()
    for case in ElementTree.parse(report).iter("testcase"):
        outcome = _outcome(case)
        counts.outcomes[outcome] += 1
        skipped = case.find("skipped")
        if outcome == "skipped" and skipped is not None:
            reason = skipped.get("message", "")
            if not CAPABILITY.match(reason):
                counts.unexplained.append(f"{case.get('classname')}::{case.get('name')}: {reason}")
    return counts


def _outcome(case: ElementTree.Element) -> str:
    for tag, outcome in (("failure", "failed"), ("error", "error")):
        if case.find(tag) is not None:
            return outcome
    skipped = case.find("skipped")
    if skipped is None:
        return "passed"
    return "xfailed" if skipped.get("type") == "pytest.xfail" else "skipped"


def _end_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()
