"""How fast the derived index answers at 100,000 sections, how fast it is built, and how much it misses.

The index is filled in batches as the graph would fill it: passages of some 80 words of English, vectors of 384
dimensions in clusters, authors, scores and times. Each kind of question is then asked some hundred times in
turn. The ten nearest by vector are compared with the ten that comparing with every single vector finds.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
from numpy.typing import NDArray

from graphvine.search import Document, Range
from graphvine.search.index import SearchIndex
from support.command import main, sizes
from support.findings import Findings, number
from support.passages import Clusters, Passages
from support.progress import Bar

SECTIONS, QUICK_SECTIONS = 100_000, 3_000
DIMENSION = 384
BATCH = 1_000
AUTHORS = 200
QUESTIONS, QUICK_QUESTIONS = 300, 20
# A quick run has graphs of neighbours too, over small segments.
QUICK_SEGMENT_ROWS = 1_000

MOST_MILLISECONDS = 50.0
LEAST_RECALL = 0.98


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sections", type=sizes, help="how many documents, such as 100k (one size)")
    parser.add_argument("--questions", type=int, help="how often each kind of question is asked")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    quick: bool = arguments.quick
    (count,) = arguments.sections or [QUICK_SECTIONS if quick else SECTIONS]
    questions = arguments.questions or (QUICK_QUESTIONS if quick else QUESTIONS)
    passages, clusters = Passages(1), Clusters(max(10, count // 100), DIMENSION, 2)
    rows = {"segment_rows": QUICK_SEGMENT_ROWS} if quick else {}
    index = SearchIndex(folder / "index", DIMENSION, background=False, **rows)
    vectors = fill(index, count, passages, clusters, findings, bar)
    index.close()
    started = time.perf_counter()
    index = SearchIndex(folder / "index", DIMENSION, background=False, **rows)
    opened = time.perf_counter() - started
    findings.tables["building"][0]["open again (s)"] = round(opened, 2)
    ask(index, count, questions, passages, clusters, findings, bar)
    recall(index, vectors, clusters.some(questions), findings)
    update(index, count, clusters, passages, questions // 10, findings)
    size = sum(file.stat().st_size for file in (folder / "index").rglob("*") if file.is_file())
    memory = psutil.Process().memory_full_info()
    findings.tables["size"] = [{"documents": count, "on disk (MB)": round(size / 1e6),
        "memory of this process, its own copy of all vectors included (MB)": round(memory.uss / 1e6)}]  # fmt: skip
    index.close()


def fill(
    index: SearchIndex, count: int, passages: Passages, clusters: Clusters, findings: Findings, bar: Bar
) -> NDArray[np.float32]:
    """Build the index; the making of the material is not measured."""
    chance = random.Random(3)
    vectors = clusters.some(count)
    applying = 0.0
    bar.expect(count // BATCH + 1)
    bar.say(f"indexing {count:,} sections")
    for start in range(0, count, BATCH):
        batch = [
            Document("section", str(number), number, {"title": passages.of(4), "body": passages.of(80)},
                     {"author": f"author{chance.randrange(AUTHORS)}", "type": "story" if number % 2 else "comment",
                      "score": chance.randrange(1000), "time": number}, vectors[number])
            for number in range(start, min(count, start + BATCH))
        ]  # fmt: skip
        started = time.perf_counter()
        index.apply(batch, [], start + len(batch))
        applying += time.perf_counter() - started
        bar.step()
    bar.say("building graphs of neighbours")
    started = time.perf_counter()
    built = index.maintain().built
    graphs = time.perf_counter() - started
    bar.step()
    findings.tables["building"] = [
        {"documents": count, "documents/s": round(count / applying), "graphs of neighbours": built,
         "their time, in the background (s)": round(graphs, 1)}
    ]  # fmt: skip
    findings.correctness_goal("documents in the index", f"{count:,}", f"{index.count():,}", index.count() == count)
    return vectors


def ask(
    index: SearchIndex, count: int, questions: int, passages: Passages, clusters: Clusters, findings: Findings, bar: Bar
) -> None:
    """Every kind of question in turn, so that a busy moment hits all kinds."""
    chance = random.Random(4)
    vectors = iter(clusters.some(questions * 5))
    recent = {"time": Range(count // 2)}
    kinds: dict[str, Callable[[], object]] = {
        "two words": lambda: index.text(passages.two_words()),
        "two words, by time": lambda: index.text(passages.two_words(), sort="-time"),
        "a phrase, one author": lambda: index.text(f'"{passages.two_words()}"', filters=_author(chance)),
        "vector": lambda: index.vector(next(vectors)),
        "vector, one kind": lambda: index.vector(next(vectors), "section"),
        "vector, the recent half": lambda: index.vector(next(vectors), filters=recent),
        "vector, one author": lambda: index.vector(next(vectors), filters=_author(chance)),
        "words and vector": lambda: index.hybrid(passages.two_words(), next(vectors)),
    }
    times: dict[str, list[float]] = {kind: [] for kind in kinds}
    bar.expect(questions)
    bar.say("asking")
    for _ in range(questions):
        for kind, question in kinds.items():
            started = time.perf_counter()
            question()
            times[kind].append(1000 * (time.perf_counter() - started))
        bar.step()
    findings.tables[f"milliseconds a question at {count:,} sections"] = [
        {"question": kind, "p50": round(statistics.median(found), 2), "p95": round(_p95(found), 2),
         "most": round(max(found), 2)}
        for kind, found in times.items()
    ]  # fmt: skip
    for kind, found in times.items():
        findings.speed_goal(
            f"p95 of {kind}", f"at most {MOST_MILLISECONDS:.0f} ms", f"{number(_p95(found))} ms",
            _p95(found) <= MOST_MILLISECONDS,
        )  # fmt: skip


def recall(index: SearchIndex, vectors: NDArray[np.float32], queries: NDArray[np.float32], findings: Findings) -> None:
    """The share of the true nearest ten that the index finds."""
    shares = []
    for query in queries:
        scores = vectors @ query
        wanted = set(np.argpartition(-scores, 10)[:10].tolist())
        found = {int(hit.id) for hit in index.vector(query).hits}
        shares.append(len(wanted & found) / 10)
    mean = statistics.mean(shares)
    findings.tables["recall of the nearest ten"] = [
        {"questions": len(shares), "mean": round(mean, 4), "least": min(shares)}
    ]
    findings.correctness_goal(
        "recall@10 against comparing with every vector", f"at least {LEAST_RECALL}", f"{mean:.4f}", mean >= LEAST_RECALL
    )


def update(
    index: SearchIndex, count: int, clusters: Clusters, passages: Passages, rounds: int, findings: Findings
) -> None:
    """What a small step costs once the index is large: 50 documents, replaced."""
    chance = random.Random(5)
    times = []
    for _ in range(max(3, rounds)):
        batch = [
            Document("section", str(chance.randrange(count)), 1, {"body": passages.of(80)}, {}, vector)
            for vector in clusters.some(50)
        ]
        started = time.perf_counter()
        index.apply(batch, [], index.stamp + 1)
        times.append(1000 * (time.perf_counter() - started))
    findings.tables["a step of 50 documents (ms)"] = [
        {"p50": round(statistics.median(times), 1), "p95": round(_p95(times), 1)}
    ]


def _author(chance: random.Random) -> dict[str, str]:
    return {"author": f"author{chance.randrange(AUTHORS)}"}


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
