"""Growth without a model, whether it hides behind embedding with one, and what an article costs a large store.

Without embedding, made-up articles with infoboxes, references, tables and templates are grown from a dump, long ones
and short ones; then `mwparserfromhell.parse` reads the same pages, and does nothing else. They take turns.

A made-up dump is grown with fetching, parsing, embedding and writing side by side; then the same passages are
embedded alone, by the same model on the same threads. They take turns, on texts that no turn has seen, so that
the cache of vectors helps neither. Opening the model counts for neither.

Writing alone is measured in stores of 10,000 and 1,000,000 articles that take turns: claim articles, and finish
them with sections, vectors, links (a fifth of them new) and categories, in units as large as growth writes them.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import os
import statistics
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import graphvine
from graphvine.workers.common.embedding.light import LightEmbedder
from graphvine.workers.wikipedia.grow import GrowEvent
from graphvine.workers.wikipedia.settings import WikipediaSettings
from support.command import main, sizes
from support.findings import Findings
from support.passages import Clusters
from support.progress import Bar
from support.store import fresh_store
from support.wiki import Written, write_dump
from support.wikitext import Articles, dump_of

PAGES, QUICK_PAGES = 300, 12
# Articles that are grown without a model in a turn: long ones, short ones.
TEXTS, QUICK_TEXTS = {"long": 60, "short": 3_000}, {"long": 2, "short": 20}
LEAST_SHORT, MOST_OF_PARSING = 800, 1.0
ROUNDS, QUICK_ROUNDS = 3, 1
ROWS, QUICK_ROWS = [10_000, 1_000_000], [1_000, 4_000]
UNITS, QUICK_UNITS = 3, 1
MOST_WALL = 1.10
MOST_GROWTH = 1.5


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", type=int, help=f"pages that are grown in a turn (default {PAGES})")
    parser.add_argument("--rounds", type=int, help="turns of each, whose median is the figure")
    parser.add_argument("--rows", type=sizes, help="articles in the two stores, such as 10k,1M")
    parser.add_argument("--only", choices=("parse", "overlap", "share"), help="one of the questions")
    parser.add_argument("--batch", type=int, help="articles of a unit (default: the setting wikipedia.batch_size)")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    rounds = arguments.rounds or (QUICK_ROUNDS if arguments.quick else ROUNDS)
    pages = arguments.pages or (QUICK_PAGES if arguments.quick else PAGES)
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    for name in (
        "pyarrow",
        "pandas",
        "polars",
    ):  # the engine loads them by itself with its first table, if they are there
        with suppress(ImportError):
            importlib.import_module(name)
    if arguments.only in (None, "parse"):
        without_model(rounds, QUICK_TEXTS if arguments.quick else TEXTS, findings, bar, folder)
    if arguments.only in (None, "overlap"):
        overlap(pages, rounds, findings, bar, folder)
    if arguments.only not in (None, "share"):
        return
    rows = arguments.rows or (QUICK_ROWS if arguments.quick else ROWS)
    batch = arguments.batch or (50 if arguments.quick else WikipediaSettings().batch_size)
    share(rows, batch, QUICK_UNITS if arguments.quick else UNITS, rounds, findings, bar, folder)


def without_model(rounds: int, counts: dict[str, int], findings: Findings, bar: Bar, folder: Path) -> None:
    """Growth without embedding against mwparserfromhell's parsing alone."""
    try:
        from mwparserfromhell import parse
    except ImportError:
        parse = None
        findings.notes.append("mwparserfromhell is not installed, and not compared with: make bench installs it")
    bar.expect(2 * rounds * len(counts))
    table: list[dict[str, Any]] = []
    for turn, (kind, count) in itertools.product(range(rounds), counts.items()):
        titles = [f"{kind.title()} {number} of {turn}" for number in range(count)]
        made = Articles(titles, seed=turn + 1)
        texts = {title: made.long(title) if kind == "long" else made.short(title) for title in titles}
        bar.say(f"growing {count:,} {kind} articles without a model")
        dump = folder / f"{kind} {turn}.xml"
        dump_of(texts, dump)
        seconds, _, done = grow(dump, titles, folder / f"{kind} {turn}.kuzu", embed="never")
        bar.step()
        bar.say("parsing the same, and nothing else")
        began = time.perf_counter()
        for text in texts.values() if parse is not None else ():
            parse(text)
        alone = time.perf_counter() - began
        bar.step()
        table.append({"articles": kind, "number": done, "characters": sum(map(len, texts.values())),
                      "growth (s)": round(seconds, 2), "articles/s": round(done / seconds),
                      "mwparserfromhell (s)": round(alone, 2) if parse is not None else None,
                      "ratio": round(seconds / alone, 3) if parse is not None else None})  # fmt: skip
        findings.correctness_goal(f"{kind} articles that grew", f"{count:,}", f"{done:,}", done == count)
    findings.tables["growth without a model"] = table
    if parse is not None:
        ratio = statistics.median(row["ratio"] for row in table if row["articles"] == "long")
        findings.speed_goal(
            "growth of long articles against parsing alone", f"at most {MOST_OF_PARSING:.1f} times", f"{ratio:.2f}",
            ratio <= MOST_OF_PARSING,
        )  # fmt: skip
    rate = statistics.median(row["articles/s"] for row in table if row["articles"] == "short")
    findings.speed_goal(
        "short articles in a second", f"at least {LEAST_SHORT}", f"{rate:,.0f}", rate >= LEAST_SHORT
    )  # fmt: skip


