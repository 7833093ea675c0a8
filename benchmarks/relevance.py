"""How well search finds all the articles that a question needs: by words, by meaning, by both, and by a walk.

Each folder is a set of questions in BEIR's form (support/beir.py); without one, the questions in data/garden over the
sample wiki are asked. *Full evidence at k* is the share of questions for which all needed articles are among the first
k; recall and nDCG are the usual ones, at 10. Times are of searches in an open index, the embedding of the question
included.

With `--single-hop` each set is also asked for single passages: a question is what is left of a sentence without the
words of its article's title and without four of ten others, and that article alone answers it. A walk has nothing to
gain there, and must not lose.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from pathlib import Path
from typing import Any, get_args

import graphvine
from graphvine.graph import Graph
from graphvine.search.kinds import Mode
from graphvine.workers.wikipedia.search import ArticleSearch
from support import beir
from support.command import main
from support.findings import Findings
from support.progress import Bar

GARDEN = Path(__file__).parent / "data" / "garden"
FIRST = (2, 5, 8, 10)
LIMIT = 50
# A walk must not lose against both rankings fused.
MOST_LOST = 0.01


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", nargs="*", type=Path, help="sets of questions (default: the sample wiki's)")
    parser.add_argument("--questions", type=int, help="so many of each set")
    parser.add_argument("--single-hop", type=int, metavar="COUNT", help="also ask for so many single passages of each")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    for number, source in enumerate(arguments.folders or [GARDEN]):
        passages, questions = beir.read(source)
        asked = questions[: arguments.questions or len(questions)]
        with graphvine.open(folder / f"{number}.kuzu") as graph:
            seeds = ["Vine"] if passages is None else list(passages.pages)
            graph.grow(seeds, source=passages or "sample", depth=9 if passages is None else 0)
            search = ArticleSearch(graph)
            try:
                _ask(source.name, search, asked, findings, bar)
                if arguments.single_hop:
                    made = beir.single_hop(_texts(graph), arguments.single_hop)
                    _ask(f"{source.name}, single passages", search, made, findings, bar)
            finally:
                search.close()


def _texts(graph: Graph) -> list[tuple[str, str]]:
    """The beginning of each article, with its title."""
    leads = "MATCH (s:Section) WHERE s.gone = 0 AND s.position = 0 AND s.part = 0 RETURN s.article, s.text"
    return sorted((title, text) for title, text in graph.query(leads, max_rows=1_000_000).rows)


def _ask(name: str, search: ArticleSearch, asked: list[beir.Question], findings: Findings, bar: Bar) -> None:
    rows = [_row(mode, search, asked, bar) for mode in get_args(Mode)]
    findings.tables[f"{name}, {len(asked)} questions"] = rows
    by_mode = {row["mode"]: row for row in rows}
    walk, hybrid = (float(by_mode[mode]["nDCG@10"]) for mode in ("walk", "hybrid"))
    findings.correctness_goal(
        f"{name}: nDCG@10 of walk against hybrid", f"at most {MOST_LOST} less", f"{walk - hybrid:+.3f}",
        walk >= hybrid - MOST_LOST,
    )  # fmt: skip


def _row(mode: Any, search: ArticleSearch, questions: list[beir.Question], bar: Bar) -> dict[str, Any]:
    full = dict.fromkeys(FIRST, 0)
    gains, recalls, seconds = [], [], []
    search.search("warm up", mode=mode)
    bar.expect(len(questions))
    bar.say(f"asking by {mode}")
    for question in questions:
        bar.step()
        started = time.perf_counter()
        hits = search.search(question.text, mode=mode, limit=LIMIT)
        seconds.append(time.perf_counter() - started)
        articles = list(dict.fromkeys(hit.article for hit in hits))
        for first in FIRST:
            full[first] += question.answers <= set(articles[:first])
        found = [article in question.answers for article in articles[:10]]
        ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(question.answers))))
        gains.append(sum(hit / math.log2(place + 2) for place, hit in enumerate(found)) / ideal)
        recalls.append(sum(found) / len(question.answers))
    shares = {f"full@{first}": round(full[first] / len(questions), 3) for first in FIRST}
    return {
        "mode": mode, **shares, "nDCG@10": round(statistics.mean(gains), 3),
        "recall@10": round(statistics.mean(recalls), 3), "p50 ms": round(1000 * statistics.median(seconds), 1),
        "p95 ms": round(1000 * statistics.quantiles(seconds, n=20)[-1], 1),
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
