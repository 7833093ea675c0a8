"""Rows that lost workers before are worked on with nothing beside them, so that the next loss shows which is to blame.

A process that is killed loses all that it holds, and all but one row of it, if not all, had no part in that. So a row
that was lost in company becomes a suspect at most; only a suspect that was lost alone is ever given up (reaper.py).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graphvine.records import Claim, Row

# A row that has lost its worker this often is claimed alone, so that it can't take others down with it.
SUSPECT_AT = 2
# A worker that waits for the others of its process asks again within this time, or has stopped.
_ASKS_AGAIN_MS = 1_000


def is_suspect(row: Row | Claim) -> bool:
    lost = row.lost_claims if isinstance(row, Claim) else row.get("lost_claims", 0)
    return bool((lost or 0) >= SUSPECT_AT)


def apart(rows: Sequence[Row]) -> list[Row]:
    """Of rows in claim order, those that may be claimed together: the first if it is a suspect, or the others."""
    return list(rows[:1]) if rows and is_suspect(rows[0]) else [row for row in rows if not is_suspect(row)]


def process_of(worker: str | None) -> str:
    """The process of a worker, by its name (host:pid:suffix); a name that somebody chose stands for itself."""
    host, _, rest = (worker or "").partition(":")
    pid = rest.partition(":")[0]
    return f"{host}:{pid}" if pid.isdecimal() else worker or ""


@dataclass(slots=True)
class _Process:
    # Claims in hand by pipeline and seq: suspect or not, and until when they hold without a heartbeat.
    held: dict[tuple[str, int], tuple[bool, int]] = field(default_factory=dict)
    # The worker that waits for the others to finish, by pipeline, and until when.
    waiting: dict[str, tuple[str, int]] = field(default_factory=dict)


class Isolation:
    """What the workers of each process have in hand. Kept in memory: it is a matter of order, no guard."""

    def __init__(self) -> None:
        self._processes: dict[str, _Process] = {}
        self._lock = threading.Lock()

    def admits(self, pipeline: str, worker: str, suspect: bool, now: int) -> bool:
        """Whether a worker may claim now: a suspect when nothing else is in hand, others while no suspect is.

        While it waits for a suspect's turn, the other workers of its process and pipeline are given nothing more.
        """
        with self._lock:
            process = self._processes.setdefault(process_of(worker), _Process())
            process.held = {key: value for key, value in process.held.items() if value[1] > now}
            process.waiting = {name: one for name, one in process.waiting.items() if one[1] > now}
            beside = [is_one for (of, _), (is_one, _) in process.held.items() if of == pipeline or is_one]
            first = process.waiting.get(pipeline, (worker, 0))[0] == worker
            if first and not (beside if suspect else any(of == pipeline for of, _ in _suspects(process))):
                process.waiting.pop(pipeline, None)
                return True
            if suspect and first:
                process.waiting[pipeline] = (worker, now + _ASKS_AGAIN_MS)
            return False

    def is_idle(self, pipeline: str, worker: str, now: int) -> bool:
        """Whether a suspect could be claimed now: the worker's process has nothing beside it in hand."""
        with self._lock:
            process = self._processes.get(process_of(worker))
            held = [] if process is None else process.held.items()
            return not any(until > now and (of == pipeline or is_one) for (of, _), (is_one, until) in held)

    def hold(self, worker: str, claims: Iterable[Claim], until: int) -> None:
        """These were claimed, or their heartbeat was sent."""
        with self._lock:
            held = self._processes.setdefault(process_of(worker), _Process()).held
            held.update({(claim.pipeline, claim.seq): (is_suspect(claim), until) for claim in claims})

    def drop(self, worker: str, claims: Iterable[Claim]) -> None:
        with self._lock:
            if (process := self._processes.get(process_of(worker))) is not None:
                for claim in claims:
                    process.held.pop((claim.pipeline, claim.seq), None)


def _suspects(process: _Process) -> list[tuple[str, int]]:
    return [key for key, (is_one, _) in process.held.items() if is_one]
