"""How fast workers get through a queue, each queue by its own worker loop.

Handlers do nothing; every acknowledged completion is synced to the disk. One, eight and 32 workers take one row at a
time; then batches of 100, and whatever each does best with. pgqueuer, graphile-worker and River run on PostgreSQL with
its defaults, in processes of their own; peers/worker_loops.py says with which settings. All take turns within one run;
a figure is the median of the repetitions. The time of a claim is what a worker of Graphvine waits for the transaction
that settles its row and claims the next.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from peers import worker_loops
from support.command import main, sizes
from support.contender import Sample, Unavailable
from support.findings import Findings
from support.progress import Bar
from support.rounds import interleave, median_rate, median_ratio
from support.store import fresh_store

if TYPE_CHECKING:
    from graphvine.outcomes import Outcome
    from graphvine.records import Claim
    from graphvine.workers.pipeline import Context

ROWS, QUICK_ROWS = 100_000, 2_000
# (workers, batch) by name; a contender has its own for the last two.
ONE_BY_ONE = {"1 worker, one row": (1, 1), "8 workers, one row": (8, 1), "32 workers, one row": (32, 1)}
HUNDRED, BEST = "batches of 100", "best batching"
LATENCY_AT = "8 workers, one row"
MOST_P99_MS = 20.0
LEADS = dict.fromkeys((*ONE_BY_ONE, HUNDRED), 1.0) | {BEST: 1.1}


class Loops(Protocol):
    """A queue by its own worker loop."""

    name: str
    durability: str
    best: tuple[int, int]
    hundred: tuple[int, int]

    def fill(self, items: int) -> None: ...

    def run(self, workers: int, batch: int, seconds: float) -> Sample: ...

    def close(self) -> None: ...


class Nothing:
    """A handler with nothing to do."""

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterable[Outcome]:
        from graphvine.outcomes import Done

        return [Done(claim) for claim in claims]

    def close(self) -> None:
        """Holds nothing."""


class GraphvineLoops:
    name = "graphvine"
    durability = "settling and claiming in one synced commit, shared by the workers that wait"
    best = (1, 5_000)
    hundred = (1, 100)

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.graph: Any = None
        self.rows = 0
        self.claim_seconds: list[float] = []
        self.faults: list[str] = []

    def fill(self, items: int) -> None:
        import graphvine

        self.close()
        self.rows = items
        self.graph = graphvine.open(fresh_store("kuzu", items, self.folder))

    def run(self, workers: int, batch: int, seconds: float) -> Sample:
        from graphvine.workers.loop import Loop

        stop, waits = threading.Event(), list[float]()

        def on_event(event: str, facts: dict[str, Any]) -> None:
            if event == "write" and any(".claim" in block for block in facts["blocks"]):
                waits.append(facts["seconds"])

        self.graph.store.subscribe(on_event)
        loops = [Loop(self.graph, "article", Nothing(), batch=batch, stop=stop) for _ in range(workers)]
        done = [0] * workers

        def work(number: int) -> None:
            done[number] = loops[number].run(until_empty=True).done

        threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
        begun = time.perf_counter()
        for thread in threads:
            thread.start()
        while time.perf_counter() - begun < seconds and any(thread.is_alive() for thread in threads):
            time.sleep(0.02)
        stop.set()
        for thread in threads:
            thread.join()
        sample = Sample(sum(done), time.perf_counter() - begun)
        self.graph.store.unsubscribe(on_event)
        if (workers, batch) == ONE_BY_ONE[LATENCY_AT]:
            self.claim_seconds += waits
        self.audit(sample.items)
        return sample

    def audit(self, done: int) -> None:
        """Compare the store's own counts with what the loops say that they did."""
        (status,) = (one for one in self.graph.status() if one.pipeline == "article")
        found = {state: count for state, count in status.states.items() if count}
        expected = {"processed": done, "discovered": self.rows - done}
        if found != {state: count for state, count in expected.items() if count}:
            self.faults.append(f"the store counts {found}, expected {expected}")

    def close(self) -> None:
        if self.graph is not None:
            self.graph.close()
            self.graph = None
        shutil.rmtree(self.folder, ignore_errors=True)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=sizes, help="the size of the queue, such as 100k")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of one turn")
    parser.add_argument("--repetitions", type=int, default=5, help="turns, whose median is the figure")
    parser.add_argument("--without-peers", action="store_true", help="measure Graphvine alone")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    quick: bool = arguments.quick
    rows = (arguments.rows or [QUICK_ROWS if quick else ROWS])[0]
    seconds, repetitions = (0.3, 1) if quick else (arguments.seconds, arguments.repetitions)
    with ExitStack() as opened:
        own = GraphvineLoops(folder / "graph")
        opened.callback(own.close)
        contenders: list[Loops] = [own]
        if quick and not arguments.without_peers:
            findings.notes.append("a quick run installs no peers: Graphvine alone")
        elif not arguments.without_peers:
            bar.say("installing the peers")
            found, missing = worker_loops.build(opened)
            contenders += found
            findings.notes += missing
        samples = race(contenders, rows, seconds, repetitions, bar)
    report(findings, contenders, samples, own)