def overlap(pages: int, rounds: int, findings: Findings, bar: Bar, folder: Path) -> None:
    """Growth against embedding alone."""
    bar.expect(2 * rounds)
    embedder = LightEmbedder(cache_folder=folder / "cache")
    table = []
    try:
        for turn in range(rounds):
            bar.say(f"growing {pages:,} pages")
            dump = folder / f"dump {turn}.xml"
            titles = write_dump(dump, pages, seed=turn + 1)
            before = cpu_seconds()
            seconds, texts, done = grow(dump, titles, folder / f"graph {turn}.kuzu")
            cpu = cpu_seconds() - before
            bar.step()
            bar.say(f"embedding {len(texts):,} passages alone")
            started, before = time.perf_counter(), cpu_seconds()
            embedder.embed(texts)
            alone, cpu_alone = time.perf_counter() - started, cpu_seconds() - before
            bar.step()
            table.append({"pages": done, "passages": len(texts), "growth (s)": round(seconds, 2),
                          "embedding alone (s)": round(alone, 2), "ratio": round(seconds / alone, 3),
                          "CPU of growth, opening included (s)": round(cpu, 2),
                          "CPU of embedding alone (s)": round(cpu_alone, 2)})  # fmt: skip
            findings.correctness_goal("pages that grew", f"{pages:,}", f"{done:,}", done == pages)
    finally:
        embedder.close()
    findings.tables["growth against embedding alone"] = table
    ratio = statistics.median(row["ratio"] for row in table)
    findings.speed_goal(
        "wall time of growth against embedding the same passages alone", f"at most {MOST_WALL:.2f} times",
        f"{ratio:.2f}", ratio <= MOST_WALL,
    )  # fmt: skip


def cpu_seconds() -> float:
    """Of this process and of the children that have ended, such as the one that parses."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def grow(dump: Path, titles: list[str], place: Path, *, embed: str = "now") -> tuple[float, list[str], int]:
    """Seconds from the first claim to the last commit, the texts that were embedded, and the pages done."""
    moments: dict[str, float] = {}

    def told(event: GrowEvent) -> None:
        moments[event.name] = event.seconds

    with graphvine.open(place) as graph:
        settings = WikipediaSettings(source=str(dump), embed=embed)  # type: ignore[arg-type]
        summary = graph.grow(titles, settings=settings, depth=0, on_event=told)
        rows = graph.query("MATCH (s:Section) RETURN s.article, s.path, s.text", max_rows=10**7).rows
    texts = [" - ".join(filter(None, (article, path))) + "\n" + text for article, path, text in rows]
    return moments["finished"] - moments["started"], texts, summary.counts.done


def share(rows: list[int], batch: int, units: int, rounds: int, findings: Findings, bar: Bar, folder: Path) -> None:
    """What the store costs an article, small and large."""
    bar.expect(len(rows) * (1 + units * rounds))
    vectors = Clusters(50, 384, 5).some(500).tolist()
    spent: dict[int, list[tuple[float, float]]] = {count: [] for count in rows}
    with ExitStack() as opened:
        stores = {}
        for count in rows:
            bar.say(f"filling a store of {count:,}")
            graph = opened.enter_context(graphvine.open(fresh_store("kuzu", count, folder / f"store {count}")))
            stores[count] = Written(graph, count, vectors, seed=count)
            stores[count].settle(stores[count].prepare(stores[count].claim(batch)))  # the first use of every statement
            bar.step()
        for turn in range(units * rounds):
            for count in rows if turn % 2 == 0 else reversed(rows):
                bar.say(f"writing {batch:,} articles into {count:,}")
                spent[count].append(one_unit(stores[count], batch))
                bar.step()
        for count in rows:
            found = stores[count].claim(1)
            findings.correctness_goal(f"claims left at {count:,}", "some", f"{len(found)}", len(found) == 1)
    findings.tables["the store's share of an article"] = [
        {"articles in the store": count, "written": batch * len(times),
         "CPU (ms)": round(1000 * sum(cpu for cpu, _ in times) / len(times) / batch, 2),
         "wall (ms)": round(1000 * sum(wall for _, wall in times) / len(times) / batch, 2)}
        for count, times in spent.items()
    ]  # fmt: skip
    small, large = rows[0], rows[-1]
    # Rare upkeep (a checkpoint) falls into some units: sums, not medians. Of the CPU, which others' load does not move.
    growth = sum(cpu for cpu, _ in spent[large]) / sum(cpu for cpu, _ in spent[small])
    findings.speed_goal(
        f"the store's share per article at {large:,} against {small:,}", f"at most {MOST_GROWTH} times",
        f"{growth:.2f}", growth <= MOST_GROWTH,
    )  # fmt: skip


def one_unit(written: Written, batch: int) -> tuple[float, float]:
    """CPU and wall seconds of claiming and writing; making the material up is not measured."""
    cpu, wall = time.process_time(), time.perf_counter()
    claims = written.claim(batch)
    cpu_of_claim, wall_of_claim = time.process_time() - cpu, time.perf_counter() - wall
    outcomes = written.prepare(claims)
    cpu, wall = time.process_time(), time.perf_counter()
    written.settle(outcomes)
    return cpu_of_claim + time.process_time() - cpu, wall_of_claim + time.perf_counter() - wall


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
