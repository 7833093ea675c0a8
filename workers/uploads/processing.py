"""Takes the items of an upload into the graph, batch by batch, from the place in the file that the graph knows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

from graphvine.engines.neo4j.address import is_address
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.records import Claim, Step
from graphvine.workers.hn.ingest.batch import Batch
from graphvine.workers.hn.ingest.index_sync import follow
from graphvine.workers.hn.ingest.ingest import Meanwhile, intake
from graphvine.workers.hn.ingest.prefetch import Ahead, collecting_less
from graphvine.workers.uploads.batches import Outcome, Ready, guard, moved_on, prepare, with_items
from graphvine.workers.uploads.decode import Place
from graphvine.workers.uploads.errors import FileFault
from graphvine.workers.uploads.processors import Stopped, Work
from graphvine.workers.uploads.reader import ItemBatch, Items

Lost = Callable[[], bool]
# What is written at first where workers were lost: little, so that it counts in however short a life.
_ITEMS_AFTER_A_LOSS = 50


def load_parts() -> None:
    """Load what the first items need, before they are claimed: on a busy machine it takes longer than writing them."""
    for name in ("pyarrow", "pandas", "polars", "nh3"):  # the engine looks for the second and third by itself
        with suppress(ImportError):
            import_module(name)


def process(graph: Graph, claim: Claim, work: Work, lost: Lost) -> None:
    """All that is left; afterwards the upload at work is what the graph holds. Stopped when it is to end."""
    taking = intake(graph)
    with Items(work.upload.file, work.settings) as items:
        batches = _retried(graph, work, items) if work.upload.retrying else _rest(work, items, claim.lost_claims)

        def ahead() -> Ready | None:
            found = next(batches, None)
            if found is None:
                return None
            read, steps = found
            ready = prepare(taking, read, work.upload.handed_over)
            ready.steps = steps
            return ready

        if not claim.lost_claims:
            follow(graph)
        with collecting_less(), Ahead(ahead, "graphvine-upload-read") as reader:
            while (ready := reader.take()) is not None:
                if lost() or not _write(graph, claim, work, ready, reader.begin):
                    raise ClaimLost([claim])
                # After lost workers only behind the first items: an index that has to catch up takes a while.
                follow(graph)
                upload = work.upload
                ready = None  # before the next is waited for: two at once are enough
                work.report("processing", upload.processed_items + upload.failed_items, upload.total_items)
                if work.stopping():
                    raise Stopped


def _write(graph: Graph, claim: Claim, work: Work, ready: Ready, meanwhile: Meanwhile) -> bool:
    before = work.upload

    def claimed(batch: Batch) -> tuple[Step, list[Step]]:
        outcome = Outcome(ready, batch)
        work.upload = moved_on(before, outcome, ready.read, work.settings.errors_kept)
        more = with_items(before, outcome, ready.read, graph.clock.now_ms())
        return guard(claim, before, work.upload, outcome), [*ready.steps, *more]

    return intake(graph).write_held(ready.prepared, claimed, meanwhile)


def _rest(work: Work, items: Items, lost: int) -> Iterator[tuple[ItemBatch, list[Step]]]:
    """After lost workers it begins with little: what is done in a short life counts, and kills alone end nothing."""
    for read in items.batches(work.upload.place, _ITEMS_AFTER_A_LOSS if lost else None):
        yield read, []


def _retried(graph: Graph, work: Work, items: Items) -> Iterator[tuple[ItemBatch, list[Step]]]:
    """The items that failed before, by their error nodes."""
    upload = work.upload
    after, round = upload.current_item - 1, upload.retry_count
    while True:
        found = graph.read(
            "upload.to_retry", upload=upload.seq, round=round, after=after, limit=work.settings.items_at_once
        )
        if not found:
            return
        wanted = _bounded([(row["index"], row["chunk_item"], row["chunk_offset"]) for row in found], work)
        read = items.chosen(wanted)
        upto = wanted[-1][0]
        read.next = Place(upto + 1, upload.chunk_item, upload.chunk_offset)
        tried: dict[str, Any] = {
            "upload": upload.seq, "round": round, "after": after, "upto": upto, "at_ms": graph.clock.now_ms(),
        }  # fmt: skip
        yield read, [Step("upload.dismiss_retried", tried)]
        after = upto


def _bounded(wanted: list[tuple[int, int, int]], work: Work) -> list[tuple[int, int, int]]:
    """So many that the parts that they stand in fit into memory."""
    most = max(1, work.settings.bytes_at_once // work.settings.chunk_bytes)
    offsets: set[int] = set()
    for count, (_, _, offset) in enumerate(wanted):
        offsets.add(offset)
        if len(offsets) > most:
            return wanted[:count]
    return wanted


def spool_folder(graph: Graph) -> Path:
    """Where our own copies of files stand: beside the graph, or with this user's state where it is on a server."""
    where = graph.engine.where
    if where.startswith(("http://", "https://")):
        raise FileFault(
            "what comes through a pipe is kept beside the graph, which is elsewhere: name a file that the service can"
            " read, or send it by HTTP, as in 'curl -F file=@- .../uploads'"
        )
    if not is_address(where):
        return Path(f"{where}.uploads")
    state = os.environ.get("XDG_STATE_HOME", "")
    home = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    return home / "graphvine" / f"{quote(where, safe='')}.uploads"
