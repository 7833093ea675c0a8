"""How long a search that walks takes over a million Hacker News items with vectors, and its memory and disk.

Items are bulk loaded into the graph and come into the index of words as they always do. Vectors, of 384 dimensions, in
clusters and along 48 directions, are given to the index of vectors by the call that the queue's rows come in by, and
not written into the graph: made-up ones need not be kept. Each question is the beginning of an item, with a vector
close to that item's; what embedding a question costs is in `benchmarks/embed.py`. Goals are judged by the lesser of a
question's time by the clock, which a busy machine lengthens, and its CPU time of all threads, which those that work
side by side do.
"""

from __future__ import annotations

import argparse
import random
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

import graphvine
from graphvine.graph import Graph
from graphvine.index_sync import folder_for
from graphvine.search import Document, open_index
from graphvine.search.row_vectors import index_name
from graphvine.search.walk import Question
from graphvine.workers.hn.kind import Items
from support.command import main, sizes
from support.findings import Findings, number
from support.hn_items import items
from support.latency import Latencies
from support.passages import Clusters
from support.progress import Bar

ITEMS, QUICK_ITEMS = 1_000_000, 2_000
QUESTIONS, QUICK_QUESTIONS = 200, 10
FIRST_QUESTIONS = 5
DIMENSION, DIRECTIONS = 384, 48
AT_ONCE = 20_000
MOST_MILLISECONDS = 80.0
NEVER = 1 << 52
COLUMNS = ("type", "by", "time", "title", "text", "url", "parent")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--items", type=sizes, help="how many items, such as 1m (one size)")
    parser.add_argument("--questions", type=int, help="how many questions of each kind")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    (count,) = arguments.items or [QUICK_ITEMS if arguments.quick else ITEMS]
    questions = arguments.questions or (QUICK_QUESTIONS if arguments.quick else QUESTIONS)
    vectors = Clusters(max(10, count // 100), DIMENSION, 2, DIRECTIONS)
    with graphvine.open(folder / "items.kuzu") as graph:
        chosen = sorted(random.Random(5).sample(range(2, count + 1), questions))
        asked = _load(graph, count, chosen, bar)
        near = _vectors(graph, count, chosen, vectors, bar)
        kind = Items(graph)
        try:
            bar.say("indexing words")
            kind.catch_up()
            before = psutil.Process().memory_full_info().uss
            _ask(kind, asked, near, count, findings, bar)
            searching = psutil.Process().memory_full_info().uss
        finally:
            kind.close()
    sizes_of = {
        name: sum(file.stat().st_size for file in part.rglob("*") if file.is_file()) if part.is_dir() else
        part.stat().st_size
        for name, part in (
            ("graph", folder / "items.kuzu"), ("index of words", folder / "items.kuzu.index" / "hn_item"),
            ("index of vectors", folder / "items.kuzu.index" / index_name("hn", 0)),
        )
    }  # fmt: skip
    findings.tables["size"] = [{
        "items": count, **{f"{name} on disk (MB)": round(size / 1e6) for name, size in sizes_of.items()},
        "memory before the first question (MB)": round(before / 1e6), "after the last (MB)": round(searching / 1e6),
    }]  # fmt: skip


def _load(graph: Graph, count: int, chosen: list[int], bar: Bar) -> dict[int, str]:
    """Put the items into the graph; the texts of the chosen ones come back."""
    load, made, texts, wanted = graph.engine.bulk_load, items(count), dict[int, str](), set(chosen)
    bar.say(f"loading {count:,} items")
    bar.expect(-(-count // AT_ONCE))
    parents: list[tuple[int, int]] = []
    while rows := list(islice(made, AT_ONCE)):
        load("HNItem", {
            "hnId": [row["id"] for row in rows], "state": ["completed"] * len(rows),
            **{name: [row.get(name) for row in rows] for name in COLUMNS},
            "story": [0] * len(rows), "seq": [row["id"] for row in rows], "stamp": [row["id"] for row in rows],
            "due": [NEVER] * len(rows),
        })  # fmt: skip
        load("TextVector", {
            "id": [f"hn:{row['id']}" for row in rows], "kind": ["hn"] * len(rows),
            "row": [str(row["id"]) for row in rows],
            "state": ["embedded"] * len(rows), "generation": [0] * len(rows), "seq": [row["id"] for row in rows],
            "due": [NEVER] * len(rows),
        })  # fmt: skip
        parents += [(row["parent"], row["id"]) for row in rows if "parent" in row]
        texts |= {row["id"]: row.get("title") or row["text"] for row in rows if row["id"] in wanted}
        bar.step()
    load("PARENT_OF", {
        "from": [above for above, _ in parents], "to": [below for _, below in parents], "gone": [0] * len(parents),
    })  # fmt: skip
    load("EmbeddingModel", {"name": ["given"], "dimension": [DIMENSION], "generation": [0], "role": ["current"]})
    return texts


def _vectors(
    graph: Graph, count: int, chosen: list[int], vectors: Clusters, bar: Bar
) -> dict[int, NDArray[np.float32]]:
    """Put vectors into their index, and wait until all its graphs are built; those of the chosen items come back."""
    near: dict[int, NDArray[np.float32]] = {}
    folder = folder_for(graph, index_name("hn", 0))
    folder.parent.mkdir(exist_ok=True)
    with open_index(folder, DIMENSION, background=False) as index:
        bar.say("indexing vectors")
        bar.expect(-(-count // AT_ONCE))
        for start in range(1, count + 1, AT_ONCE):
            ids = range(start, min(count + 1, start + AT_ONCE))
            some = vectors.some(len(ids))
            near |= {id: some[id - start] for id in chosen if id in ids}
            documents = [Document("hn", str(id), id, vector=one) for id, one in zip(ids, some, strict=True)]
            index.apply(documents, (), ids[-1])
            bar.step()
        bar.say("building graphs of neighbours")
        while (done := index.maintain()).built or done.compacted:
            pass
    return near


def _ask(
    kind: Items, asked: dict[int, str], near: dict[int, NDArray[np.float32]], count: int, findings: Findings, bar: Bar
) -> None:
    modes = ("walk", "hybrid", "vector", "text")
    latencies = Latencies(modes)
    found, chance = 0, np.random.default_rng(7)
    bar.say("asking")
    bar.expect(len(asked))
    _first_questions(kind, asked, near)
    for id, text in asked.items():
        question = " ".join(text.split()[:8])
        vector: Any = near[id] + 0.02 * chance.normal(size=DIMENSION)
        for mode in modes:
            with latencies.timed(mode):
                kind.catch_up()
                hits = getattr(Question({"hn": kind}, question, None if mode == "text" else vector), mode)(10)
            found += mode == "walk" and str(id) in {hit.key for hit in hits[:2]}
        bar.step()
    findings.correctness_goal(
        "the item that a question quotes is one of the first two hits of a walk", f"{len(asked)} times",
        f"{found} times", found == len(asked),
    )  # fmt: skip
    findings.tables[f"milliseconds a question at {count:,} items"] = latencies.table()
    findings.speed_goal(
        "p95 of a walk", f"at most {MOST_MILLISECONDS:.0f} ms", f"{number(latencies.p95('walk'))} ms",
        latencies.p95("walk") <= MOST_MILLISECONDS,
    )  # fmt: skip


def _first_questions(kind: Items, asked: dict[int, str], near: dict[int, NDArray[np.float32]]) -> None:
    """After these a process reads the names of vectors into memory: it is to be measured as it stays."""
    for id, text in islice(asked.items(), FIRST_QUESTIONS):
        Question({"hn": kind}, text, near[id]).walk(10)
    kind.wait()


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
