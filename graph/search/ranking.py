"""Rankings: several fused into one, and scores that walk over the edges of a graph."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)
# The usual constant: how much the very first ranks stand out from the next ones.
_SMOOTHING = 60


def fuse(rankings: Iterable[Sequence[Key]]) -> list[tuple[Key, float]]:
    """Reciprocal rank fusion: best first, equals in the order in which they were first seen."""
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1 / (_SMOOTHING + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])


# Tuned on questions that need two to four passages (benchmarks/relevance.py). A neighbour of the best hit that is as
# like the question as anything gains this much, on a scale where the best hit by words and the best by meaning have 1.
_GAIN = 2.0
# The best hit gains half as much: its neighbours gain by it, and where it is the answer they must not come before it.
_BEST_GAIN = 1.0
# So many of the best hits are walked from.
_SEEDS = 10


class Walked(NamedTuple, Generic[Key]):
    """The score of one node: its own, and what it gained over the best edge that leads to it, or as the best hit."""

    own: float
    gain: float = 0.0
    via: Key | None = None

    @property
    def score(self) -> float:
        return self.own + self.gain


def walk(
    own: Mapping[Key, float],
    neighbours: Callable[[Sequence[Key]], Mapping[Key, Collection[Key]]],
    likeness: Callable[[Collection[Key]], Mapping[Key, float]],
) -> dict[Key, Walked[Key]]:
    """Rank by own scores and by the edges to the best hits; best first.

    `neighbours` reads the edges of some nodes, `likeness` says how like the question nodes are (0 to 1). A neighbour
    gains by the score of the hit that leads to it and by its own likeness, and the less the more edges that hit has:
    a hub says little about each of its neighbours.
    """
    known = {key: score for key, score in own.items() if score > 0}
    seeds = heapq.nlargest(_SEEDS, known, key=known.__getitem__)
    edges = neighbours(seeds)
    like = {node: math.sqrt(one) for node, one in likeness(set().union(*edges.values())).items() if one > 0}
    gained: dict[Key, tuple[float, Key]] = {}
    for seed in seeds:
        found = edges.get(seed, ())
        share = _GAIN * own[seed] / own[seeds[0]] / (1 + math.log(len(found) or 1))
        for node in found:
            gain = share * like.get(node, 0.0)
            if gain > (gained[node][0] if node in gained else 0.0) and node != seed:
                gained[node] = gain, seed
    ranked: dict[Key, Walked[Key]] = {key: Walked(score) for key, score in known.items() if key not in gained}
    ranked |= {key: Walked(known.get(key, 0.0), *gain) for key, gain in gained.items()}
    for best in seeds[:1]:
        ranked[best] = ranked[best]._replace(gain=ranked[best].gain + _BEST_GAIN)
    return dict(sorted(ranked.items(), key=lambda item: -item[1][0] - item[1][1]))
