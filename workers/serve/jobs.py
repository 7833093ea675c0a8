"""Long jobs that somebody gave the daemon: growing, pulling, scraping. Each tells what happens, and can be stopped."""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.workers.serve.events import Hub

# Of each job, so many of its last events; of finished jobs, so many.
_EVENTS_KEPT, _FINISHED_KEPT, _RUNNING_AT_ONCE = 1_000, 100, 16
_END_SECONDS = 6.0

Tell = Callable[[str, Any], None]
# (graph, what was asked, tell, stop) to what came of it.
Work = Callable[[Graph, dict[str, Any], Tell, threading.Event], Any]


class UnknownJob(GraphvineError):
    """No such job."""


class TooManyJobs(GraphvineError):
    """As many run as may."""


@dataclass
class Job:
    id: str
    verb: str
    asked: dict[str, Any]
    state: str = "running"  # running, done, failed, stopped
    started_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    ended_at: str | None = None
    error: str | None = None
    result: Any = None
    events: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=_EVENTS_KEPT), repr=False)
    number: int = 0  # of the last event
    stop: threading.Event = field(default_factory=threading.Event, repr=False)
    change: threading.Condition = field(default_factory=threading.Condition, repr=False)
    done: Future[None] = field(default_factory=Future, repr=False)

    def shown(self) -> dict[str, Any]:
        return {
            "id": self.id, "verb": self.verb, "state": self.state, "started_at": self.started_at,
            "ended_at": self.ended_at, "error": self.error, "result": self.result, "asked": self.asked,
            "last_event": self.events[-1] if self.events else None,
        }  # fmt: skip

    def after(self, number: int, seconds: float) -> list[dict[str, Any]]:
        """Its events after this one; waits a moment for the next where there is none yet."""
        with self.change:
            if self.number <= number and self.state == "running":
                self.change.wait(seconds)
            return [event for event in self.events if event["number"] > number]

    def tell(self, name: str, facts: Any) -> None:
        with self.change:
            self.number += 1
            self.events.append({"number": self.number, "name": name, "facts": msgspec.to_builtins(facts)})
            self.change.notify_all()


class JobList:
    def __init__(self, graph: Graph, hub: Hub) -> None:
        self._graph, self._hub = graph, hub
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, verb: str, asked: dict[str, Any], work: Work) -> Job:
        with self._lock:
            if sum(job.state == "running" for job in self._jobs.values()) >= _RUNNING_AT_ONCE:
                raise TooManyJobs(f"{_RUNNING_AT_ONCE} jobs run already: wait for one, or stop one")
            self._tidy()
            job = Job(secrets.token_hex(8), verb, asked)
            self._jobs[job.id] = job
        threading.Thread(target=self._run, args=(job, work), name=f"graphvine-job-{verb}", daemon=True).start()
        return job

    def get(self, id: str) -> Job:
        job = self._jobs.get(id)
        if job is None:
            raise UnknownJob(f"there is no job {id!r}: it may have ended with the daemon that ran it")
        return job

    def all(self) -> list[Job]:
        return list(self._jobs.values())

    def tell_to_stop(self) -> None:
        for job in self.all():
            job.stop.set()

    def stop(self, seconds: float = _END_SECONDS) -> None:
        """End all of them, as cleanly as the time allows."""
        self.tell_to_stop()
        end = time.monotonic() + seconds
        for job in self.all():
            with job.change:
                while job.state == "running" and time.monotonic() < end:
                    job.change.wait(0.1)

    def _run(self, job: Job, work: Work) -> None:
        state, error, result = "done", None, None
        try:
            result = msgspec.to_builtins(work(self._graph, job.asked, job.tell, job.stop))
            state = "stopped" if job.stop.is_set() else "done"
        except GraphvineError as raised:
            state, error = "failed", str(raised)
        except Exception as raised:
            state, error = "failed", f"{type(raised).__name__}: {raised}"
        with job.change:
            job.result, job.error, job.ended_at, job.state = result, error, datetime.now(UTC).isoformat(), state
            job.change.notify_all()
        self._hub.tell("job", id=job.id, verb=job.verb, state=state, error=error)

    def _tidy(self) -> None:
        ended = [job for job in self._jobs.values() if job.state != "running"]
        for job in ended[: max(0, len(ended) - _FINISHED_KEPT)]:
            del self._jobs[job.id]
