"""How long after a kill the first claim is handed out again.

A process claims and completes in a table of a million rows and is killed with SIGKILL at a random moment.
Then a fresh process opens the store and claims. Measured from the start of that process, and from the end
of its imports. The next kill hits the same store, so that what one recovery left behind is the next one's
burden.
"""

from __future__ import annotations

import argparse
import random
import signal
import statistics
import sys
import threading
import time
from pathlib import Path
from typing import Any

from support.child import end, finish, reports, start
from support.command import main
from support.findings import Findings
from support.progress import Bar
from support.store import fresh_store

ROWS = 1_000_000
QUICK_ROWS = 20_000
MOST_SECONDS = 3.0
# Long enough for the log to reach the length at which it is folded into the database: replaying it is what costs.
LONGEST_WORK_SECONDS = 12.0
CLAIM = 10


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=("kuzu", "ladybug"), default="kuzu")
    parser.add_argument("--rows", type=int, help=f"rows in the table (default {ROWS:,})")
    parser.add_argument("--kills", type=int, default=7, help="how often to kill and recover")
    parser.add_argument("--batch", type=int, default=1_000, help="rows that the killed process claims at a time")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    rows = arguments.rows or (QUICK_ROWS if arguments.quick else ROWS)
    kills = 2 if arguments.quick else arguments.kills
    longest = 0.1 if arguments.quick else LONGEST_WORK_SECONDS
    chance = random.Random(arguments.seed)
    bar.expect(2 * kills)
    bar.say("filling the store")
    where = fresh_store(arguments.engine, rows, folder / "store")
    acknowledged, lost, table = 0, [], findings.tables.setdefault("recovery after SIGKILL, in seconds", [])
    for kill in range(1, kills + 1):
        bar.say(f"working until kill {kill}")
        acknowledged += work_until_killed(where, arguments.batch, chance.uniform(0, longest))
        bar.step()
        log_bytes = sum(file.stat().st_size for file in (folder / "store").glob("*.wal"))
        bar.say(f"recovering from kill {kill}")
        began = time.monotonic()
        report = open_and_claim(where)
        bar.step()
        processed = report["states"].get("processed", 0)
        # A batch may have been committed and not reported any more: at most one.
        if not acknowledged <= processed <= acknowledged + arguments.batch or report["claimed"] != CLAIM:
            lost.append(f"kill {kill}: {acknowledged:,} acknowledged, {processed:,} found, {report['claimed']} claimed")
        acknowledged = processed
        table.append({
            "kill": kill, "completed so far": acknowledged, "log (MB)": round(log_bytes / 1e6, 1),
            "imports": round(report["imported"] - began, 3),
            "opening": round(report["opened"] - report["imported"], 3),
            "first claim": round(report["first_claim"] - report["opened"], 3),
            "from imports to first claim": round(report["first_claim"] - report["imported"], 3),
            "from process start to first claim": round(report["first_claim"] - began, 3),
        })  # fmt: skip
    whole = [float(row["from process start to first claim"] or 0) for row in table]
    findings.speed_goal(
        f"seconds from process start to the first claim at {rows:,} rows, slowest of {kills} kills",
        f"at most {MOST_SECONDS:.0f}",
        f"{max(whole):.2f} (median {statistics.median(whole):.2f})",
        max(whole) <= MOST_SECONDS,
    )
    findings.correctness_goal(
        "what was acknowledged before the kill is there after it",
        "all of it",
        "; ".join(lost) or "all of it",
        not lost,
    )


def work_until_killed(where: str, batch: int, seconds: float) -> int:
    """Kill a worker so long after its first completion; how many completions it had reported."""
    child = start("worker.py", where, batch)
    killer = threading.Timer(seconds, child.kill)
    try:
        acknowledged = 0
        for report in reports(child):
            acknowledged = report["acknowledged"]
            if killer.ident is None:
                killer.start()
        if child.wait() != -signal.SIGKILL:
            raise RuntimeError(f"the worker ended with status {child.returncode} before it was killed")
        return acknowledged
    finally:
        killer.cancel()
        end(child)


def open_and_claim(where: str) -> dict[str, Any]:
    child = start("opener.py", where, CLAIM)
    try:
        (report,) = reports(child)
        finish(child)
        return report
    finally:
        end(child)


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
