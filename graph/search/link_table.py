"""Links between articles, and revisions, in memory: a process that goes on searching spares the engine 2 ms a node.

One process owns an embedded graph, and it is told of every unit that it writes. What a unit touches is stale here from
then on, and is asked of the engine, until so much is stale that the table is read again, by a thread.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graphvine.errors import GraphvineError
from graphvine.table import column

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.records import Unit

# A command that searches once is done before the table would be.
_SEARCHES_BEFORE = 3
_NODES_AT_ONCE = 2_000
# Eight bytes each, and three times that while they are read.
MOST_LINKS = 20_000_000
# So many stale nodes, and this share of all, are worth reading everything again.
_STALE_NODES, _STALE_SHARE = 1_000, 0.05
# Titles among a node's links that stand for another article, whose links are the node's too.
MOST_REDIRECTS = 5
# The columns in which a block names the articles whose links it changes, by their titles or numbers; and whether the
# articles around these are touched, too, as links end there or lead on from a title that stands for another.
_TOUCHING = {
    "article.branch": {"claim": False, "title": False},
    "article.describe": {"claim": False},
    "article.link": {"source": False, "target": False},
    "article.redirect": {"source": True, "target": False},
    "article.retire_edges": {"article": True},
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Links:
    """Nodes in the order of their numbers; the links of node n are ends[first[n]:first[n + 1]], both ways."""

    seqs: NDArray[np.int64]
    titles: bytes
    title_at: NDArray[np.int64]
    hashes: NDArray[np.int64]  # of the titles, sorted
    by_hash: NDArray[np.int64]
    redirects: NDArray[np.bool_]
    revisions: NDArray[np.int64]
    revised_at: NDArray[np.int64]  # in microseconds; both are -1 where there is none
    first: NDArray[np.int64]
    ends: NDArray[np.int32]
    stale: NDArray[np.bool_]

    def find(self, article: str | int) -> int | None:
        """The place of an article, by its title or its number."""
        if isinstance(article, int):
            place = int(np.searchsorted(self.seqs, article))
            return place if place < len(self.seqs) and self.seqs[place] == article else None
        wanted = hash(article)
        for at in range(int(np.searchsorted(self.hashes, wanted)), len(self.hashes)):
            if self.hashes[at] != wanted:
                break
            place = int(self.by_hash[at])
            if self.title(place) == article:
                return place
        return None

    def title(self, place: int) -> str:
        return self.titles[self.title_at[place] : self.title_at[place + 1]].decode("utf-8", "surrogatepass")

    def near(self, place: int, limit: int | None = None) -> NDArray[np.int32]:
        start, stop = int(self.first[place]), int(self.first[place + 1])
        return self.ends[start : stop if limit is None else min(stop, start + limit)]

    def touch(self, article: str | int, *, around: bool) -> None:
        """The links of an article are no longer known; `around`: nor those of the articles that it was linked with."""
        place = self.find(article)
        if place is not None:
            self.stale[place] = True
            if around:
                self.stale[self.near(place)] = True


class LinkTable:
    """Of one open graph. Threads may ask at once."""

    def __init__(self, graph: Graph) -> None:
        self._graph, self._lock, self._stop = graph, threading.Lock(), threading.Event()
        self._links: _Links | None = None
        self._forgotten = graph.store.forgotten
        self._asked = 0
        self._thread: threading.Thread | None = None
        self._touched: list[tuple[str | int, bool]] | None = None  # since a reading began
        graph.store.watch_units(self._on_unit)

    def prepare(self) -> None:
        """Called before each search: reads the links in a thread, where that will pay."""
        with self._lock:
            if self._graph.store.forgotten != self._forgotten:
                self._forgotten, self._links, self._asked = self._graph.store.forgotten, None, 0
                self._touched = None  # what is being read is of no use
            self._asked += 1
            links = self._links
            stale = 0 if links is None else int(np.count_nonzero(links.stale))
            wanted = self._asked > _SEARCHES_BEFORE if links is None else (
                stale > max(_STALE_NODES, _STALE_SHARE * len(links.stale))
            )  # fmt: skip
            if wanted and self._thread is None and not self._stop.is_set():
                self._touched = []
                self._thread = threading.Thread(target=self._read_again, name="graphvine-links", daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Until what is being read is there."""
        if (thread := self._thread) is not None:
            thread.join()

    def neighbours(self, title: str, limit: int) -> list[str] | None:
        """The articles that a link or a redirect joins with this one, either way; None: ask the engine."""
        with self._lock:
            links, place = self._links, self._known(title)
            if links is None or place is None:
                return None
            near = links.near(place, limit)
            others = [near]
            for other in near[links.redirects[near]][:MOST_REDIRECTS].tolist():
                if links.stale[other]:
                    return None
                others.append(links.near(other, limit))
            return [links.title(other) for other in dict.fromkeys(np.concatenate(others).tolist())]

    def revision(self, title: str) -> tuple[int | None, datetime | None] | None:
        """The revision that an article is of, and its time; None: ask the engine."""
        with self._lock:
            place = self._known(title)
            if self._links is None or place is None:
                return None
            revision, at = int(self._links.revisions[place]), int(self._links.revised_at[place])
        return revision if revision >= 0 else None, _EPOCH + timedelta(microseconds=at) if at >= 0 else None

    def _known(self, title: str) -> int | None:
        """Where an article stands, if all that the table says of it holds."""
        links = self._links
        if links is None or self._graph.store.forgotten != self._forgotten:
            return None
        place = links.find(title)
        return None if place is None or links.stale[place] else place

    def close(self) -> None:
        self._stop.set()
        self._graph.store.unwatch_units(self._on_unit)
        self.wait()

    def _on_unit(self, unit: Unit, result: object, now: int) -> None:
        if self._links is None and self._touched is None:
            return
        touched = [
            (value, around)
            for step in unit.steps
            for name, around in _TOUCHING.get(step.block, {}).items()
            for value in set(column(step.parameters["rows"], name))
        ]
        with self._lock:
            if self._touched is not None:
                self._touched += touched
            if self._links is not None:
                for article, around in touched:
                    self._links.touch(article, around=around)

    def _read_again(self) -> None:
        try:
            links = self._read()
        except GraphvineError as error:  # closed meanwhile, or in trouble of which others tell
            _log.info("the links were not read into memory: %s", error)
            links = None
        with self._lock:
            self._thread = None
            touched, self._touched = self._touched, None
            if links is not None and touched is not None:
                for article, around in touched:
                    links.touch(article, around=around)
                self._links = links

    def _read(self) -> _Links | None:
        """All of them; None where that was stopped, or where there are too many."""
        seqs, titles, redirects = list[int](), list[str](), list[bool]()
        revisions, revised_at = list[int](), list[int]()
        sources, targets, count = list[NDArray[np.int64]](), list[NDArray[np.int64]](), 0
        after = 0
        while rows := self._graph.read("article.linked_nodes", after=after, limit=_NODES_AT_ONCE):
            upto = rows[-1]["seq"]
            links = self._graph.read("article.links_between", after=after, upto=upto)
            after, count = upto, count + len(links)
            if self._stop.is_set() or count > MOST_LINKS:
                return None
            seqs += [row["seq"] for row in rows]
            titles += [row["title"] for row in rows]
            redirects += [row["kind"] == "redirect" for row in rows]
            revisions += [-1 if row["revision"] is None else row["revision"] for row in rows]
            revised_at += [_microseconds(row["revised_at"]) for row in rows]
            sources.append(np.array([row["source"] for row in links], np.int64))
            targets.append(np.array([row["target"] for row in links], np.int64))
        numbers = np.array(seqs, np.int64)
        ends = _places(numbers, sources), _places(numbers, targets)
        described = np.array(redirects, np.bool_), np.array(revisions, np.int64), np.array(revised_at, np.int64)
        return _links(numbers, titles, described, *ends)


