"""Hacker News: from a file of JSON to completed items with threads and search, against the bare work.

The bare work is what nobody can do without: COPY of the same rows and edges, and the same texts through the same
analyser into an index, with no checks and no states. Both start from parsed lines of the same file and from an empty
store. Growth compares the time of an item in the last tenth of the larger size with that of the smaller size. Searches
run on what was loaded; every answer is asked for once, in an index that is open.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from support.cache import cached
from support.command import main, sizes
from support.findings import Findings
from support.hn_items import SYLLABLES, vocabulary, write
from support.progress import Bar

LEAST_RATE, LEAST_SHARE = 15_000, 0.9
QUICK = 2_000
MOST_GROWTH, SEARCH_MS, JOIN_MS = 1.5, 50.0, 100.0

T = TypeVar("T")
COMMONEST = "one of the commonest words, filtered, by date"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=sizes, default=[100_000, 1_000_000], help="items, such as 100k,1M")
    parser.add_argument("--searches", type=int, default=200, help="searches of each kind")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    counts = [QUICK, 2 * QUICK] if arguments.quick else arguments.rows
    bar.expect(3 * len(counts))
    loads, seconds_each, where = [], [], folder / "none"
    for count in counts:
        bar.say(f"making {count:,} items")
        file = cached(f"hn-{count}-1", lambda place, count=count: write(place / "items.jsonl", count)) / "items.jsonl"
        bar.step()
        bar.say(f"the bare work on {count:,} items")
        bare, bare_cpu = with_cpu(lambda: bare_work(file, folder / f"bare-{count}"))  # noqa: B023
        shutil.rmtree(folder / f"bare-{count}")
        bar.step()
        bar.say(f"taking in {count:,} items")
        where = folder / f"graph-{count}"
        (whole, last_tenth, completed), cpu = with_cpu(lambda: taken_in(file, where, count))  # noqa: B023
        seconds_each.append(last_tenth)
        bar.step()
        loads.append(
            {"items": count, "taken in (items/s)": count / whole, "bare work (items/s)": count / bare,
             "of the bare speed": round(bare / whole, 2), "last tenth (us/item)": round(1e6 * last_tenth, 1),
             "CPU (us/item)": round(1e6 * cpu / count, 1), "CPU, bare (us/item)": round(1e6 * bare_cpu / count, 1)}
        )  # fmt: skip
        findings.correctness_goal("items completed", f"{count:,}", f"{completed:,}", completed == count)
    findings.tables["from file to completed"] = loads
    share, rate = float(loads[-1]["of the bare speed"]), float(loads[-1]["taken in (items/s)"])
    findings.speed_goal("speed against the bare work", f"at least {LEAST_SHARE}", f"{share:.2f}", share >= LEAST_SHARE)
    findings.speed_goal("items in a second", f"at least {LEAST_RATE:,}", f"{rate:,.0f}", rate >= LEAST_RATE)
    growth = seconds_each[-1] / seconds_each[0]
    findings.speed_goal(
        f"time of an item at {counts[-1]:,} against {counts[0]:,}", f"at most {MOST_GROWTH}", f"{growth:.2f}",
        growth <= MOST_GROWTH,
    )  # fmt: skip
    searches(where, 10 if arguments.quick else arguments.searches, counts[-1], findings)


def with_cpu(work: Callable[[], T]) -> tuple[T, float]:
    """What the work gives, and the processor seconds of all threads: a busy machine moves them less than the time."""
    began = time.process_time()
    return work(), time.process_time() - began


def taken_in(file: Path, where: Path, count: int) -> tuple[float, float, int]:
    """Seconds in all, seconds of an item in the last tenth, and how many were completed."""
    import graphvine
    from graphvine.workers.hn.item_files import read_items

    where.mkdir()
    with graphvine.open(where / "graph.kuzu") as graph:
        marks: list[tuple[int, float]] = [(0, time.perf_counter())]
        graph.hn.add(
            read_items([file]), source="BULK_UPLOAD",
            progress=lambda so_far: marks.append((so_far.total, time.perf_counter())),
        )  # fmt: skip
        ended = time.perf_counter()
        late = next(mark for mark in marks if mark[0] >= 0.85 * count or mark is marks[-2])
        done = {row["state"]: row["count"] for row in graph.read("hn_item.counts")}
    return ended - marks[0][1], (ended - late[1]) / max(1, count - late[0]), done.get("completed", 0)


def bare_work(file: Path, folder: Path) -> float:
    """Seconds for COPY of rows and edges and for plain indexing, nothing else."""
    import importlib.util  # noqa: F401  Kuzu's scan of an Arrow table needs it loaded
    import json

    import kuzu
    import pyarrow

    from graphvine.schema import migrations

    folder.mkdir()
    database = kuzu.Database(str(folder / "bare.kuzu"), buffer_pool_size=1 << 30)
    connection = kuzu.Connection(database)
    for entity in ("graph", "hn_item"):
        for statement in (one for step in migrations()[entity] for one in step.statements):
            connection.execute(statement)
    writer, add = _plain_index(folder / "index")
    began = time.perf_counter()
    texts: dict[str, Any] = {name: pyarrow.string() for name in ("type", "by", "title", "text", "url")}
    numbers = {name: pyarrow.int64() for name in ("hnId", "time", "score", "descendants", "parent")}
    kinds = texts | numbers
    with file.open("rb") as lines:
        while rows := [json.loads(line) for line in islice(lines, 20_000)]:
            columns = {
                name: pyarrow.array([row.get("id" if name == "hnId" else name) for row in rows], kind)
                for name, kind in kinds.items()
            }
            connection.execute(f"COPY HNItem({', '.join(kinds)}) FROM $rows", {"rows": pyarrow.table(columns)})
            below = [row for row in rows if "parent" in row]
            edges = {
                "from": [row["parent"] for row in below],
                "to": [row["id"] for row in below],
                "gone": [0] * len(below),
            }
            connection.execute("COPY PARENT_OF FROM $rows", {"rows": pyarrow.table(edges)})
            for row in rows:
                add(row)
            writer.commit()
    seconds = time.perf_counter() - began
    connection.close()
    database.close()
    return seconds


def _plain_index(folder: Path) -> tuple[Any, Callable[[dict[str, Any]], None]]:
    import tantivy

    from graphvine.search.documents import IndexFields
    from graphvine.search.query_parser import ANALYZER, Analysis
    from graphvine.search.text_index import _schema

    folder.mkdir()
    index = tantivy.Index(_schema(IndexFields()), path=str(folder))
    index.register_tokenizer(ANALYZER, Analysis().plain)
    writer = index.writer(heap_size=60_000_000, num_threads=1)

    def add(row: dict[str, Any]) -> None:
        document = tantivy.Document()
        document.add_text("id", str(row["id"]))
        for name, field in (("title", "title"), ("text", "body"), ("by", "author"), ("type", "type")):
            if name in row:
                document.add_text(field, row[name])
        document.add_integer("time", row["time"])
        document.add_integer("score", row.get("score", 0))
        writer.add_document(document)

    return writer, add


def searches(where: Path, count: int, size: int, findings: Findings) -> None:
    import random

    import graphvine
    from graphvine.workers.hn.search import HNSearch

    chance, words = random.Random(3), sorted(set(vocabulary()[:3_000]))
    # One syllable: fifteen words, each in about half of all items, as "the" is in English. Shown, and not judged.
    commonest = [word for word in words if word in SYLLABLES]
    with graphvine.open(where / "graph.kuzu") as graph, HNSearch(graph) as searching:
        stories = [one.item for one in searching.search("", type="story", limit=1000).found]
        ways: dict[str, Callable[[], Any]] = {
            "two words": lambda: searching.search(f"{chance.choice(words)} {chance.choice(words)}"),
            "a word, filtered, by date": lambda: searching.search(
                chance.choice(words), type="comment", after=1_300_000_000 + size, sort="date"
            ),
            COMMONEST: lambda: searching.search(
                chance.choice(commonest), type="comment", after=1_300_000_000 + size, sort="date"
            ),
            "under an item": lambda: searching.search(chance.choice(words), under=chance.choice(stories).id),
            "below stories by an author": lambda: searching.search("", story_by=chance.choice(stories).by),
        }
        rows, slowest = [], {}
        for name, ask in ways.items():
            times = []
            for _ in range(count):
                began = time.perf_counter()
                ask()
                times.append(1000 * (time.perf_counter() - began))
            slowest[name] = statistics.quantiles(times, n=20)[-1]
            rows.append(
                {"search": name, "median (ms)": round(statistics.median(times), 1), "p95 (ms)": round(slowest[name], 1)}
            )
    findings.tables[f"searches over {size:,} items"] = rows
    del slowest[COMMONEST]
    for name, p95 in slowest.items():
        limit = JOIN_MS if name in ("under an item", "below stories by an author") else SEARCH_MS
        findings.speed_goal(f"search, {name}, p95", f"at most {limit:.0f} ms", f"{p95:.1f} ms", p95 <= limit)


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
