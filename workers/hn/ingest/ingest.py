"""Ingests items, thousands at a time: one cascade, one transaction, whatever the source."""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from graphvine.engines.protocol import SharedEngine
from graphvine.errors import UnitFailed
from graphvine.records import Step, Unit, UnitResult
from graphvine.workers.hn.ingest.batch import Batch
from graphvine.workers.hn.ingest.index_sync import Written
from graphvine.workers.hn.ingest.item import Draft, id_of
from graphvine.workers.hn.ingest.prefetch import Ahead, collecting_less, portions
from graphvine.workers.hn.ingest.processors import begin, finish
from graphvine.workers.hn.ingest.thread_edges import Threads
from graphvine.workers.hn.ingest.writes import refused_of, reject, steps_of

if TYPE_CHECKING:
    from graphvine.graph import Graph

T = TypeVar("T")
Meanwhile = Callable[[], None]
# A join costs a pass over the table whatever the batch, so batches are large; twice as many are no faster here.
ITEMS_AT_ONCE = 10_000
# How often a batch is begun anew, where ids are being put in beside it.
_TRIES = 5
# The first retry of what was refused.
RETRY_MS = 300_000


REFUSALS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an item was not accepted; without an id where it has none that can be used."""

    id: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of items: `new`, `updated` (a newer copy), `revived` (had failed, or was only known by its id),
    `unchanged` (seen again), `skipped` (an older copy, or the same twice), `failed`, `rejected` (no usable id)."""

    new: int = 0
    updated: int = 0
    revived: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: int = 0
    rejected: int = 0
    refused: list[Refused] = field(default_factory=list, compare=False)  # the first few, with their reasons
    forms: dict[str, int] = field(default_factory=dict, compare=False)  # how many items came in which form

    def __add__(self, other: Taken) -> Taken:
        counts = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        forms = {name: self.forms.get(name, 0) + other.forms.get(name, 0) for name in {**self.forms, **other.forms}}
        return Taken(**counts, refused=[*self.refused, *other.refused][:REFUSALS_SHOWN], forms=forms)

    @property
    def total(self) -> int:
        return sum(getattr(self, name) for name in _COUNTS)


_COUNTS = ("new", "updated", "revived", "unchanged", "skipped", "failed", "rejected")


@dataclass(frozen=True, slots=True)
class Prepared:
    batch: Batch
    rejected: list[Step]


