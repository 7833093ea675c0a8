"""Run the lanes one after another, and end with a table.

Usage: python -m tests.tools.run_lanes [--full] [--install-only] [LANE ...]

On a laptop a lane whose parts are missing is left out, with a line that says what brings them. With CI=true
the parts are installed, most of them while the first lane runs, and then nothing may be left out and no test skipped.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from tests.tools.lanes import LANES, Lane
from tests.tools.parts import Command
from tests.tools.pytest_runs import Counts, run_pytest

PASSED, FAILED, LEFT_OUT = "passed", "FAILED", "left out"
FULL_TAKES = 6  # how much longer a lane may take with the long counts


@dataclass
class Result:
    lane: str
    verdict: str
    counts: Counts = field(default_factory=Counts)
    seconds: float = 0.0
    note: str = ""


def bring(lanes: list[Lane], ahead: ThreadPoolExecutor) -> dict[str, Future[str]]:
    """Start to bring what the lanes lack.

    What goes into the environment of the tests comes before the first of them; the rest arrives while they run.
    """
    done: set[Command] = set()
    for lane in lanes:
        install(lane, done, inside=True)  # what was refused is tried again, and then said
    return {lane.name: ahead.submit(install, lane, done) for lane in lanes}


def install(lane: Lane, done: set[Command], *, inside: bool = False) -> str:
    """Bring what the lane lacks; the answer is empty, or says what could not be brought."""
    for part in [part for part in lane.missing() if part.inside or not inside]:
        print(f"   installing {part.name}", flush=True)
        try:
            part.install(done)
        except (OSError, subprocess.SubprocessError) as error:
            return f"could not install {part.name}: {error}"
        if not part.here():
            return f"{part.name} is still missing after its installation"
    return ""


def what_brings(lane: Lane) -> str:
    """One line for people: what is missing and how to get it."""
    names = ", ".join(part.name for part in lane.missing())
    packages = [package for part in lane.missing() for package in part.packages]
    by_hand = f" (as root: apt-get install {' '.join(packages)})" if packages else ""
    return f"needs {names}: make parts LANES={lane.name}{by_hand}"


def run(lane: Lane, full: bool, strict: bool) -> Result:
    """Run the lane's suites; `strict` counts a skip that no capability explains as a failure."""
    started, result = time.monotonic(), Result(lane.name, PASSED)
    limit = lane.minutes * 60 * (FULL_TAKES if full else 1)
    for suite in lane.runs:
        if suite.exists():
            left = limit - (time.monotonic() - started)
            arguments = (*suite.present(), *suite.options, *(("--full",) if full else suite.unless_full))
            status, counts = run_pytest(lane.python, arguments, max(left, 1))
            result.counts.add(counts)
            if status != 0:
                result.verdict, result.note = FAILED, f"pytest ended with {status}"
    if strict and result.counts.unexplained:
        result.verdict, result.note = FAILED, "skipped: " + "; ".join(result.counts.unexplained)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("lanes", nargs="*", metavar="LANE", help="default: every lane that has tests")
    parser.add_argument("--full", action="store_true", help="run the long counts")
    parser.add_argument("--install-only", action="store_true", help="bring the lanes' parts and run nothing")
    chosen = parser.parse_args()
    known = {lane.name: lane for lane in LANES}
    if unknown := [name for name in chosen.lanes if name not in known]:
        parser.error(f"no lane is called {', '.join(unknown)}; there are {', '.join(known)}")
    wanted = [known[name] for name in chosen.lanes] or [lane for lane in LANES if lane.exists()]

    strict = os.environ.get("CI", "").lower() in ("true", "1")
    results: list[Result] = []
    with ThreadPoolExecutor(1) as ahead:
        brought = bring(wanted, ahead) if strict or chosen.install_only else {}
        for lane in wanted:
            print(f"\n== lane {lane.name} ==", flush=True)
            started = time.monotonic()
            refusal = brought[lane.name].result() if lane.name in brought else ""
            if refusal:
                result = Result(lane.name, FAILED, note=refusal)
            elif chosen.install_only:
                result = Result(lane.name, "ready")
            elif not lane.exists():
                result = Result(lane.name, FAILED, note="has no tests yet")
            elif lane.missing():
                result = Result(lane.name, LEFT_OUT, note=what_brings(lane))
            else:
                result = run(lane, chosen.full, strict)
            result.seconds = time.monotonic() - started
            if result.note:
                print(f"   {result.verdict}: {result.note}", flush=True)
            results.append(result)
    return report(results)


def report(results: list[Result]) -> int:
    """Print the table and, as the last line, the sum in the form of pytest's own."""
    print("\n== lanes ==")
    total = Counts()
    for result in results:
        total.add(result.counts)
        told = result.note or str(result.counts)
        print(f"{result.lane:<22} {result.verdict:<9} {result.seconds:7.1f} s   {told}")
    failed = any(result.verdict == FAILED for result in results)
    seconds = sum(result.seconds for result in results)
    print(f"===== {total}{', a lane failed' if failed else ''} in {seconds:.2f}s =====", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
