"""Pulls items from the Firebase API. A walk over ids remembers in the graph how far it has come."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from graphvine.clock import moment
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.records import Step
from graphvine.workers.hn.firebase import Fetched, Firebase
from graphvine.workers.hn.ingest.index_sync import follow
from graphvine.workers.hn.ingest.ingest import Taken, intake
from graphvine.workers.hn.ingest.item import FIREBASE
from graphvine.workers.hn.missing import Missing
from graphvine.workers.hn.settings import HNSettings, load

SINCE_LAST = "since-last"
_MOST_MISSING = 10_000
_LISTS = {"top": "topstories", "new": "newstories", "best": "beststories", "ask": "askstories", "show": "showstories",
          "job": "jobstories"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pulled:
    """What came of a pull: of `total` ids so many were `asked` for.

    `missing` ids have no item; those `put_off` could not be had now and wait in the queue.
    """

    asked: int = 0
    taken: Taken = field(default_factory=Taken)
    missing: int = 0
    put_off: int = 0
    stopped: bool = False
    total: int = 0


class Pull:
    def __init__(
        self, graph: Graph, settings: HNSettings | None = None, *, on_progress: Callable[[Pulled], None] | None = None,
        stop: threading.Event | None = None,
    ) -> None:  # fmt: skip
        self._graph, self._settings = graph, settings or load()
        self._source = Firebase(self._settings)
        self._on_progress, self._stop = on_progress, stop or threading.Event()
        self._sum = Pulled()
        self._missing: Missing | None = None

    def ids(self, ids: Iterable[int]) -> Pulled:
        """These items."""
        wanted = list(ids)
        with self._running(len(wanted)):
            self._all(wanted)
        return self._sum

    def listed(self, name: str, count: int) -> Pulled:
        """The first so many of a list: top, new, best, ask, show, job."""
        return self.ids(self._source.ids(_LISTS[name])[:count])

    def user(self, name: str) -> Pulled:
        """What a user has written."""
        return self.ids(self._source.submitted(name))

    def updates(self) -> Pulled:
        """Items that changed lately."""
        return self.ids(self._source.updates())

    def between(self, first: int, last: int) -> Pulled:
        """Every id from one to another. Called again after a kill, it goes on where it was."""
        if not 0 < first <= last:
            raise GraphvineError(
                f"from {first} to {last} is no range of ids: give --from ID --to ID, the smaller first"
            )
        return self._walk(f"{first}-{last}", first, last)

    def since_last(self) -> Pulled:
        """Everything that came since the last time, or since the newest item of the graph.

        Ids that answered null then are asked for again, for `missing_seconds`.
        """
        newest = self._source.max_item()
        self._missing = Missing(self._graph, self._settings.missing_seconds, _MOST_MISSING)
        return self._walk(SINCE_LAST, self._unseen(newest), newest, self._missing.due())

    def thread(self, id: int) -> Pulled:
        """An item with everything below it, level by level, and what stands above it."""
        with self._running():
            seen: set[int] = set()
            level = [id]
            while level and not self._stop.is_set():
                self._sum = replace(self._sum, total=self._sum.total + len(level))
                found = self._all(level)
                seen.update(level)
                above = {item.get("parent") or item.get("poll") for item in found} - {None}
                below = {kid for item in found for name in ("kids", "parts") for kid in item.get(name) or ()}
                level = sorted(one for one in below | above if isinstance(one, int) and one not in seen)
        return self._sum

    def _unseen(self, newest: int) -> int:
        walks = {row["name"]: row for row in self._graph.read("hn_item.walks")}
        if SINCE_LAST in walks:
            return int(walks[SINCE_LAST]["next"])
        known = self._graph.read("hn_item.newest")[0]["hnId"]
        return known + 1 if known else max(1, newest - self._settings.first_pull + 1)

    def _walk(self, name: str, first: int, last: int, again: Sequence[int] = ()) -> Pulled:
        done = {row["name"]: row["next"] for row in self._graph.read("hn_item.walks")}
        at = done.get(name, first) if name != SINCE_LAST else first
        with self._running(len(again) + max(0, last - at + 1)):
            self._all(again)
            while at <= last and not self._stop.is_set():
                upto = min(last, at + self._settings.pull_chunk - 1)
                now = moment(self._graph.clock.now_ms())
                note = Step("hn_item.walk", {"name": name, "first": first, "last": last, "next": upto + 1, "at": now})
                self._chunk(range(at, upto + 1), [note])
                at = upto + 1
        return self._sum

    def _all(self, ids: Iterable[int]) -> list[dict[str, Any]]:
        rest, found = iter(ids), []
        while (part := list(islice(rest, self._settings.pull_chunk))) and not self._stop.is_set():
            found += self._chunk(part, ())
        return found

    def _chunk(self, ids: Sequence[int], steps: Sequence[Step]) -> list[dict[str, Any]]:
        """Fetch and write some ids. Those that could not be had are put into the queue, for a worker to fetch."""
        fetched = self._source.fetch(ids, self._stop.is_set, self._answered)
        if self._stop.is_set() and len(fetched.items) + len(fetched.missing) + len(fetched.away) < len(set(ids)):
            steps = ()  # cut short: the walk has not come this far
        items = [fetched.items[id] for id in ids if id in fetched.items]
        more = self._missing.steps(fetched.items, fetched.missing) if self._missing is not None else []
        taken = intake(self._graph).take(items, FIREBASE, steps=[*self._put_off(fetched), *more, *steps])
        self._count(len(ids), taken, fetched)
        return items

    def _put_off(self, fetched: Fetched) -> list[Step]:
        rows = [{"hnId": id, "seq": 0} for id in fetched.away]
        return [Step("hn_item.seed", {"rows": rows, "now": self._graph.clock.now_ms()})] if rows else []

    def _answered(self, count: int) -> None:
        if self._on_progress is not None:
            self._on_progress(replace(self._sum, asked=self._sum.asked + count))

    def _count(self, asked: int, taken: Taken, fetched: Fetched) -> None:
        before = self._sum
        self._sum = Pulled(
            before.asked + asked, before.taken + taken, before.missing + len(fetched.missing),
            before.put_off + len(fetched.away), self._stop.is_set(),
            before.total,
        )  # fmt: skip
        if self._on_progress is not None:
            self._on_progress(self._sum)

    @contextmanager
    def _running(self, total: int = 0) -> Iterator[None]:
        self._sum = Pulled(total=total)
        follow(self._graph)
        yield
        self._sum = replace(self._sum, stopped=self._stop.is_set())