class Intake:
    """One for each graph: what waits for a parent is known in memory, so batches are taken in one after another.

    Where other processes write to the graph too, each batch waits for its turn at the server, and looks at everything
    in the transaction that writes it.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = weakref.proxy(graph)
        able = graph.engine.capabilities
        self._shared = cast(SharedEngine, graph.engine) if not able.single_owner and able.maintains else None
        self._machine = graph.library.machines["hn_item"]
        self._lock = threading.RLock()
        self._threads = Threads(self._graph)

    def take(
        self, items: Sequence[Any], source: str, *, handed_over_at: int | None = None, steps: Sequence[Step] = (),
        guards: Sequence[Step] = (),
    ) -> Taken:  # fmt: skip
        """Take these in, in one transaction, with whatever else belongs into it. Nothing is kept if it fails."""
        return self.write(self.prepare(items, source, handed_over_at), steps, guards)

    def prepare(
        self, items: Sequence[Any], source: str, handed_over_at: int | None = None, ids: Sequence[int] | None = None
    ) -> Prepared:
        """Everything that can be done without a look at the graph; another batch may be written meanwhile.

        Who has looked at the `ids` already hands them over, one for each item.
        """
        now = self._graph.clock.now_ms()
        drafts, rejected = self._drafts(items, ids, source, handed_over_at or now, now)
        batch = Batch(self._graph, self._threads, now, drafts)
        begin(self._machine, batch)
        return Prepared(batch, rejected)

    def write(
        self, prepared: Prepared, steps: Sequence[Step] = (), guards: Sequence[Step] = (), *,
        meanwhile: Meanwhile = lambda: None,
    ) -> Taken:  # fmt: skip
        """The rest of the way, and the transaction; `meanwhile` is told when only the engine is at work."""
        batch, rejected = prepared.batch, prepared.rejected

        def write() -> Taken:
            finish(self._machine, batch)
            refused = refused_of(batch)
            steps_in_all = [*guards, *self._steps(batch, refused), *rejected, *steps]
            self._remember(batch)
            meanwhile()
            self._write(batch, refused, steps_in_all)
            return counted(batch.drafts, rejected)

        return self._alone(batch, write)

    def write_held(
        self, prepared: Prepared, claimed: Callable[[Batch], tuple[Step, Sequence[Step]]], meanwhile: Meanwhile
    ) -> bool:
        """The same for whoever answers for refused items by itself: nothing is written of them, and nothing at all
        where the claim is lost (False). `claimed` is asked, once the outcome is known, for the guard and more steps.
        """
        batch = prepared.batch

        def write() -> bool:
            finish(self._machine, batch)
            guard, more = claimed(batch)
            steps = [guard, *self._steps(batch, []), *more]
            self._remember(batch)
            meanwhile()
            held = self._write(batch, [], steps, if_held=True)
            if not held:
                self._threads.forget()
            return held

        return self._alone(batch, write)

    def alone(self, work: Callable[[], T]) -> T:
        """Do something while nobody takes items in. Where other processes could, it is one transaction, and may be
        done more than once, the last time for good.
        """
        with self._lock:
            try:
                return self._in_turn(work)
            finally:
                self._threads.forget()

    def _in_turn(self, work: Callable[[], T]) -> T:
        return work() if self._shared is None else self._shared.in_turn("hn_item", work)

    def _alone(self, batch: Batch, write: Callable[[], T]) -> T:
        if self._shared is None:
            with self._lock:
                try:
                    return write()
                except BaseException:
                    self._threads.forget()
                    raise
        back = batch.back_to_here()

        def afresh() -> T:
            back()
            self._threads.forget()
            return write()

        for _ in range(_TRIES):
            try:
                return self.alone(afresh)
            except UnitFailed as error:
                # Somebody put ids in by hand meanwhile: now they are seen.
                if "`hnId`" not in error.reason:
                    raise
        return self.alone(afresh)

    def _remember(self, batch: Batch) -> None:
        """Ahead of the writing, which forgets it again should it fail: after this the contents stand in the steps
        alone, and are not held twice while the engine, too, needs memory for them.
        """
        if self._shared is not None:
            return  # others write meanwhile: the next batch looks for itself, and this one may have to begin anew
        self._threads.remember(batch, [d for d in batch.drafts if d.outcome in _WRITTEN and not d.reason])
        for draft in batch.drafts:
            draft.let_go()

    @contextmanager
    def apart(self) -> Iterator[Threads]:
        """For a worker that writes by itself: nothing is taken in meanwhile, and what waits is read anew after it."""
        with self._lock:
            try:
                yield self._threads
            finally:
                self._threads.forget()

    def _steps(self, batch: Batch, refused: Sequence[Draft]) -> list[Step]:
        return list(steps_of(batch, refused, RETRY_MS))

    def _write(self, batch: Batch, refused: Sequence[Draft], steps: Sequence[Step], *, if_held: bool = False) -> bool:
        if not steps:
            return True
        result: UnitResult = self._graph.run(Unit.of(steps, if_held=if_held))
        if if_held and not result.held:
            return False
        if self._shared is not None:
            for step, rows in zip(steps, result.rows, strict=True):
                if step.block in _MAKING and len(rows) < len(step.parameters["rows"]):
                    raise UnitFailed(step.block, "some `hnId` were put in meanwhile")
        index = self._graph.open_indexes.get("hn_item")
        stamps = [row["stamp"] for rows in result.rows for row in rows if "stamp" in row] if index is not None else ()
        if stamps:
            fresh = [draft.document for draft in batch.drafts if draft.outcome == "new" and not draft.reason]
            again = [d.document for d in batch.drafts if d.outcome in ("updated", "revived") and not d.reason]
            index.add(Written(stamps, fresh, again, [draft.id for draft in (*refused, *batch.fallen)]))
        return True

    def _drafts(
        self, items: Sequence[Any], ids: Sequence[int] | None, source: str, at: int, now: int
    ) -> tuple[list[Draft], list[Step]]:
        drafts: list[Draft] = []
        rejected: list[Step] = []
        for place, given in enumerate(items):
            try:
                id = ids[place] if ids is not None else id_of(given)
            except ValueError as error:
                rejected.append(reject(given, str(error), now))
                continue
            drafts.append(Draft(id, given, source, at))
        return drafts, rejected


_MAKING = frozenset({"hn_item.take_in", "hn_item.refuse"})
_WRITTEN = frozenset({"new", "updated", "revived"})


def counted(drafts: Sequence[Draft], rejected: Sequence[Step]) -> Taken:
    counts: dict[str, Any] = Counter([draft.outcome for draft in drafts if not draft.reason])
    refused = [Refused(None, step.parameters["message"]) for step in rejected[:REFUSALS_SHOWN]]
    for draft in drafts:
        if draft.reason:
            outcome = "failed" if draft.outcome == "failed" else "skipped"
            counts[outcome] += 1
            if outcome == "failed" and len(refused) < REFUSALS_SHOWN:
                refused.append(Refused(draft.id, draft.reason))
    return replace(Taken(rejected=len(rejected), refused=refused), **counts)


_intakes: weakref.WeakKeyDictionary[Any, Intake] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def intake(graph: Graph) -> Intake:
    """The intake of this graph."""
    with _lock:
        found = _intakes.get(graph)
        if found is None:
            found = _intakes[graph] = Intake(graph)
        return found


def take_in(
    graph: Graph, items: Iterable[Any], source: str, *, handed_over_at: int | None = None,
    batch: int = ITEMS_AT_ONCE, progress: Callable[[Taken], None] | None = None,
) -> Taken:  # fmt: skip
    """Take in any number of items, batch by batch. One delivery has one time, unless an item says its own."""
    at, taking, total = handed_over_at or graph.clock.now_ms(), intake(graph), Taken()
    parts = portions(items, batch)

    def prepare() -> Prepared | None:
        part = next(parts, None)
        return None if part is None else taking.prepare(part, source, at)

    with collecting_less(), Ahead(prepare, "graphvine-hn-prepare") as ahead:
        while (prepared := ahead.take()) is not None:
            total += taking.write(prepared, meanwhile=ahead.begin)
            prepared = None  # before the next is waited for: two at once are enough
            if progress is not None:
                progress(total)
    return total