def race(
    contenders: Sequence[Loops], rows: int, seconds: float, repetitions: int, bar: Bar
) -> dict[tuple[str, str], list[Sample]]:
    by_name = {contender.name: contender for contender in contenders}
    cells = [(mode, name) for mode in (*ONE_BY_ONE, HUNDRED, BEST) for name in by_name]

    def settings(mode: str, contender: Loops) -> tuple[int, int]:
        return contender.hundred if mode == HUNDRED else contender.best if mode == BEST else ONE_BY_ONE[mode]

    def turn(mode: str, name: str) -> Sample:
        return by_name[name].run(*settings(mode, by_name[name]), seconds)

    def before(cell: tuple[str, str]) -> None:
        bar.say(f"{cell[1]}, {cell[0]}")
        by_name[cell[1]].fill(rows)
        bar.step()

    bar.expect(len(cells) * repetitions)
    turns = {(mode, name): (lambda mode=mode, name=name: turn(mode, name)) for mode, name in cells}
    return interleave(turns, repetitions, before)


def report(
    findings: Findings, contenders: Sequence[Loops], samples: dict[tuple[str, str], list[Sample]], own: GraphvineLoops
) -> None:
    names = [contender.name for contender in contenders]
    findings.notes += [f"{contender.name}: {contender.durability}" for contender in contenders]
    findings.tables["items per second (median)"] = [
        {"workers": mode, **{name: round(median_rate(samples[mode, name])) for name in names}}
        for mode in (*ONE_BY_ONE, HUNDRED, BEST)
    ]
    for mode, lead in LEADS.items():
        rivals = {name: median_ratio(samples[mode, "graphvine"], samples[mode, name]) for name in names[1:]}
        if rivals:
            closest = min(rivals, key=lambda name: rivals[name])
            measured = f"{rivals[closest]:.2f} times"
            findings.speed_goal(
                f"lead over the closest peer, {closest}: {mode}", f"at least {lead:g} times", measured,
                rivals[closest] >= lead,
            )  # fmt: skip
    waits = sorted(own.claim_seconds)
    if not waits:
        raise Unavailable("no claim was measured")
    p99 = 1000 * waits[min(len(waits) - 1, int(0.99 * len(waits)))]
    findings.tables["time of a claim under load, ms"] = [
        {"workers": LATENCY_AT, "median": round(1000 * statistics.median(waits), 2), "p99": round(p99, 2)}
    ]
    findings.speed_goal(
        f"time of a claim, p99, {LATENCY_AT}", f"at most {MOST_P99_MS:g} ms", f"{p99:.1f} ms", p99 <= MOST_P99_MS
    )
    findings.correctness_goal(
        "the store's counts agree with the work", "exactly", "; ".join(own.faults[:3]) or "exactly", not own.faults
    )


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