def _microseconds(at: datetime | None) -> int:
    return -1 if at is None else (at - _EPOCH) // timedelta(microseconds=1)


def _places(numbers: NDArray[np.int64], found: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Where the articles of these numbers stand; -1 for those that came after the others were read."""
    wanted = np.concatenate([np.empty(0, np.int64), *found])
    places = np.minimum(np.searchsorted(numbers, wanted), max(0, len(numbers) - 1))
    return np.where(numbers[places] == wanted, places, -1) if len(numbers) else np.full(len(wanted), -1)


def _links(
    seqs: NDArray[np.int64], titles: Sequence[str],
    described: tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]], sources: NDArray[np.int64],
    targets: NDArray[np.int64],
) -> _Links:  # fmt: skip
    stale = np.zeros(len(seqs), np.bool_)
    known = (sources >= 0) & (targets >= 0)
    stale[sources[~known & (sources >= 0)]] = True
    stale[targets[~known & (targets >= 0)]] = True
    sources, targets = sources[known], targets[known]
    starts, ends = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    order = np.argsort(starts, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(starts, minlength=len(seqs)))]).astype(np.int64)
    encoded = [title.encode("utf-8", "surrogatepass") for title in titles]
    hashes = np.fromiter(map(hash, titles), np.int64, len(titles))
    by_hash = np.argsort(hashes)
    return _Links(
        seqs, b"".join(encoded), np.concatenate([[0], np.cumsum([len(one) for one in encoded])]).astype(np.int64),
        hashes[by_hash], by_hash, *described, first, ends[order].astype(np.int32), stale,
    )  # fmt: skip
