"""How fast texts become vectors, compared with plain SentenceTransformer.encode at its batch size of 32.

Both run the same weights of all-MiniLM-L6-v2 on the same number of threads, on passages of Python's manual of
several lengths. They take turns within one run: while one works the other is idle. The vectors must be the
same, and must not depend on what else stands in the batch. The last table shows what the cache of vectors
saves when the same texts come again.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphvine.workers.common.embedding.light import LightEmbedder
from graphvine.workers.common.embedding.vector_cache import CachedEmbedder
from graphvine.workers.common.embedding.weights import require_packaged_folder
from support.command import main
from support.contender import Sample, Unavailable
from support.findings import Findings
from support.passages import Passages
from support.progress import Bar
from support.rounds import median_rate, median_ratio
from support.sentence_peer import SentencePeer

# Texts of so many words, and how many of them make one turn.
LENGTHS = {17: 400, 100: 96, 180: 64}
QUICK_LENGTHS = {17: 16, 100: 8}
ROUNDS, QUICK_ROUNDS = 7, 2
LEAST_LEAD = 1.5
LEAST_COSINE = 0.9999


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="for each of the two")
    parser.add_argument("--rounds", type=int, help="turns of each, whose median is the figure")
    parser.add_argument("--peer-python", help="a Python that has sentence-transformers, if this one has not")


def measure(arguments: argparse.Namespace, findings: Findings, bar: Bar, folder: Path) -> None:
    lengths = QUICK_LENGTHS if arguments.quick else LENGTHS
    rounds = arguments.rounds or (QUICK_ROUNDS if arguments.quick else ROUNDS)
    with ExitStack() as opened:
        bar.say("opening the models")
        embedder = LightEmbedder(threads=arguments.threads, cache_folder=folder)
        opened.callback(embedder.close)
        peer = None
        try:
            peer = SentencePeer(require_packaged_folder(), arguments.threads, folder, arguments.peer_python)
            opened.callback(peer.close)
        except Unavailable as reason:
            findings.notes.append(str(reason))
        race(embedder, peer, lengths, rounds, findings, bar)
        by_neighbours(embedder, findings)
        from_cache(embedder, folder, lengths, findings)


def race(
    embedder: LightEmbedder,
    peer: SentencePeer | None,
    lengths: dict[int, int],
    rounds: int,
    findings: Findings,
    bar: Bar,
) -> None:
    passages = Passages(1)
    bar.expect(rounds * len(lengths))
    ours: dict[int, list[Sample]] = {length: [] for length in lengths}
    theirs: dict[int, list[Sample]] = {length: [] for length in lengths}
    least = 1.0
    for turn in range(rounds + 1):  # the first warms up, and does not count
        for length, count in lengths.items():
            bar.say(f"{count} texts of {length} words")
            texts = [passages.of(length) for _ in range(count if turn else 4)]
            compare = turn % 2 == 0  # who begins changes
            before = peer.encode(texts) if peer and compare else None
            sample, vectors = timed_embed(embedder, texts)
            other = peer.encode(texts) if peer and not compare else before
            if other:
                least = min(least, least_cosine(vectors, other[1]))
            if turn:
                ours[length].append(sample)
                theirs[length] += [other[0]] if other else []
                bar.step()
    findings.tables["texts per second (median)"] = [
        {"words": length, "graphvine": round(median_rate(ours[length]), 1),
         "sentence-transformers, batch 32": round(median_rate(theirs[length]), 1) if peer else None,
         "times": round(median_ratio(ours[length], theirs[length]), 2) if peer else None}
        for length in lengths
    ]  # fmt: skip
    if peer:
        lead = median_ratio(ours[100], theirs[100])
        findings.speed_goal(
            "lead over sentence-transformers on passages of 100 words",
            f"at least {LEAST_LEAD} times",
            f"{lead:.2f} times",
            lead >= LEAST_LEAD,
        )
        findings.correctness_goal(
            "least cosine to sentence-transformers", f"at least {LEAST_COSINE}", f"{least:.7f}", least >= LEAST_COSINE
        )


def by_neighbours(embedder: LightEmbedder, findings: Findings) -> None:
    """A store compares vectors of different batches: they must not depend on theirs."""
    passages = Passages(2)
    texts = [passages.of(length) for length in (3, 17, 60, 100, 180) * 4]
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    least = least_cosine(embedder.embed(texts), alone)
    findings.correctness_goal(
        "least cosine of a text alone and in a batch", f"at least {LEAST_COSINE}", f"{least:.7f}", least >= LEAST_COSINE
    )


def from_cache(embedder: LightEmbedder, folder: Path, lengths: dict[int, int], findings: Findings) -> None:
    passages = Passages(3)
    texts = [passages.of(100) for _ in range(lengths[100])]
    cached = CachedEmbedder(embedder, cache_folder=folder)
    times = []
    for _ in range(2):
        started = time.perf_counter()
        cached.embed(texts)
        times.append(time.perf_counter() - started)
    findings.tables["texts per second through the cache of vectors"] = [
        {"first time": round(len(texts) / times[0], 1), "again": round(len(texts) / times[1])}
    ]
    findings.correctness_goal(
        "texts computed again", "none", str(cached.misses - len(set(texts))), cached.misses == len(set(texts))
    )


def timed_embed(embedder: LightEmbedder, texts: list[str]) -> tuple[Sample, NDArray[np.float32]]:
    started = time.perf_counter()
    vectors = embedder.embed(texts)
    return Sample(len(texts), time.perf_counter() - started), vectors


def least_cosine(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Of vectors of length one, in float64."""
    return float((one.astype(np.float64) * other.astype(np.float64)).sum(axis=1).min())


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, measure, options))
