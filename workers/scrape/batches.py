"""Batches: named lists of addresses, how they are submitted and read, and the lease of the manager that runs one."""

from __future__ import annotations

import hashlib
import math
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from graphvine.clock import NEVER, moment
from graphvine.graph import Graph
from graphvine.reaper import process_is_gone, take_back
from graphvine.records import Row, Step, Unit, new_token
from graphvine.workers.common.fetching.addresses import checked_url
from graphvine.workers.common.fetching.errors import FetchError
from graphvine.workers.scrape import NAME
from graphvine.workers.scrape.errors import BadAddress, BadBatch, BatchBusy, BatchLost
from graphvine.workers.scrape.events import ScrapeEvent

# The batch of what `graphvine seed scrape_item` adds.
DEFAULT = "default"
MOST_ADDRESSES = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", re.ASCII)
_ROWS_AT_ONCE = 5_000
_LONGEST_LINE_BYTES = 10_000
_NOBODY = -1


@dataclass(frozen=True, slots=True)
class Batch:
    name: str
    seq: int


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one page."""

    url: str
    state: str
    title: str | None
    words: int | None
    summary: str | None
    summarizer: str | None
    error: str | None
    key: str


def name_for(addresses: Sequence[str]) -> str:
    """The same addresses in any order have the same name, so that the same command resumes."""
    canonical = "\n".join(sorted(set(addresses)))
    return f"pages-{hashlib.sha256(canonical.encode()).hexdigest()[:10]}"


def check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise BadBatch(f"{name[:100]!r} is not a valid batch name: use up to 80 letters, digits, '.', '_' and '-'")
    return name


def check_addresses(addresses: Iterable[str], places: Iterable[str] | None = None) -> list[str]:
    """The addresses in order, without duplicates; BadAddress names the first invalid one."""
    found: dict[str, None] = {}
    named = iter(places) if places is not None else None
    for index, address in enumerate(addresses):
        place = next(named) if named is not None else f"item {index}"
        if not isinstance(address, str):
            raise BadAddress(place, f"an address is text, not {type(address).__name__}")
        try:
            found[checked_url(address)] = None
        except FetchError as error:
            raise BadAddress(place, str(error)) from None
        if len(found) > MOST_ADDRESSES:
            raise BadAddress(place, f"a batch has at most {MOST_ADDRESSES} addresses")
    return list(found)


def submit(graph: Graph, name: str, addresses: Sequence[str]) -> Batch:
    """Create the batch if needed and add new addresses. Returns at once: a manager does the work."""
    at = moment(graph.clock.now_ms())
    opened = Step(f"{NAME}.open_batch", {"rows": [{"name": name, "seq": 0}], "at": at})
    batch = Batch(name, graph.run(Unit.of([opened])).rows[0][0]["seq"])
    for start in range(0, len(addresses), _ROWS_AT_ONCE):
        rows = [{"id": key_of(name, url), "url": url, "seq": 0} for url in addresses[start : start + _ROWS_AT_ONCE]]
        given = {"rows": rows, "batch": name}
        added = Step(f"{NAME}.add", {**given, "batch_seq": batch.seq, "now": graph.clock.now_ms()})
        graph.run(Unit.of([added, Step(f"{NAME}.show", given)]))
    if name == DEFAULT:
        ours = {"batch": name, "batch_seq": batch.seq}
        graph.run(Unit.of([Step(f"{NAME}.adopt", ours), Step(f"{NAME}.show_all", ours)]))
    return batch


def find(graph: Graph, name: str) -> Batch:
    """A batch that exists."""
    rows = graph.read(f"{NAME}.batch", batch=name)
    if not rows:
        raise BadBatch(f"there is no batch {name!r}: give its addresses to create it")
    return Batch(name, rows[0]["seq"])


def key_of(batch: str, url: str) -> str:
    """The key of a page is its batch and its address: another batch may scrape the same page again."""
    return url if batch == DEFAULT else f"{batch} {url}"


def results(graph: Graph, batch: Batch) -> Iterator[Result]:
    """The pages of a batch in the order of arrival, read some at a time."""
    after = -1
    while rows := graph.read(f"{NAME}.results", batch_seq=batch.seq, state="", contains="", after=after, limit=500):
        for row in rows:
            after = row["seq"]
            yield Result(
                row["url"], row["state"], row["title"], row["words"], row["summary"], row["summarizer"],
                row["error"] if row["state"] != "completed" else None, row["key"],
            )  # fmt: skip


def counts(graph: Graph, batch: Batch) -> dict[str, int]:
    return {row["state"]: row["count"] for row in graph.read(f"{NAME}.counts_of", batch_seq=batch.seq)}


def resume(graph: Graph, batch: Batch, *, again: bool = False, now: bool = False) -> list[ScrapeEvent]:
    """Prepare a batch that was there before: what failed is tried again, as its cause may be gone; with `again` what
    is completed is redone, with `now` nothing waits. Returns what to tell the caller, as events of the batch."""
    clock_ms = graph.clock.now_ms()
    ours: dict[str, int] = {"batch_seq": batch.seq, "now": clock_ms}
    finished = graph.read(f"{NAME}.batch", batch=batch.name)[0]["status"] == "finished"
    steps = [Step(f"{NAME}.retry_in", ours)] if finished or again else []
    steps += [Step(f"{NAME}.again_in", ours)] if again else []
    steps += [Step(f"{NAME}.hasten_in", {**ours, "never": NEVER})] if now else []
    rows = graph.run(Unit.of(steps)).rows if steps else ()
    moved = {step.block.partition(".")[2]: len(answer) for step, answer in zip(steps, rows, strict=True)}
    found = [ScrapeEvent("retrying", batch.name, counts={"failed": moved["retry_in"]})] if moved.get("retry_in") else []
    stored = counts(graph, batch).get("completed", 0)
    if stored and finished:
        found.append(ScrapeEvent("stored", batch.name, counts={"completed": stored}))
    waiting = graph.read(f"{NAME}.waiting_in", **ours, never=NEVER)[0]
    if waiting["waiting"]:
        seconds = math.ceil((waiting["due"] - clock_ms) / 1000)
        found.append(ScrapeEvent("backing_off", batch.name, counts={"waiting": waiting["waiting"], "seconds": seconds}))
    return found


class BatchLease:
    """One manager at a time runs a batch: the lease is renewed, and free to take when it was not."""

    def __init__(self, graph: Graph, batch: Batch, worker: str, seconds: float) -> None:
        self._graph, self._batch, self._worker, self._ms = graph, batch, worker, int(seconds * 1000)
        self.token = new_token()

    def take(self) -> Row:
        """Take the lease, and reclaim what the last manager held; BatchBusy while that one is alive."""
        row = self._take(self._dead_holder())
        if row is None:
            raise BatchBusy(self._batch.name, self.holder() or "another manager")
        self._reclaim()
        return row

    def holder(self) -> str | None:
        rows = self._graph.read(f"{NAME}.batch", batch=self._batch.name)
        return str(rows[0]["manager"]) if rows and rows[0]["lease"] else None

    def renew(self) -> None:
        """Keep the lease; BatchLost when another manager has it."""
        until = self._graph.clock.now_ms() + self._ms
        step = Step(f"{NAME}.keep", {"batch": self._batch.name, "lease": self.token, "until": until})
        if not self._graph.run(Unit.of([step])).rows[0]:
            raise BatchLost(self._batch.name)

    def release(self) -> None:
        """Free the batch, if it is still ours."""
        self._graph.run(Unit.of([Step(f"{NAME}.unmanage", {"batch": self._batch.name, "lease": self.token})]))

    def _take(self, dead: int) -> Row | None:
        now = self._graph.clock.now_ms()
        given = {
            "batch": self._batch.name, "lease": self.token, "dead": dead, "worker": self._worker, "now": now,
            "until": now + self._ms,
        }  # fmt: skip
        rows = self._graph.run(Unit.of([Step(f"{NAME}.manage", given)])).rows[0]
        return rows[0] if rows else None

    def _dead_holder(self) -> int:
        """The lease of a manager whose process is gone: no need to wait until it expires."""
        if not self._graph.engine.capabilities.single_owner:
            return _NOBODY
        rows = self._graph.read(f"{NAME}.batch", batch=self._batch.name)
        gone = bool(rows) and rows[0]["lease"] != 0 and process_is_gone(rows[0]["manager"])
        return int(rows[0]["lease"]) if gone else _NOBODY

    def _reclaim(self) -> None:
        """All claims in a batch that was just taken are of managers that no longer run it."""
        cutoff = moment(self._graph.clock.now_ms() + 1)
        while rows := self._graph.read(f"{NAME}.left_behind", batch_seq=self._batch.seq, limit=_ROWS_AT_ONCE):
            if sum(take_back(self._graph.store, NAME, rows, cutoff)) == 0:
                break


def read_addresses(source: Path) -> list[str]:
    """The addresses in a file; empty lines and comments (#) are skipped. BadAddress names file and line."""
    with nullcontext(sys.stdin.buffer) if str(source) == "-" else source.open("rb") as file:
        lines = list(_lines(file, str(source)))
    found = check_addresses((text for _, text in lines), (place for place, _ in lines))
    if not found:
        raise BadAddress(str(source), "it has no addresses")
    return found


def _lines(file: BinaryIO, name: str) -> Iterator[tuple[str, str]]:
    number = 0
    while line := file.readline(_LONGEST_LINE_BYTES + 1):
        number += 1
        place = f"{name}, line {number}"
        if len(line) > _LONGEST_LINE_BYTES:
            raise BadAddress(place, f"longer than {_LONGEST_LINE_BYTES} bytes: not an address")
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError:
            raise BadAddress(place, "not UTF-8 text") from None
        if text and not text.startswith("#"):
            yield place, text
