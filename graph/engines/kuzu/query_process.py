"""Typed queries in child processes: a query may crash its process or fill its memory, and the store goes on.

A child opens the database file read-only, beside the process that writes it, with a copy of the acknowledged log. That
is sound as long as no checkpoint runs: between checkpoints the file does not change and the log only grows. So the
caller holds the gate of readers while a child works, and names the version of the files: a child that has an older one
open than when the query was asked opens them again. Opening replays the log: 30 ms after a checkpoint, about a second
for 16 MB of log. So of many queries that wait while others write, one pays for it.
"""

from __future__ import annotations

import os
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from graphvine.engines.http.wire import pack, raise_error, unpack
from graphvine.engines.kuzu.kill_safe import KillSafeFiles
from graphvine.errors import QueryError, QueryTimeout, StoreClosed, StoreError
from graphvine.settings import Settings

HEAD = struct.Struct(">I")
_LOOK_SECONDS = 0.02
# The engine stops a query at its limit by itself, except while it plans.
_GRACE_SECONDS = 1.0
_OPEN_SECONDS = 60.0
_IDLE_SECONDS = 30.0
_PIPE_BYTES = 1 << 16
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "HOME", "TMPDIR")
Version = tuple[int, int]


@dataclass(eq=False)
class _Child:
    process: subprocess.Popen[bytes]
    version: Version | None = None
    memory_bytes: int = 0  # resident when the files had been opened
    idle_since: float = 0.0
    why: str = ""  # it was killed from here
    _buffer: bytearray = field(default_factory=bytearray)

    def ask(self, request: dict[str, Any], end: float, most_bytes: int) -> Any:
        """The answer to a request. A child that takes too long, or too much, is killed."""
        self._send(pack(request), end)
        output = self.process.stdout
        assert output is not None
        while True:
            if len(self._buffer) >= HEAD.size:
                (length,) = HEAD.unpack_from(self._buffer)
                if len(self._buffer) >= HEAD.size + length:
                    body = bytes(self._buffer[HEAD.size : HEAD.size + length])
                    self._buffer.clear()
                    return unpack(body)
            if select.select([output], [], [], _LOOK_SECONDS)[0]:
                piece = os.read(output.fileno(), _PIPE_BYTES)
                if not piece:
                    raise _Ended
                self._buffer += piece
            elif time.monotonic() > end:
                self.kill("time")
            elif most_bytes and self.resident() > most_bytes:
                self.kill("memory")

    def _send(self, data: bytes, end: float) -> None:
        target: IO[bytes] | None = self.process.stdin
        assert target is not None
        rest = memoryview(HEAD.pack(len(data)) + data)
        while rest:
            if select.select([], [target], [], _LOOK_SECONDS)[1]:
                try:
                    rest = rest[os.write(target.fileno(), rest[:_PIPE_BYTES]) :]
                except BrokenPipeError:
                    raise _Ended from None
            elif time.monotonic() > end:
                self.kill("time")

    def resident(self) -> int:
        try:
            return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * _PAGE_BYTES
        except (OSError, IndexError, ValueError):
            return 0

    def kill(self, why: str) -> None:
        self.why = self.why or why
        self.process.kill()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "graphvine.engines.kuzu.query_child"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
    )  # fmt: skip


class _Ended(Exception):
    """The child is gone."""


