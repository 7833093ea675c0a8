"""Run pytest in a process of its own, with a limit in time, and count what it reports."""

from __future__ import annotations

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

# A skip that starts so says that the engine does not claim to have the ability; any other hides a check.
_TESTS_FAILED = 1
CAPABILITY = re.compile(r"capability: ", re.IGNORECASE)


@dataclass
class Counts:
    """Tests by outcome, and the skips that no capability explains."""

    outcomes: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        self.outcomes += other.outcomes
        self.unexplained += other.unexplained

    def __str__(self) -> str:
        order = ("failed", "passed", "flaky", "skipped", "xfailed", "error")
        named = [f"{self.outcomes[outcome]} {outcome}" for outcome in order if self.outcomes[outcome]]
        return ", ".join(named) or "no tests"


def run_pytest(python: Path, arguments: tuple[str, ...], seconds: float) -> tuple[int, Counts]:
    """Return pytest's exit status (124 when the time was up) and the counts of its report.

    Tests that failed are run once more: real servers and kills on a busy machine fail now and then for reasons of
    their own. What passes then is counted as flaky, by its own name, so that it is seen and mended.
    """
    status, counts = _run_once(python, arguments, seconds)
    if status != _TESTS_FAILED:
        return status, counts
    print("\nOnce more, those that failed:", flush=True)
    status, _ = _run_once(python, (*arguments, "--last-failed", "--last-failed-no-failures=none"), seconds)
    if status == 0:
        flaky = counts.outcomes.pop("failed", 0) + counts.outcomes.pop("error", 0)
        counts.outcomes["flaky"] = flaky
    return status, counts


def _run_once(python: Path, arguments: tuple[str, ...], seconds: float) -> tuple[int, Counts]:
    with tempfile.TemporaryDirectory(prefix="graphvine-lane-") as folder:
        report = Path(folder) / "report.xml"
        command = [str(python), "-m", "pytest", *arguments, f"--junitxml={report}"]
        # A session of its own: whatever the tests left running ends with them.
        process = subprocess.Popen(command, cwd=REPOSITORY, start_new_session=True)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            print(f"\nStopped: not done after {seconds:.0f} s.", flush=True)
            status = 124
        finally:
            _end_group(process)
        return status, read_report(report) if report.exists() else Counts()


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
