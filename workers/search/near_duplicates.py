"""Joins items, news, pages and articles whose texts are nearly the same, whatever their kinds.

Texts that may be alike are found by min-hashing: two texts are the likelier to share one of their few buckets, the more
runs of three words they share. Whether they are alike is then counted. The first of like texts leads a group, and each
later one is compared with leaders alone: a text that comes a thousand times costs no more than one that comes twice.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from graphvine.graph import Graph
from graphvine.records import Row, Step
from graphvine.workers.search.row_jobs import NEAR_KINDS, RowJobs, read_texts, text_of
from graphvine.workers.search.vector_queue import text_hash

# Shorter texts are alike by chance; of longer ones the beginning tells.
_FEWEST_WORDS, _MOST_WORDS, _MOST_CHARACTERS = 8, 2_000, 20_000
_RUN = 3
# Texts that share nine tenths of their runs meet in a bucket 995 times of 1,000, seven tenths 810, three tenths 100.
_BANDS, _HASHES_A_BAND = 4, 3
LIKE = 0.7
# Leaders in one bucket: a bucket that is full takes no more, and later texts are compared with these.
MOST_LEADERS = 8
_WORD = re.compile(r"\w+")
_MASK = (1 << 64) - 1


def near_duplicates(jobs: RowJobs, kind: str) -> None:
    """Join what came since with texts that are there."""
    job, newest = jobs.job(f"near:{kind}"), jobs.newest(kind)
    while job.rows < newest and not jobs.stop.is_set():
        rows, reached = jobs.rows(kind, job.rows, newest)
        job = jobs.write(replace(job, rows=reached), _Batch(jobs.graph, kind, rows).steps(), len(rows))


def runs_of(text: str) -> frozenset[int]:
    """The runs of three words of a text, as numbers; none where it is too short."""
    words = _WORD.findall(text[:_MOST_CHARACTERS].lower())[:_MOST_WORDS]
    if len(words) < _FEWEST_WORDS:
        return frozenset()
    return frozenset(zlib.crc32(" ".join(words[at : at + _RUN]).encode()) for at in range(len(words) - _RUN + 1))


def likeness(one: frozenset[int], other: frozenset[int]) -> float:
    """The share of the runs of both that each of them has."""
    return len(one & other) / (len(one | other) or 1)


def buckets_of(runs: frozenset[int]) -> list[int]:
    """The buckets of a text; those of like texts are likely to be the same."""
    import numpy as np

    factors, offsets = _hashes()
    hashed = np.fromiter(runs, np.uint64, len(runs))[:, None] * factors + offsets
    smallest = (hashed >> np.uint64(32)).min(axis=0).astype("<u8").reshape(_BANDS, _HASHES_A_BAND)
    return [_number(bytes([band]) + smallest[band].tobytes()) for band in range(_BANDS)]


@cache
def _hashes() -> tuple[Any, Any]:
    """Multipliers and offsets of the hash functions, the same in every process."""
    import numpy as np

    made = [_number(f"near {place}".encode()) & _MASK for place in range(2 * _BANDS * _HASHES_A_BAND)]
    half = len(made) // 2
    return np.array([one | 1 for one in made[:half]], np.uint64), np.array(made[half:], np.uint64)


def _number(given: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(given, digest_size=8).digest(), "big", signed=True)


@dataclass(frozen=True, slots=True)
class _Leader:
    """The first of like texts; its name is that of the group: kind, key and the text's hash."""

    name: str
    kind: str
    key: str
    runs: frozenset[int]


class _Batch:
    """Rows of one kind, looked at in their order; what is made is the same however they are cut into batches."""

    def __init__(self, graph: Graph, kind: str, rows: Sequence[Row]) -> None:
        self._graph, self._kind = graph, kind
        self._texts = {str(row["id"]): (row["id"], text_of(row)) for row in rows}
        self._runs = {key: runs_of(text) for key, (_, text) in self._texts.items()}
        self._places = {key: buckets_of(runs) for key, runs in self._runs.items() if runs}
        self._buckets = self._read_buckets()
        self._leaders = self._read_leaders()
        self._changed: set[int] = set()
        self._left: list[Any] = []  # rows that are joined with nothing until it is found again
        self._joined: dict[tuple[str, str], str] = {}

    def steps(self) -> list[Step]:
        for key in self._texts:
            self._look_at(key)
        made = []
        if self._left:
            given = {"rows": [{"id": id} for id in self._left], "at_ms": self._graph.clock.now_ms()}
            made.append(Step(f"edges.retire_{self._kind}_near", given))
        if self._joined:
            made.append(Step("edges.groups", {"rows": [{"id": name} for name in sorted(set(self._joined.values()))]}))
        for kind in NEAR_KINDS:
            rows = [
                {"id": int(key) if kind == "hn" else key, "name": name}
                for (one, key), name in self._joined.items() if one == kind
            ]  # fmt: skip
            if rows:
                made.append(Step(f"edges.{kind}_near", {"rows": rows}))
        if self._changed:
            buckets = [{"id": id, "leaders": json.dumps(self._buckets[id])} for id in sorted(self._changed)]
            made.append(Step("edges.set_buckets", {"rows": buckets}))
        return made

    def _look_at(self, key: str) -> None:
        id, text = self._texts[key]
        name, places = f"{self._kind}:{key}:{text_hash(text):x}", self._places.get(key, [])
        met = list(dict.fromkeys(leader for place in places for leader in self._buckets.get(place, ())))
        if name in met:
            return  # it leads its group, and its text is as it was
        self._left.append(id)
        self._joined.pop((self._kind, key), None)
        found = [(likeness(self._runs[key], one.runs), one) for leader in met if (one := self._leaders.get(leader))]
        best = max(found, key=lambda pair: pair[0], default=None)
        if best is not None and best[0] >= LIKE:
            leader = best[1]
            self._joined[self._kind, key] = self._joined[leader.kind, leader.key] = leader.name
        elif places:
            self._lead(_Leader(name, self._kind, key, self._runs[key]), places)

    def _lead(self, leader: _Leader, places: Iterable[int]) -> None:
        self._leaders[leader.name] = leader
        for place in places:
            # Those whose text has changed since, or who are gone, make room.
            there = [name for name in self._buckets.get(place, ()) if name in self._leaders]
            if len(there) < MOST_LEADERS:
                self._buckets[place] = [*there, leader.name]
                self._changed.add(place)

    def _read_buckets(self) -> dict[int, list[str]]:
        ids = sorted({place for places in self._places.values() for place in places})
        rows = self._graph.read("edges.buckets", keys=ids) if ids else []
        return {row["id"]: json.loads(row["leaders"]) for row in rows}

    def _read_leaders(self) -> dict[str, _Leader]:
        """The leaders in these buckets whose text is as it was."""
        names = {name for leaders in self._buckets.values() for name in leaders}
        found = {}
        for kind in NEAR_KINDS:
            keys = {name: name.partition(":")[2].rpartition(":")[0] for name in names if name.startswith(f"{kind}:")}
            texts = read_texts(self._graph, kind, sorted(set(keys.values())))
            for name, key in keys.items():
                text = texts.get(key)
                if text is not None and name.endswith(f":{text_hash(text):x}"):
                    found[name] = _Leader(name, kind, key, runs_of(text))
        return found
