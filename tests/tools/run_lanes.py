"""Run the lanes one after another, and end with a table and with what was left out.

Usage: python -m tests.tools.run_lanes [--long | --full] [--install-only] [LANE ...]

Without a lane named, the core lane runs, without its long tests: some minutes, and nothing has to be installed for it.
--long adds the tests marked long. --full runs every lane whose parts are there, with the long tests and the long counts.
With CI=true every lane runs, with the long tests: the parts are installed, most of them while the first lane runs, and
then nothing may be left out and no test skipped. Interrupted or terminated, it ends every process it has started.
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
from tests.tools.processes import Interrupted, nothing_left_behind
from tests.tools.pytest_runs import Counts, run_pytest

PASSED, FAILED, LEFT_OUT, READY = "passed", "FAILED", "left out", "ready"
# Ends a lane that hangs, however busy the machine is; a whole run takes under an hour on two cores.
LANE_SECONDS, FULL_LANE_SECONDS = 4 * 3600, 24 * 3600


@dataclass(frozen=True)
class Extent:
    """How much of a lane is run."""

    long: bool = False  # the tests and runs that are marked long, too
    full: bool = False  # and with the long counts
    strict: bool = False  # a skip that no capability explains is a failure

    def options(self) -> tuple[str, ...]:
        return (*(() if self.long else ("-m", "not long")), *(("--full",) if self.full else ()))


@dataclass
class Result:
    lane: str
    verdict: str
    counts: Counts = field(default_factory=Counts)
    seconds: float = 0.0
    note: str = ""
    # What was not asked for: each with the command that runs it.
    left_out: list[tuple[str, str]] = field(default_factory=list)


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


def run(lane: Lane, extent: Extent) -> Result:
    """Run the lane's suites as far as is asked for."""
    started, result = time.monotonic(), Result(lane.name, PASSED)
    limit = FULL_LANE_SECONDS if extent.full else LANE_SECONDS
    again = f"make test LANES={lane.name} LONG=1"
    for suite in lane.runs:
        if suite.long and not extent.long:
            result.left_out.append((f"{lane.name}: {suite.long}", again))
            continue
        left = limit - (time.monotonic() - started)
        status, counts = run_pytest(lane.python, (*suite.folders, *suite.options, *extent.options()), max(left, 1))
        result.counts.add(counts)
        if status != 0:
            result.verdict, result.note = FAILED, f"pytest ended with {status}; {counts}"
    if result.counts.left_out:
        result.left_out.insert(0, (f"{lane.name}: {result.counts.left_out} tests that take long", again))
    if extent.strict and result.counts.unexplained:
        result.verdict, result.note = FAILED, "skipped: " + "; ".join(result.counts.unexplained)
    return result


def left_out_lane(lane: Lane) -> Result:
    command = what_brings(lane) if lane.missing() else f"make test LANES={lane.name}"
    return Result(lane.name, LEFT_OUT, left_out=[(f"lane {lane.name}", command)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("lanes", nargs="*", metavar="LANE", help="default: core; with --full or CI=true, every lane")
    parser.add_argument("--long", action="store_true", help="run the tests that take long, too")
    parser.add_argument("--full", action="store_true", help="run every test with the long counts")
    parser.add_argument("--install-only", action="store_true", help="bring the lanes' parts and run nothing")
    chosen = parser.parse_args()
    known = {lane.name: lane for lane in LANES}
    if unknown := [name for name in chosen.lanes if name not in known]:
        parser.error(f"no lane is called {', '.join(unknown)}; there are {', '.join(known)}")
    strict = os.environ.get("CI", "").lower() in ("true", "1")
    extent = Extent(long=chosen.long or chosen.full or strict, full=chosen.full, strict=strict)
    everything = strict or chosen.full or chosen.install_only
    wanted = chosen.lanes or [name for name, lane in known.items() if everything or lane.everyday]
    results: list[Result] = []
    interruption: Interrupted | None = None
    with ThreadPoolExecutor(1) as ahead:
        try:
            with nothing_left_behind():
                brought = bring([known[name] for name in wanted], ahead) if strict or chosen.install_only else {}
                for name in wanted:
                    results.append(Result(name, "stopped"))
                    results[-1] = one_lane(known[name], extent, brought.get(name), install_only=chosen.install_only)
        except Interrupted as caught:
            interruption = caught
    if not chosen.lanes:
        results += [left_out_lane(lane) for name, lane in known.items() if name not in wanted]
    return report(results, extent, interruption)


def one_lane(lane: Lane, extent: Extent, brought: Future[str] | None, *, install_only: bool) -> Result:
    print(f"\n== lane {lane.name} ==", flush=True)
    started = time.monotonic()
    refusal = brought.result() if brought is not None else ""
    if refusal:
        result = Result(lane.name, FAILED, note=refusal)
    elif install_only:
        result = Result(lane.name, READY)
    elif lane.missing():
        result = left_out_lane(lane)
    else:
        result = run(lane, extent)
    result.seconds = time.monotonic() - started
    if result.note:
        print(f"   {result.verdict}: {result.note}", flush=True)
    return result


def report(results: list[Result], extent: Extent, interruption: Interrupted | None = None) -> int:
    """Print the table, what was left out and, as the last line, the sum in the form of pytest's own."""
    print("\n== lanes ==")
    total = Counts()
    for result in results:
        total.add(result.counts)
        said = result.note or ("" if result.verdict in (LEFT_OUT, READY) else str(result.counts))
        print(f"{result.lane:<22} {result.verdict:<9} {result.seconds:7.1f} s   {said}".rstrip())
    left_out = [entry for result in results for entry in result.left_out]
    if not extent.full and any(result.counts.outcomes for result in results):
        left_out.append(("the long counts", "make full"))
    if left_out:
        print("\n== left out ==")
        for what, command in left_out:
            print(f"{what:<40} {command}")
    failed = any(result.verdict == FAILED for result in results)
    ending = f", interrupted by {interruption.signal}" if interruption else ", a lane failed" if failed else ""
    seconds = sum(result.seconds for result in results)
    print(f"===== {total}{ending} in {seconds:.2f}s =====", flush=True)
    return int(str(interruption.code)) if interruption else int(failed)


if __name__ == "__main__":
    sys.exit(main())
