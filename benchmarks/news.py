"""News: how many articles an hour go from a feed to summary and sentiment, and where the time goes.

A made-up feed names pages on eight hosts of this machine, each of which answers at once or after 300 ms, as sites do.
The updater takes them in, then the processor works run after run with its default settings: main text, the best
sentences by vectors, the vectors that tell the same story, sentiment by words, every phase saved when it is done. The
document takes five articles a run, one run a minute, and expects its design to end at 1,000 an hour; here a run follows
the other at once, with five articles a run and with twenty. A phase's share is of the time that articles spent in
phases, the saving included; several are worked on at once.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import graphvine
from graphvine.workers.news.processor import Processor
from graphvine.workers.news.providers import Feed
from graphvine.workers.news.settings import NewsSettings
from graphvine.workers.news.updater import Updater
from support.command import main
from support.findings import Findings
from support.news_site import news_site
from support.progress import Bar

ARTICLES, QUICK = 80, 5
GOAL = 1_000


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--articles", type=int, help=f"articles in each turn (default {ARTICLES}, 1,000 at most)")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    count = arguments.articles or (QUICK if arguments.quick else ARTICLES)
    turns = [(5, 0.0), (20, 0.3)] if arguments.quick else [(5, 0.0), (5, 0.3), (20, 0.0), (20, 0.3)]
    bar.expect(len(turns))
    table, phases = [], []
    for batch, seconds in turns:
        bar.say(f"{batch} articles a run, pages after {1000 * seconds:.0f} ms")
        taken, wall, done, shares = one_turn(count, batch, seconds, folder / f"{batch} {seconds}")
        bar.step()
        name = f"{batch} a run, pages after {1000 * seconds:.0f} ms"
        table.append({"turn": name, "articles": done, "update (s)": round(taken, 2), "process (s)": round(wall, 2),
                      "articles an hour": round(3600 * done / wall)})  # fmt: skip
        total = sum(shares.values())
        phases.append(
            {"turn": name} | {f"{phase} (%)": round(100 * spent / total, 1) for phase, spent in shares.items()}
        )
        findings.correctness_goal(f"articles processed, {name}", f"{count:,}", f"{done:,}", done == count)
        rate = 3600 * done / wall
        findings.speed_goal(f"articles an hour, {name}", f"at least {GOAL:,}", f"{rate:,.0f}", rate >= GOAL)
    findings.tables["throughput"] = table
    findings.tables["share of each phase"] = phases


def one_turn(count: int, batch: int, seconds: float, place: Path) -> tuple[float, float, int, dict[str, float]]:
    """Seconds of the updater, seconds of the processor, articles done, and seconds in each phase."""
    settings = NewsSettings(allowed_private_hosts="127.0.0.0/8", max_articles_per_run=batch, max_stored_articles=1_000)
    place.mkdir()
    with news_site(count, seconds) as address, graphvine.open(place / "graph.kuzu") as graph:
        began = time.perf_counter()
        found = Updater(graph, settings, providers=[Feed(address)]).run_once().found
        taken = time.perf_counter() - began
        if found != count:
            raise RuntimeError(f"the feed has {count} articles, and {found} were found")
        processor = Processor(graph, settings)
        began = time.perf_counter()
        processor.run(until_empty=True)
        wall = time.perf_counter() - began
        states = {row["state"]: row["count"] for row in graph.read("news_article.counts")}
        processor.close()
        return taken, wall, states.get("processed", 0), dict(processor.seconds_by_phase)


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
