"""What is done for rows that nobody looks after: lost claims go back, and numbers follow the words set by hand."""

from __future__ import annotations

import os
import secrets
import socket
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from graphvine.clock import NEVER, moment
from graphvine.failures import backoff, note_failure
from graphvine.isolation import SUSPECT_AT, process_of
from graphvine.process_state import is_running
from graphvine.ready_cache import spans
from graphvine.records import Row, Step, Unit
from graphvine.store import Store

if TYPE_CHECKING:
    from graphvine.engines.kuzu.alignment import Alignment
    from graphvine.engines.protocol import OwnerEngine

# Rows for one unit: large ones are cheap a row, but others wait for them.
_ROWS_AT_ONCE = 5_000
# The lease of a row that somebody set to claimed by hand: held, but by no worker.
_NOBODY = 1


@dataclass(frozen=True, slots=True)
class Reaped:
    """What one pass of the reaper did."""

    reclaimed: int = 0
    given_up: int = 0
    aligned: int = 0


def reap(store: Store, pipeline: str, timeout_seconds: float) -> Reaped:
    """One pass over one pipeline."""
    alignment = _alignment(store)
    aligned = align(store, pipeline) if alignment is None or alignment.needed else 0
    cutoff = moment(store.clock.now_ms() - int(timeout_seconds * 1000))
    reclaimed = given_up = 0
    while rows := store.read(f"{pipeline}.stale", cutoff=cutoff, limit=_ROWS_AT_ONCE):
        back, out = take_back(store, pipeline, rows, cutoff)
        reclaimed, given_up = reclaimed + back, given_up + out
        if len(rows) < _ROWS_AT_ONCE or back + out == 0:
            break
    if reclaimed or given_up:
        store.publish("reclaimed", pipeline=pipeline, reclaimed=reclaimed, given_up=given_up)
    return Reaped(reclaimed, given_up, aligned)


def reap_dead(store: Store, pipeline: str) -> int:
    """Take back at once what processes of this machine held that are no longer there. Returns how many rows.

    Only where one process owns the store: then nobody else can be writing for them.
    """
    now = moment(store.clock.now_ms() + 1)
    reclaimed = 0
    while rows := store.read(f"{pipeline}.stale", cutoff=now, limit=_ROWS_AT_ONCE):
        dead = [row for row in rows if process_is_gone(row["claimed_by"])]
        back, out = take_back(store, pipeline, dead, now) if dead else (0, 0)
        reclaimed += back + out
        if len(rows) < _ROWS_AT_ONCE or back + out == 0:
            break
    if reclaimed:
        store.publish("reclaimed_from_the_dead", pipeline=pipeline, rows=reclaimed)
    return reclaimed


def worker_name() -> str:
    """A name for a worker of this process: the machine, the process, and something of its own."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(2)}"


def process_is_gone(worker: str | None) -> bool:
    """Whether a worker of this machine is known to be dead, by its name."""
    host, _, pid = process_of(worker).partition(":")
    if host != socket.gethostname() or not pid.isdecimal():
        return False  # another machine's, or a name that somebody chose: the time-out decides
    return not is_running(int(pid))


def align_all(store: Store) -> int:
    """Align the rows of every pipeline, where something may have been written past the blocks."""

    def run() -> int:
        return sum(align(store, pipeline) for pipeline in store.library.machines)

    alignment = _alignment(store)
    if alignment is None:
        return run()
    return alignment.run(run) if alignment.needed else 0


def _alignment(store: Store) -> Alignment | None:
    """An engine that owns its file knows of all that is written; None for a server's graph, which has other writers."""
    return cast("OwnerEngine", store.engine).alignment if store.engine.capabilities.single_owner else None


def align(store: Store, pipeline: str) -> int:
    """Bring the numbers of rows whose state was set by hand in line with the word. Returns how many it was."""
    machine = store.machine(pipeline)
    entity = store.library.entities[machine.entity]
    aligned = 0
    while rows := store.read(f"{pipeline}.misaligned", never=NEVER, limit=_ROWS_AT_ONCE):
        steps = []
        unnumbered = [{"key": row["key"], "seq": 0} for row in rows if row["incomplete"]]
        if unnumbered:
            steps.append(Step(f"{pipeline}.number", {"rows": unnumbered}))
        known: dict[str, Any] = {"now": store.clock.now_ms(), "never": NEVER, "nobody": _NOBODY}
        for name, block in entity.blocks.items():
            if name.startswith("align_"):
                steps.append(Step(block.full_name, {given: known[given] for given in block.parameters}))
        answers = store.run(Unit.of(steps)).rows
        changed = len(unnumbered) + sum(len(answer) for answer in answers)
        aligned += changed
        if not changed:
            break  # a word that is no state of the machine: the doctor tells of it
    if aligned:
        store.ready_cache(pipeline).invalidate()
        store.publish("aligned", pipeline=pipeline, rows=aligned)
    return aligned


def take_back(store: Store, pipeline: str, rows: list[Row], cutoff: datetime) -> tuple[int, int]:
    """Free these claims, of which nothing was heard since the cutoff. Returns how many went back, how many failed.

    A row that its process held beside others was merely there when the process died: it becomes a suspect at most, and
    suspects are worked on alone. Only what was lost alone counts further, waits longer each time, and is given up.
    """
    machine, now, most = store.machine(pipeline), store.clock.now_ms(), store.settings.max_lost_claims
    held = Counter(process_of(row["claimed_by"]) for row in rows)
    back: dict[tuple[str, int, int], list[int]] = {}
    tired = []
    for row in rows:
        lost = (row["lost_claims"] or 0) + 1
        alone = row["claimed_by"] is not None and held[process_of(row["claimed_by"])] == 1
        if alone and lost >= most:
            tired.append(row)
            continue
        wait = backoff(store.settings, lost - SUSPECT_AT) if alone and lost > SUSPECT_AT else 0.0
        counted = int(alone or lost <= SUSPECT_AT)
        back.setdefault((row["state"], now + int(1000 * wait), counted), []).append(row["seq"])
    steps = []
    for (state, due, counted), seqs in sorted(back.items()):
        if (block := machine.by_role("reclaim", state)) is not None:
            given = {"cutoff": cutoff, "due": due, "counted": counted}
            steps += [Step(block.full_name, {**span, **given}) for span in spans(seqs)]
    freed = len(steps)
    if tired:
        error = f"lost its worker {most} times, the last time while it was worked on alone"
        given = {"cutoff": cutoff, "at": moment(now), "max_lost": most, "error": error, "never": NEVER}
        steps += [Step(f"{pipeline}.give_up", {**span, **given}) for span in spans([row["seq"] for row in tired])]
        steps += [
            note_failure(
                pipeline, row["seq"], row["key"], row["failure_count"], at=moment(now), kind="lost",
                attempt=(row["lost_claims"] or 0) + 1, message=f"{error}; it was {row['claimed_by']}",
            )
            for row in tired
        ]  # fmt: skip
    answers = store.run(Unit.of(steps)).rows
    reclaimed = sum(len(answer) for answer in answers[:freed])
    return reclaimed, sum(len(answer) for answer in answers[freed:])
