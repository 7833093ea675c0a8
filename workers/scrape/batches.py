"""Batches: named lists of addresses, put into the graph and looked at."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graphvine.clock import moment
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from graphvine.workers.parts.fetching.errors import FetchError
from graphvine.workers.parts.fetching.urls import checked_url
from graphvine.workers.scrape import PIPELINE
from graphvine.workers.scrape.errors import BadAddress, BadBatch

# What `graphvine seed scrape_item` puts in belongs to this one.
DEFAULT = "default"
MOST_ADDRESSES = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", re.ASCII)
_ROWS_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Batch:
    name: str
    seq: int


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one page."""

    url: str
    state: str
    title: str | None
    words: int | None
    summary: str | None
    summarizer: str | None
    error: str | None
    key: str


def name_for(addresses: Sequence[str]) -> str:
    """The same addresses in any order have the same name, so that the same command goes on where it was."""
    canonical = "\n".join(sorted(set(addresses)))
    return f"pages-{hashlib.sha256(canonical.encode()).hexdigest()[:10]}"


def check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise BadBatch(f"{name[:100]!r} is no name for a batch: up to 80 letters, digits, '.', '_' and '-'")
    return name


def check_addresses(addresses: Iterable[str], places: Iterable[str] | None = None) -> list[str]:
    """The addresses in order, each once; BadAddress names the first that is none."""
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
    """Make the batch where it is not there, and put in what is new. Returns at once: a manager does the work."""
    at = moment(graph.clock.now_ms())
    opened = Step(f"{PIPELINE}.open_batch", {"rows": [{"name": name, "seq": 0}], "at": at})
    batch = Batch(name, graph.run(Unit.of([opened])).rows[0][0]["seq"])
    for start in range(0, len(addresses), _ROWS_AT_ONCE):
        rows = [{"id": key_of(name, url), "url": url, "seq": 0} for url in addresses[start : start + _ROWS_AT_ONCE]]
        given = {"rows": rows, "batch": name}
        added = Step(f"{PIPELINE}.add", {**given, "batch_seq": batch.seq, "now": graph.clock.now_ms()})
        graph.run(Unit.of([added, Step(f"{PIPELINE}.show", given)]))
    if name == DEFAULT:
        ours = {"batch": name, "batch_seq": batch.seq}
        graph.run(Unit.of([Step(f"{PIPELINE}.adopt", ours), Step(f"{PIPELINE}.show_all", ours)]))
    return batch


def find(graph: Graph, name: str) -> Batch:
    """A batch that is there."""
    rows = graph.read(f"{PIPELINE}.batch", batch=name)
    if not rows:
        raise BadBatch(f"there is no batch {name!r}: give the addresses that it is to have")
    return Batch(name, rows[0]["seq"])


def key_of(batch: str, url: str) -> str:
    """A page is known by its batch and its address: another batch may scrape the same page anew."""
    return url if batch == DEFAULT else f"{batch} {url}"


def results(graph: Graph, batch: Batch) -> Iterator[Result]:
    """The pages of a batch in the order of arrival, read some at a time."""
    after = -1
    while rows := graph.read(f"{PIPELINE}.results", batch_seq=batch.seq, after=after, limit=500):
        for row in rows:
            after = row["seq"]
            yield Result(
                row["url"], row["state"], row["title"], row["words"], row["summary"], row["summarizer"],
                row["error"] if row["state"] != "completed" else None, row["key"],
            )  # fmt: skip


def counts(graph: Graph, batch: Batch) -> dict[str, int]:
    return {row["state"]: row["count"] for row in graph.read(f"{PIPELINE}.counts_of", batch_seq=batch.seq)}