class QueryProcesses:
    """As many children as queries run side by side, at most `query_processes`; idle ones end after half a minute."""

    def __init__(self, files: KillSafeFiles, driver: str, settings: Settings) -> None:
        self._files, self._driver, self._settings = files, driver, settings
        self._slots = threading.BoundedSemaphore(settings.query_processes)
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._at_work: dict[int, _Child] = {}
        # A child ends with the thread that started it (PR_SET_PDEATHSIG): one that lives as long as this does.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="graphvine-query-starter")
        self._closed = False

    @contextmanager
    def slot(self, seconds: float) -> Iterator[None]:
        """The right to run one query; take it before the gate of readers, so that nobody waits inside the gate."""
        if not self._slots.acquire(timeout=seconds):
            raise QueryTimeout(f"{self._settings.query_processes} queries run already: try again in a moment")
        try:
            yield
        finally:
            self._slots.release()

    def query(
        self, asked_at: Version, now: Version, text: str, parameters: Mapping[str, Any] | bytes, max_rows: int | None,
        seconds: float, *, encode: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        """Run a query over the files as they were when it was asked, or later; the caller holds the gate of readers.

        With `encode`, columns and rows come as JSON. Parameters may be JSON, too.
        """

        def recent(child: _Child) -> bool:
            """Between checkpoints the log only grows: what was acknowledged before the query was asked is there."""
            return child.version is not None and child.version[0] == now[0] and child.version >= asked_at

        child = self._take(recent)
        keep = False
        with self._lock:
            self._at_work[threading.get_ident()] = child
        try:
            if not recent(child):
                self._open(child, now)
            limit = self._settings.query_memory_mb << 20
            asked = {
                "text": text, "parameters": parameters, "max_rows": max_rows, "seconds": seconds,
                "max_bytes": self._settings.query_answer_mb << 20, "encode": encode,
            }  # fmt: skip
            answer = child.ask(asked, time.monotonic() + seconds + _GRACE_SECONDS, child.memory_bytes + limit)
            keep = True
        except _Ended:
            raise self._why(child, seconds) from None
        finally:
            with self._lock:
                del self._at_work[threading.get_ident()]
            self._give_back(child, keep)
        if "error" in answer:
            raise_error(answer["error"])
        found: dict[str, Any] = answer
        return found

    def interrupt(self, thread: int | None = None) -> None:
        """End the queries that are running, or the one of this thread."""
        with self._lock:
            for owner, child in self._at_work.items():
                if thread in (None, owner):
                    child.kill("interrupt")

    def close(self) -> None:
        self._closed = True
        self.interrupt()
        self._drop_idle(older_than=0.0)
        self._starter.shutdown(wait=False)

    def _open(self, child: _Child, version: Version) -> None:
        opened = {"path": str(self._files.database.resolve()), "log": str(self._files.log), "length": version[1]}
        asked = {**opened, "driver": self._driver, "pool_mb": self._settings.buffer_pool_mb,
                 "threads": self._settings.reader_threads}  # fmt: skip
        with self._files.shared_lock():
            answer = child.ask({"open": asked}, time.monotonic() + _OPEN_SECONDS, 0)
        if "error" in answer:
            raise_error(answer["error"])
        child.version, child.memory_bytes = version, child.resident()

    def _take(self, preferred: Callable[[_Child], bool]) -> _Child:
        with self._lock:
            if self._closed:
                raise StoreError("the graph is about to be closed")
            self._idle.sort(key=preferred)
            if self._idle:
                return self._idle.pop()
        try:
            return _Child(self._starter.submit(_start).result())
        except OSError as error:
            raise StoreError(f"no process can be started for the query ({error.strerror}): try again later") from None
        except RuntimeError:
            raise StoreClosed from None

    def _give_back(self, child: _Child, keep: bool) -> None:
        with self._lock:
            keep = keep and not self._closed and not child.why
            if keep:
                child.idle_since = time.monotonic()
                self._idle.append(child)
        if not keep:
            child.close()
            return
        timer = threading.Timer(_IDLE_SECONDS + 0.1, self._drop_idle)
        timer.daemon = True
        timer.start()

    def _drop_idle(self, older_than: float = _IDLE_SECONDS) -> None:
        end = time.monotonic() - older_than
        with self._lock:
            old = [child for child in self._idle if child.idle_since <= end]
            self._idle = [child for child in self._idle if child not in old]
        for child in old:
            child.close()

    def _why(self, child: _Child, seconds: float) -> QueryError:
        if child.why == "memory":
            most = self._settings.query_memory_mb
            return QueryError(
                f"the query needs more than {most} MB of memory: narrow it, or raise the setting query_memory_mb"
            )
        if child.why:
            return QueryTimeout(
                f"the query took longer than {seconds:g} s, or was interrupted: narrow it, or allow more"
            )
        return QueryError("the query crashed the process that ran it; the graph is unharmed: write it another way")
