"""Whether memory stays level over 200,000 transitions.

A process of its own claims and completes in small batches, which is what holds most memory between two
checkpoints; a claim and a completion count as one transition each a row. The kernel's record of the
highest resident memory is read and reset at each stretch, so no peak between two readings is missed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from support.child import end, finish, reports, start
from support.command import main
from support.findings import Findings
from support.plot import plot
from support.progress import Bar
from support.store import fresh_store

TRANSITIONS = 200_000
WARM_UP = 20_000
QUICK_TRANSITIONS = 2_000
MOST_GROWTH_PERCENT = 10.0
STRETCHES = 200


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--batch", type=int, default=10, help="rows claimed at a time")
    parser.add_argument("--transitions", type=int, help=f"how many in all (default {TRANSITIONS:,})")
    parser.add_argument("--engine", choices=("kuzu", "ladybug"), default="kuzu")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    total = arguments.transitions or (QUICK_TRANSITIONS if arguments.quick else TRANSITIONS)
    warm_up = min(WARM_UP, total // 10)
    bar.say("filling the store")
    where = fresh_store(arguments.engine, total // 2 + arguments.batch, folder / "store")
    points = follow(where, arguments.batch, total, bar)
    before = max(mib for done, mib in points if done <= warm_up)
    after = max(mib for done, mib in points if done > warm_up)
    growth = 100.0 * (after / before - 1.0)
    findings.plots["MiB of resident memory over transitions"] = plot(points, unit="MiB")
    findings.tables["resident memory"] = [
        {"batch": arguments.batch, "transitions": points[-1][0],
         f"highest up to {warm_up:,} (MiB)": round(before, 1), "highest after it (MiB)": round(after, 1),
         "at the end (MiB)": round(points[-1][1], 1), "growth (%)": round(growth, 1)}
    ]  # fmt: skip
    findings.speed_goal(
        f"highest memory from transition {warm_up:,} to {total:,} against the highest before",
        f"at most {MOST_GROWTH_PERCENT:.0f} % more",
        f"{growth:.1f} %",
        growth <= MOST_GROWTH_PERCENT,
    )
    findings.correctness_goal("transitions done", f"{total:,}", f"{points[-1][0]:,}", points[-1][0] >= total)


def follow(where: str, batch: int, total: int, bar: Bar) -> list[tuple[int, float]]:
    """Run the child and collect (transitions, MiB)."""
    stretch = max(2 * batch, total // STRETCHES)
    bar.expect(STRETCHES)
    bar.say(f"{total:,} transitions in batches of {batch}")
    child = start("transitions.py", where, batch, total, stretch)
    try:
        points = []
        for report in reports(child):
            points.append((report["transitions"], report["kib"] / 1024))
            bar.step()
        finish(child)
    finally:
        end(child)
    return points


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
