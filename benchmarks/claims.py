"""How fast rows go from claimed to completed, compared with durable work queues.

Graphvine claims and completes through its public API, in batches, over tables of several sizes. The peers
do the same work with the same durability: what was acknowledged is synced to the disk. Where a peer has
no batches, its one-by-one figure stands for all batch sizes. All of them take turns within one run; a
figure is the median of the repetitions. peers/ says for each peer what exactly is measured.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

import peers
from support.command import main, sizes
from support.contender import Contender
from support.findings import Findings, number
from support.graph_contender import GraphContender
from support.processes import race_of_processes
from support.progress import Bar
from support.race import Race

BATCHES = (1, 10, 100, 1_000)
ROWS = [20_000, 100_000, 1_000_000]
QUICK_BATCHES = (1, 10, 100)
QUICK_ROWS = [1_000, 3_000]

# Items per second that the largest table has to reach, by batch size.
FLOORS = {100: 4_000, 1_000: 15_000}
# Where peers are to be left behind. Below that the lead is shown and not judged: one row at a time, the claim's own
# commit is the price of a claim that survives its worker, and huey, which deletes what it hands out, does not pay it.
LEADING_FROM = 100
# On a server both ways are the server's work; the batch size in which the way by hand was measured is judged.
LEADING_ON_A_SERVER = (100,)
# How many times more an item may cost in the largest table than in the smallest.
MOST_GROWTH = 1.8
MOST_GROWTH_ON_A_SERVER = 1.5


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=("kuzu", "ladybug", "neo4j"), default="kuzu")
    parser.add_argument("--where", help="the address of an empty Neo4j, for --engine neo4j")
    parser.add_argument("--rows", type=sizes, help="sizes of the table, such as 20k,100k,1M")
    parser.add_argument("--processes", type=sizes, help="on Neo4j: so many at once, and nothing else, as 1,4,8")
    parser.add_argument("--seconds", type=float, default=0.75, help="length of one turn")
    parser.add_argument("--turns", type=int, default=4, help="turns that make one repetition")
    parser.add_argument("--repetitions", type=int, default=5, help="repetitions, whose median is the figure")
    parser.add_argument("--without-peers", action="store_true", help="measure Graphvine alone")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    quick: bool = arguments.quick
    rows: list[int] = sorted(arguments.rows or (QUICK_ROWS if quick else ROWS))
    if (arguments.engine == "neo4j") != bool(arguments.where):
        sys.exit("--engine neo4j needs --where with the address of an empty server")
    if arguments.processes and not arguments.where:
        sys.exit("--processes is for a server, which several can share: --engine neo4j --where ADDRESS")
    if arguments.processes:
        race_of_processes(arguments.where, rows[0], arguments.processes, 10 * arguments.seconds, findings, bar)
        return
    batches = QUICK_BATCHES if quick else BATCHES
    race = Race(0.2, 1, 1) if quick else Race(arguments.seconds, arguments.turns, arguments.repetitions)
    with ExitStack() as opened:
        if arguments.where:
            graphs = on_a_server(arguments, rows, batches, race, bar, folder, opened)
        else:
            graphs = embedded(arguments, rows, batches, race, findings, bar, folder, opened)
        for graph in graphs:
            graph.close()
    report(findings, race, rows, batches, MOST_GROWTH_ON_A_SERVER if arguments.where else MOST_GROWTH)
    twice = sum(graph.twice for graph in graphs)
    faults = [fault for graph in graphs for fault in graph.faults]
    completed = sum(graph.completed for graph in graphs)
    findings.correctness_goal(
        "rows handed out twice", "none", f"{twice} of {completed:,}", twice == 0 and completed > 0
    )
    findings.correctness_goal(
        "the store's counts agree with the work", "exactly", "; ".join(faults) or "exactly", not faults
    )


def embedded(
    arguments: argparse.Namespace, rows: list[int], batches: tuple[int, ...], race: Race, findings: Findings, bar: Bar,
    folder: Path, opened: ExitStack,
) -> list[GraphContender]:  # fmt: skip
    """All sizes and all peers take turns."""
    graphs = []
    for size in rows:
        bar.say(f"filling stores with {size:,} rows")
        # A store for each batch size: what one leaves in memory until the next checkpoint is not another's.
        for batch in batches:
            graph = GraphContender(arguments.engine, folder / f"graph-{size}-{batch}", (batch,))
            opened.callback(graph.close)
            graph.fill(size)
            graphs.append(graph)
            race.enter(graph, size)
        if not arguments.without_peers:
            found, missing = peers.build(folder, size, opened)
            findings.notes += [line for line in missing if line not in findings.notes]
            for contender in found:
                race.enter(contender, size)
    race.run(bar)
    return graphs


def on_a_server(
    arguments: argparse.Namespace, rows: list[int], batches: tuple[int, ...], race: Race, bar: Bar, folder: Path,
    opened: ExitStack,
) -> list[GraphContender]:  # fmt: skip
    """A server holds one graph: the sizes follow one another, and at each the way by hand takes turns with ours."""
    from peers.neo4j_peer import Neo4jByHand

    graph = GraphContender(arguments.engine, folder / "graph", batches, arguments.where)
    opened.callback(graph.close)
    contenders: list[Contender] = [graph]
    if not arguments.without_peers:
        by_hand = Neo4jByHand(arguments.where)
        opened.callback(by_hand.close)
        contenders.append(by_hand)
    for size in rows:
        bar.say(f"filling the server with {size:,} rows")
        for contender in contenders:
            contender.fill(size)
            race.enter(contender, size)
        race.run(bar)
    return [graph]


def report(findings: Findings, race: Race, rows: list[int], batches: tuple[int, ...], most_growth: float) -> None:
    names = race.names()
    findings.notes += [f"{name}: {race.durability[name]}" for name in names]
    findings.tables["items per second, claim to complete (median)"] = [
        {"rows": size, "batch": batch, **{name: round(race.rate(name, size, batch), 1) for name in names}}
        for size in rows
        for batch in batches
    ]
    smallest, largest = rows[0], rows[-1]
    for batch, floor in FLOORS.items():
        if batch in batches and most_growth == MOST_GROWTH:  # of the embedded engines
            rate = race.rate("graphvine", largest, batch)
            findings.speed_goal(
                f"items/s at {largest:,} rows in batches of {batch}",
                f"at least {floor:,}",
                number(rate),
                rate >= floor,
            )
    for batch in batches:
        if batch > 1 and smallest < largest:
            growth = race.growth("graphvine", smallest, largest, batch)
            findings.speed_goal(
                f"cost of an item at {largest:,} rows against {smallest:,}, batches of {batch}",
                f"at most {most_growth} times",
                f"{growth:.2f} times",
                growth <= most_growth,
            )
    rivals = [name for name in names if name != "graphvine"]
    for size in rows if rivals else ():
        for batch in batches:
            closest = min(rivals, key=lambda rival: race.lead("graphvine", rival, size, batch))
            lead = race.lead("graphvine", closest, size, batch)
            what = f"lead over the closest peer, {closest}, at {size:,} rows in batches of {batch}"
            on_a_server = most_growth == MOST_GROWTH_ON_A_SERVER
            if batch < LEADING_FROM or (on_a_server and batch not in LEADING_ON_A_SERVER):
                findings.notes.append(f"{what}: {lead:.2f} times")
                continue
            findings.speed_goal(what, "more than 1 times", f"{lead:.2f} times", lead > 1)


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
