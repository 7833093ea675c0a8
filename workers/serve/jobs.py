"""Long jobs that somebody gave the daemon: growing, pulling, scraping. Each tells what happens, and can be stopped.

A job that came by HTTP is kept: a daemon that is started anew takes it up under the same name, and since every job
goes on where it was, nothing is done twice. What a command gave is not: the command watches, and gives it again.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from graphvine.dispatch import Run
from graphvine.errors import GraphvineError, StoreClosed
from graphvine.graph import Graph
from graphvine.redact import redact_values
from graphvine.requests import Request
from graphvine.workers.requests import find_request
from graphvine.workers.serve.events import Hub
from graphvine.workers.serve.job_store import JobStore, StoredJob

_log = logging.getLogger("graphvine.serve")
# Of each job, so many of its last events; of finished jobs, so many.
_EVENTS_KEPT, _FINISHED_KEPT, _RUNNING_AT_ONCE = 1_000, 100, 16
_END_SECONDS = 6.0
# A job that lasts while somebody watches it ends when nobody has for this long.
_UNWATCHED_SECONDS = 30.0


class UnknownJob(GraphvineError):
    """No such job."""


class TooManyJobs(GraphvineError):
    """As many run as may."""


@dataclass
class Job:
    id: str
    request: Request[Any]
    state: str = "running"  # running, done, failed, stopped
    started_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    ended_at: str | None = None
    error: str | None = None
    result: Any = None
    events: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=_EVENTS_KEPT), repr=False)
    number: int = 0  # of the last event
    stop: threading.Event = field(default_factory=threading.Event, repr=False)
    change: threading.Condition = field(default_factory=threading.Condition, repr=False)
    kept: bool = False
    cut_short: bool = False  # it was not its work that ended it, nor anybody's word
    watched_at: float = field(default_factory=time.monotonic, repr=False)
    watchers: set[Callable[[], None]] = field(default_factory=set, repr=False)  # called when something happens

    @property
    def verb(self) -> str:
        return self.request.verb

    def shown(self) -> dict[str, Any]:
        return {
            "id": self.id, "verb": self.verb, "state": self.state, "started_at": self.started_at,
            "ended_at": self.ended_at,
            **redact_values({
                "error": self.error, "result": self.result, "asked": self.request.sent(),
                "last_event": self.events[-1] if self.events else None,
            }),
        }  # fmt: skip

    def after(self, number: int, seconds: float) -> list[dict[str, Any]]:
        """Its events after this one; waits a moment for the next where there is none yet."""
        with self.change:
            self.watched_at = time.monotonic()
            if self.number <= number and self.state == "running":
                self.change.wait(seconds)
            return [event for event in self.events if event["number"] > number]

    def publish(self, name: str, facts: Any) -> None:
        with self.change:
            self.number += 1
            self.events.append({"number": self.number, "name": name, "facts": msgspec.to_builtins(facts)})
            self._changed()

    def end(self, state: str, error: str | None, result: Any) -> None:
        with self.change:
            self.result, self.error, self.ended_at, self.state = result, error, datetime.now(UTC).isoformat(), state
            self._changed()

    def _changed(self) -> None:
        self.change.notify_all()
        for watcher in list(self.watchers):
            watcher()

    def end_unwatched(self) -> None:
        """Wait until nobody has looked for some time, and stop it then."""
        with self.change:
            while self.state == "running" and not self.stop.is_set():
                left = self.watched_at + _UNWATCHED_SECONDS - time.monotonic()
                if left <= 0:
                    self.cut_short = True  # whoever comes back after all, from a sleep say, gives it again
                    self.stop.set()
                self.change.wait(max(left, 0))


class JobList:
    def __init__(self, graph: Graph, hub: Hub, keep_open: Callable[[str, Callable[[], Any]], Any]) -> None:
        self._graph, self._hub, self._keep_open = graph, hub, keep_open
        self._jobs: dict[str, Job] = {}
        self._kept, self._closing = JobStore(graph), False
        self._left = self._kept.read()  # by the process before this one, for a daemon to take up
        self._lock = threading.Lock()

    def start(self, request: Request[Any], *, keep: bool = True) -> Job:
        """Begin a job. What is kept goes on in the next daemon."""
        with self._lock:
            if self._closing:
                raise StoreClosed
            if sum(job.state == "running" for job in self._jobs.values()) >= _RUNNING_AT_ONCE:
                raise TooManyJobs(f"{_RUNNING_AT_ONCE} jobs run already: wait for one, or stop one")
            self._tidy()
            job = Job(secrets.token_hex(8), request, kept=keep)
            self._jobs[job.id] = job
            self._keep()
        self._begin(job)
        if request.while_watched:
            threading.Thread(target=job.end_unwatched, name=f"graphvine-watch-{job.id}", daemon=True).start()
        return job

    def resume(self) -> None:
        """Go on with what the daemon before this one had in hand."""
        with self._lock:
            left, self._left = self._left, []
            jobs = [job for one in left if (job := _stored(one)) is not None]
            self._jobs |= {job.id: job for job in jobs}
            self._keep()
        for job in jobs:
            _log.info("job %s (%s) goes on", job.id, job.verb)
            self._begin(job)

    def get(self, id: str) -> Job:
        job = self._jobs.get(id)
        if job is None:
            raise UnknownJob(f"there is no job {id!r}: it may have ended with the daemon that ran it")
        return job

    def all(self) -> list[Job]:
        return list(self._jobs.values())

    def end(self, id: str) -> Job:
        """Stop a job for good."""
        job = self.get(id)
        with self._lock:
            job.kept = False
            self._keep()
        job.stop.set()
        return job

    def tell_to_stop(self) -> None:
        """The daemon ends: what is kept goes on in the next."""
        self._closing = True
        for job in self.all():
            job.cut_short |= job.state == "running" and not job.stop.is_set()
            job.stop.set()

    def stop(self, seconds: float = _END_SECONDS) -> None:
        """End all of them, as cleanly as the time allows."""
        self.tell_to_stop()
        end = time.monotonic() + seconds
        for job in self.all():
            with job.change:
                while job.state == "running" and time.monotonic() < end:
                    job.change.wait(0.1)

    def _begin(self, job: Job) -> None:
        threading.Thread(target=self._run, args=(job,), name=f"graphvine-job-{job.verb}", daemon=True).start()

    def _run(self, job: Job) -> None:
        state, error, result = "done", None, None
        try:
            with Run(job.publish, job.stop, in_daemon=True, keep_open=self._keep_open) as run:
                result = msgspec.to_builtins(job.request.run(self._graph, run))
            state = "stopped" if job.stop.is_set() else "done"
        except GraphvineError as raised:
            state, error = "failed", str(raised)
        except OSError as raised:  # a folder that is not ours, a full disk: as the command would say it
            state, error = "failed", said(raised)
        except Exception as raised:
            state, error = "failed", f"{type(raised).__name__}: {raised}"
        job.end(state, error, result)
        with self._lock:
            self._keep()
        self._hub.publish("job", id=job.id, verb=job.verb, state=state, error=redact_values(error))

    def _keep(self) -> None:
        """Write down what is on its way; the lock is held."""
        if not self._closing:
            on = [job for job in self._jobs.values() if job.kept and job.state == "running"]
            self._kept.write(
                [*self._left, *(StoredJob(job.id, job.verb, job.request.sent(), job.started_at) for job in on)]
            )

    def _tidy(self) -> None:
        ended = [job for job in self._jobs.values() if job.state != "running"]
        for job in ended[: max(0, len(ended) - _FINISHED_KEPT)]:
            del self._jobs[job.id]


def _stored(one: StoredJob) -> Job | None:
    """A job that was written down, or None where it can't go on here."""
    kind = find_request(one.verb)
    try:
        if kind is None:
            raise GraphvineError("no pipeline here knows it")
        # Whoever listens says which event was the last: those of now have higher numbers than any before.
        return Job(one.id, kind.of(one.asked), started_at=one.started_at, kept=True, number=int(time.time()))
    except GraphvineError as error:
        _log.warning("job %s (%s) does not go on: %s", one.id, one.verb, error)
        return None


def said(error: OSError) -> str:
    """An error of the operating system in a sentence."""
    return (f"{error.filename}: " if error.filename else "") + str(error.strerror or error)
