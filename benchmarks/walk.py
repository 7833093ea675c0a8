"""How long a search that walks takes at 100,000 sections, from plain articles and from a hub.

The graph is bulk loaded: one section an article, each with a vector of 384 dimensions, eight links each within its
neighbourhood, and Article 0, to which all others link. Each question is an article's number and the beginning of its
section, with a vector close to that section's; the questions to the hub begin at the hub. The vector is given: what
embedding a question costs is in `benchmarks/embed.py`. Searches by both rankings fused are asked in turn with the
walks, to compare. The first questions of a process come before links and names are in memory. Goals are judged by
the lesser of a question's time by the clock, which a busy machine lengthens, and its CPU time of all threads, which
those that work side by side do.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

import graphvine
from graphvine.graph import Graph
from graphvine.search.kinds import Mode
from graphvine.vectors import as_stored, pack
from graphvine.workers.wikipedia.search import ArticleSearch
from support.command import main, sizes
from support.findings import Findings, number
from support.latency import Latencies
from support.passages import Clusters, Passages
from support.progress import Bar

SECTIONS, QUICK_SECTIONS = 100_000, 2_000
QUESTIONS, QUICK_QUESTIONS = 200, 10
DIMENSION = 384
LINKS = 8
AT_ONCE = 5_000  # sections of one load: all of it has to fit into the buffer pool
MOST_MILLISECONDS = 40.0
MOST_FOR_A_HUB = 2.0
FIRST, FIRST_QUESTIONS = "walk, the first of a process", 3


class GivenVectors(ArticleSearch):
    """A search whose questions have their vectors already."""

    given: NDArray[np.float32]

    def vector(self, text: str) -> Any:
        return self.given

    def settle(self) -> None:
        """Until the index has all that a thread would build in the background: it is to be measured as it stays."""
        while (done := self._followed.index.maintain()).built or done.compacted:
            pass

    def wait_for_threads(self) -> None:
        """Until links and names, which a process reads after its first questions, are in memory."""
        self.catch_up()
        if self._links is not None:
            self._links.wait()
        self._followed.index.wait()


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sections", type=sizes, help="how many sections, such as 100k (one size)")
    parser.add_argument("--questions", type=int, help="how many questions of each kind")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    (count,) = arguments.sections or [QUICK_SECTIONS if arguments.quick else SECTIONS]
    questions = arguments.questions or (QUICK_QUESTIONS if arguments.quick else QUESTIONS)
    vectors = Clusters(max(10, count // 100), DIMENSION, 2).some(count)
    with graphvine.open(folder / "walk.kuzu") as graph:
        bar.say(f"loading {count:,} sections")
        texts = _load(graph, count, vectors)
        search = GivenVectors(graph)
        try:
            bar.say("indexing")
            search.catch_up()
            bar.say("building graphs of neighbours")
            search.settle()
            _ask(search, texts, vectors, questions, findings, bar)
        finally:
            search.close()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    findings.tables["size"] = [{
        "sections": count, "graph and index on disk (MB)": round(size / 1e6),
        "memory of this process, its copy of all vectors included (MB)":
            round(psutil.Process().memory_full_info().uss / 1e6),
    }]  # fmt: skip


def _load(graph: Graph, count: int, vectors: NDArray[np.float32]) -> list[str]:
    passages, chance = Passages(1), random.Random(3)
    titles = [f"Article {place}" for place in range(count)]
    texts = [passages.of(80) for _ in titles]
    load = graph.engine.bulk_load
    numbers = list(range(1, count + 1))
    load(
        "Article", {"title": titles, "expansion_state": ["processed"] * count, "seq": numbers, "due": [1 << 62] * count}
    )
    for start in range(0, count, AT_ONCE):
        load("Section", _sections(titles[start : start + AT_ONCE], texts[start:], vectors[start:], count + start + 1))
    load("HAS_SECTION", {"from": titles, "to": [f"{title}#0.0" for title in titles], "gone": [0] * count})
    load("EmbeddingModel", {"name": ["given"], "dimension": [DIMENSION]})
    links = {
        (place, other)
        for place in range(1, count)
        for other in {0, *(chance.randrange(max(1, place - 500), min(count, place + 500)) for _ in range(LINKS))}
        if other != place
    }
    load("LINKS_TO", {
        "from": [titles[place] for place, _ in sorted(links)], "to": [titles[other] for _, other in sorted(links)],
        "gone": [0] * len(links),
    })  # fmt: skip
    return texts


def _sections(titles: list[str], texts: list[str], vectors: NDArray[np.float32], first: int) -> dict[str, list[Any]]:
    count = len(titles)
    return {
        "id": [f"{title}#0.0" for title in titles], "article": titles, "title": [""] * count, "path": [""] * count,
        "level": [1] * count, "position": [0] * count, "part": [0] * count, "text": texts[:count],
        "embedding": list(map(pack, as_stored(vectors[:count]))),
        "seq": list(range(first, first + count)),
    }  # fmt: skip


def _ask(
    search: GivenVectors, texts: list[str], vectors: NDArray[np.float32], questions: int, findings: Findings, bar: Bar
) -> None:
    chance = random.Random(5)
    kinds: dict[str, tuple[Mode, bool]] = {
        FIRST: ("walk", False), "walk": ("walk", False), "walk from the hub": ("walk", True),
        "hybrid": ("hybrid", False),
    }  # fmt: skip
    asked = [FIRST] * FIRST_QUESTIONS + [kind for kind in kinds if kind != FIRST] * questions
    latencies = Latencies(kinds)
    found_first = 0
    bar.expect(len(asked))
    bar.say("asking")
    for before, kind in enumerate(asked):
        if before == FIRST_QUESTIONS:
            search.wait_for_threads()
        mode, from_hub = kinds[kind]
        place = 0 if from_hub else chance.randrange(1, len(texts))
        search.given = vectors[place] + 0.02 * np.random.default_rng(place).normal(size=DIMENSION)
        # The texts overlap: without the number hundreds of sections have all of these words.
        text = " ".join([str(place), *texts[place].split()[:12]])
        with latencies.timed(kind):
            hits = search.search(text, mode=mode)
        found_first += hits[0].article == f"Article {place}"
        bar.step()
    findings.correctness_goal(
        "the article that a question quotes is the first hit", f"{len(asked)} times",
        f"{found_first} times", found_first == len(asked),
    )  # fmt: skip
    findings.tables[f"milliseconds a question at {len(texts):,} sections"] = latencies.table()
    findings.speed_goal(
        "p95 of a walk", f"at most {MOST_MILLISECONDS:.0f} ms", f"{number(latencies.p95('walk'))} ms",
        latencies.p95("walk") <= MOST_MILLISECONDS,
    )  # fmt: skip
    ratio = latencies.median("walk from the hub") / latencies.median("walk")
    findings.speed_goal(
        f"a walk from a hub with {len(texts):,} edges", f"at most {MOST_FOR_A_HUB:g} times as long",
        f"{ratio:.2f} times", ratio <= MOST_FOR_A_HUB,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
