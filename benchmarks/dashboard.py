"""The dashboard with a large graph: 100,000 nodes drawn and moved, 5,000 with all detail, a table of a million rows.

The graph has 100,000 articles in groups, with 300,000 links: how long its communities take, and then each drawing in a
headless Chromium that renders by software (no graphics card). A drawing is dragged in circles for some seconds; frames
are counted, and the processor time that all processes of the browser took for one, which says what a frame costs on
a machine that is busy with other things. The queue of a million articles is asked for pages from its start, middle and
end, and its table is scrolled, and thrown to other places. The browser needs playwright, Chromium and `make ui`.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import graphvine
from support.browser import Page, browser_missing, frames, open_browser
from support.command import main
from support.daemon import answers, daemon
from support.findings import Findings
from support.progress import Bar
from support.store import article_columns

NODES, QUICK_NODES = 100_000, 1_000
DETAIL, QUICK_DETAIL = 5_000, 500
ROWS, QUICK_ROWS = 1_000_000, 5_000
LINKS, GROUP = 3, 700
FRAMES_A_SECOND, MOVED_SECONDS = 30, 4.0
# What a frame may cost at this rate, with a second core that shares the work.
FRAME_MS = 1000 / FRAMES_A_SECOND
GRAPH = "graph.kuzu"
NO_WORKERS = ("--worker", "article=0", "--worker", "hn_item=0", "--worker", "scrape_item=0")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--browser", action="store_true", help="in a quick run, too, look through a browser")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    quick = arguments.quick
    missing = browser_missing() if arguments.browser or not quick else "not asked for in a quick run"
    if missing:
        findings.notes.append(f"nothing was measured in a browser: {missing}")
    bar.expect(3)
    for name, nodes in (("drawings", QUICK_NODES if quick else NODES), ("detail", QUICK_DETAIL if quick else DETAIL)):
        bar.say(f"a graph of {nodes:,} nodes")
        with_daemon(folder / name, lambda path, n=nodes: fill(path, n, links=True),
                    lambda port, n=nodes: drawn(findings, port, n, bool(missing), quick))  # fmt: skip
        bar.step()
    rows = QUICK_ROWS if quick else ROWS
    bar.say(f"a queue of {rows:,} rows")
    with_daemon(folder / "queue", lambda path: fill(path, rows, links=False),
                lambda port: listed(findings, port, rows, bool(missing)))  # fmt: skip
    bar.step()


def with_daemon(folder: Path, fill: Callable[[Path], None], work: Callable[[int], None]) -> None:
    folder.mkdir()
    fill(folder / GRAPH)
    with daemon(folder, GRAPH, *NO_WORKERS) as (_, port):
        answers(port, "/readyz")
        work(port)
    shutil.rmtree(folder)


def fill(path: Path, count: int, *, links: bool) -> None:
    """Articles in groups of some hundred, each of which links to a few others, mostly of its own group."""
    columns, chance = article_columns(range(1, count + 1)), random.Random(5)
    groups = max(3, count // GROUP)
    with graphvine.open(path) as graph:
        graph.engine.bulk_load("Article", columns)
        if not links:
            return
        pairs = set[tuple[int, int]]()
        for place in range(count):
            for _ in range(LINKS):
                near = int(chance.random() ** 2 * (count // groups)) * groups + place % groups
                other = near if chance.random() < 0.93 else chance.randrange(count)
                if other != place:
                    pairs.add((place, other % count))
        titles, ends = columns["title"], sorted(pairs)
        graph.engine.bulk_load("LINKS_TO", {
            "from": [titles[one] for one, _ in ends], "to": [titles[other] for _, other in ends],
            "gone": [0] * len(ends),
        })  # fmt: skip


def drawn(findings: Findings, port: int, nodes: int, no_browser: bool, quick: bool) -> None:
    started = time.monotonic()
    found = asked(port, "/communities?label=Article")
    seconds = time.monotonic() - started
    table = findings.tables.setdefault("communities", [])
    table.append({
        "nodes": nodes, "edges": found["total"]["edges"], "communities": found["total"]["communities"],
        "seconds until they are known": round(seconds, 2),
    })  # fmt: skip
    counted = sum(one["size"] for one in asked(port, "/communities?label=Article&limit=2000")["communities"])
    findings.correctness_goal(f"nodes in the communities of {nodes:,}", f"{nodes:,}", f"{counted:,}", counted == nodes)
    if no_browser:
        return
    views = [("rows=all", "all rows")]
    if nodes == (QUICK_NODES if quick else NODES):
        views.insert(0, ("", "communities"))
    with open_browser() as browser:
        for query, what in views:
            moved(findings, browser, port, nodes, query, what)


def moved(findings: Findings, browser: Any, port: int, nodes: int, query: str, what: str) -> None:
    page = Page(browser, f"http://127.0.0.1:{port}/ui/graph?whole=Article&{query}")
    started = time.monotonic()
    page.shows(".points canvas")
    shown = time.monotonic() - started
    seen = frames(page, MOVED_SECONDS)
    findings.tables.setdefault("drawings, in headless Chromium by software", []).append({
        "graph": f"{nodes:,} nodes", "drawn": what, "points": int(page.attribute(".points", "data-nodes")),
        "lines": int(page.attribute(".points", "data-edges")), "seconds until it is shown": round(shown, 2),
        "frames a second while it is moved": round(seen.rate, 1), "ms of processor time a frame": round(seen.cpu_ms, 1),
    })  # fmt: skip
    findings.speed_goal(
        f"{what} of {nodes:,} nodes, moved", f"{FRAMES_A_SECOND} frames a second, or {FRAME_MS:.0f} ms of work each",
        f"{seen.rate:.0f}, {seen.cpu_ms:.0f} ms", seen.rate >= FRAMES_A_SECOND or seen.cpu_ms <= FRAME_MS,
    )  # fmt: skip
    page.close()


def listed(findings: Findings, port: int, rows: int, no_browser: bool) -> None:
    table = findings.tables["pages of 200 rows of the queue"] = []
    for name, after in (("the first", 0), ("in the middle", rows // 2), ("the last", rows - 200)):
        started = time.monotonic()
        page = asked(port, f"/pipelines/article/rows?limit=200&after={after}")
        table.append({"page": name, "milliseconds": round(1000 * (time.monotonic() - started))})
    last = page["rows"][-1]["key"]
    findings.correctness_goal("the last row of the queue", f"Article {rows}", last, last == f"Article {rows}")
    if no_browser:
        return
    jumps = findings.tables["the table of the queue, in headless Chromium"] = []
    with open_browser() as browser:
        view = Page(browser, f"http://127.0.0.1:{port}/ui/queue/article")
        view.shows(f"text={rows:,} rows")
        for share, name in ((0.5, "the middle"), (1.0, "the end"), (0.0, "the start")):
            seconds, last = view.thrown_to(share)
            jumps.append({"thrown to": name, "seconds until its rows are there": round(seconds, 2), "last row": last})
            if share == 1.0:
                findings.correctness_goal("the table's last row", f"Article {rows}", last, last == f"Article {rows}")
        rate = view.scrolled()
        findings.speed_goal(
            f"a table of {rows:,} rows, scrolled", "at least 20 frames a second", f"{rate:.0f}", rate >= 20
        )
        view.close()


def asked(port: int, path: str) -> Any:
    with urlopen(f"http://127.0.0.1:{port}{path}", timeout=300) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
