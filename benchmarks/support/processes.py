"""The same claims by several processes at once, on a server that they share."""

from __future__ import annotations

import os
import statistics
import time
from collections import Counter
from typing import Any

from support.child import end, finish, reports, start
from support.findings import Findings
from support.progress import Bar
from support.store import fill

BATCH = 100
_READY_SECONDS = 3.0  # for every process to open the graph: so long for the first, and for each


def race_of_processes(where: str, rows: int, counts: list[int], seconds: float, findings: Findings, bar: Bar) -> None:
    """Each number of processes in turn, three times over; the figures are medians."""
    bar.expect(1 + 3 * len(counts))
    bar.say(f"filling the server with {rows:,} rows")
    fill(where, rows)
    bar.step()
    handed_out: Counter[int] = Counter()
    rounds: dict[int, list[dict[str, float]]] = {count: [] for count in counts}
    for _ in range(3):
        for count in counts:
            bar.say(f"{count} processes")
            rounds[count].append(_turn(where, count, seconds, handed_out))
            bar.step()
    findings.tables[f"{rows:,} rows in batches of {BATCH}, by so many processes (median of 3)"] = [
        {"processes": count, **{name: round(statistics.median(turn[name] for turn in turns), 1) for name in turns[0]}}
        for count, turns in rounds.items()
    ]
    twice = sum(1 for times in handed_out.values() if times > 1)
    findings.correctness_goal("rows handed out twice", "none", f"{twice} of {len(handed_out):,}", twice == 0)


def _turn(where: str, count: int, seconds: float, handed_out: Counter[int]) -> dict[str, float]:
    begin = time.time() + _READY_SECONDS * (1 + count)
    children = [start("claiming.py", where, BATCH, begin, begin + seconds) for _ in range(count)]
    try:
        time.sleep(max(0.0, begin - time.time()))
        busy = _busy_seconds()
        found: list[dict[str, Any]] = []
        for child in children:
            found += reports(child)
        busy = _busy_seconds() - busy
        for child in children:
            finish(child)
    finally:
        for child in children:
            end(child)
    if (late := max(report["late"] for report in found)) > 0.5:
        raise RuntimeError(f"a process was ready {late:.1f} s late: the figures would not be of {count} at once")
    if any(report["seconds"] < seconds for report in found):
        raise RuntimeError("the rows ran out: give more of them with --rows")
    for report in found:
        handed_out.update(report["numbers"])
    took = max(report["seconds"] for report in found)
    return {
        "items/s": sum(len(report["numbers"]) for report in found) / took,
        "cores busy, clients": sum(report["cpu"] for report in found) / took,
        "cores busy, whole machine": busy / took,
    }


def _busy_seconds() -> float:
    """Processor seconds that this machine has worked since it was started."""
    with open("/proc/stat") as file:
        fields = [int(field) for field in file.readline().split()[1:]]
    idle = fields[3] + fields[4]
    return (sum(fields[:8]) - idle) / os.sysconf("SC_CLK_TCK")
