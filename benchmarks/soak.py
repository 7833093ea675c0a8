"""Whether days of work leave anything behind: memory, disk, descriptors, threads, claims.

Three days by a clock that is moved. Each hour every row goes round once: four workers with successes, retries and
failures, a worker that dies with rows in hand, heartbeats, the reaper, rows put back by a typed statement, items of
Hacker News that change, a search. Every few hours the process is killed, in the middle of an hour, and another one goes
on. The data stays the same, so what grows is what was left behind: the highest value of the second half of the hours is
compared with the highest of the first. In the end no row may be held, none lost, and the doctor has nothing to say.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
from pathlib import Path
from typing import Any

import graphvine
from support.child import end, finish, reports, start
from support.command import main
from support.findings import Findings
from support.plot import plot
from support.progress import Bar
from support.store import fill

HOURS, QUICK_HOURS = 72, 4
ROWS, QUICK_ROWS = 2_000, 60
ITEMS, QUICK_ITEMS = 5_000, 100
HOURS_A_LIFE, QUICK_HOURS_A_LIFE = 6, 2
MOST_GROWTH_PERCENT = 10.0
WHAT = {"resident": "memory", "disk": "disk", "descriptors": "descriptors", "threads": "threads"}


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hours", type=int, help=f"of the moved clock (default {HOURS})")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    hours = arguments.hours or (QUICK_HOURS if arguments.quick else HOURS)
    rows = QUICK_ROWS if arguments.quick else ROWS
    items = QUICK_ITEMS if arguments.quick else ITEMS
    where = str(folder / "soak.kuzu")
    bar.say("filling the store")
    fill(where, rows)
    bar.expect(hours)
    bar.say(f"{hours} hours")
    found, kills = _live(where, hours, items, QUICK_HOURS_A_LIFE if arguments.quick else HOURS_A_LIFE, bar)
    # The hours after a start are still filling caches: they are in both halves.
    halves = found[: hours // 2], found[hours // 2 :]
    table = []
    for name, what in WHAT.items():
        before, after = (max(one[name] for one in half) for half in halves)
        growth = 100.0 * (after / before - 1.0)
        table.append({"highest": what, "first half": _shown(name, before), "second half": _shown(name, after)})
        findings.speed_goal(
            f"{what}: highest of the second half against the first", f"at most {MOST_GROWTH_PERCENT:.0f} % more",
            f"{growth:+.1f} %", growth <= MOST_GROWTH_PERCENT,
        )  # fmt: skip
    findings.tables[f"{hours} hours of work, {kills} kills"] = table
    findings.plots["MiB of resident memory over hours"] = plot(
        [(one["hour"], one["resident"] / 2**20) for one in found], unit="MiB"
    )
    _judge_the_end(where, rows, findings)


def _live(where: str, hours: int, items: int, hours_a_life: int, bar: Bar) -> tuple[list[dict[str, Any]], int]:
    """The reports of all hours, from as many processes as it took, and how many of those were killed."""
    chance, found, kills = random.Random(3), list[dict[str, Any]](), 0
    while len(found) < hours:
        child = start("soak.py", where, len(found), hours, items)
        last = min(hours, len(found) + chance.randint(1, hours_a_life))
        killer: threading.Timer | None = None
        try:
            for report in reports(child):
                found.append(report)
                bar.step()
                if len(found) >= last and last < hours and killer is None:
                    killer = threading.Timer(chance.random() * 0.5, child.kill)  # somewhere in the next hour
                    killer.start()
            if killer is None:
                finish(child)
            else:
                kills += child.wait() < 0
        finally:
            if killer is not None:
                killer.cancel()
            end(child)
        # An hour whose report was cut with its process is lived again.
    return found[:hours], kills


def _judge_the_end(where: str, rows: int, findings: Findings) -> None:
    with graphvine.open(where) as graph:
        (status,) = (one for one in graph.status() if one.pipeline == "article")
        held = graph.query("MATCH (a:Article) WHERE a.lease > 0 RETURN count(*)").rows[0][0]
        complaints = [finding.detail for finding in graph.doctor() if not finding.ok]
    states = {state: count for state, count in status.states.items() if count}
    at_rest = states.get("processed", 0) + states.get("failed", 0)
    findings.correctness_goal("rows that came to rest", f"{rows:,}", f"{at_rest:,}", at_rest == rows)
    findings.correctness_goal("claims that are held in the end", "0", str(held), held == 0)
    findings.correctness_goal("what the doctor finds", "nothing", "; ".join(complaints) or "nothing", not complaints)


def _shown(name: str, value: int) -> str:
    return f"{value / 2**20:.0f} MiB" if name in ("resident", "disk") else str(value)


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
