"""Processes untrusted input in child processes, with limits on time and memory: input can crash a child, no more.

A task is named as "package.module:function". The child calls the function once with the sandbox's setup; it returns a
handler, which is called with each request (JSON) and its body (bytes) and returns the answer (JSON). Parsers in C hold
the interpreter's lock: in this process a bad input would stop the heartbeats too. The detour costs about a millisecond.
"""

from __future__ import annotations

import asyncio
import os
import queue
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from graphvine.errors import GraphvineError
from graphvine.workers.common.sandbox_child import HEAD, pack, unpack

_START_SECONDS = 60.0
# The child stops itself at its own limit; this is for one that can't.
_GRACE_SECONDS = 10.0
_PIPE_BYTES = 64 * 1024
# No keys and the like near untrusted input.
_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "HOME", "TMPDIR")


class SandboxUnavailable(GraphvineError):
    """No child process can be started, or the sandbox was closed."""


class SandboxFailed(GraphvineError):
    """The input takes too long, needs too much memory, or makes the child fail; it would do so again."""


class PackageMissing(SandboxUnavailable):
    """The task needs a package that is not installed."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not installed")
        self.name = name


class Sandbox:
    """A number of child processes. `call` may be called by several threads; close it at the end."""

    def __init__(
        self, task: str, setup: Any = None, *, seconds: float, memory_bytes: int, verb: str = "parsing",
        processes: int = 1, max_requests: int = 0,
    ) -> None:  # fmt: skip
        """`max_requests`: a child that has handled so many is replaced, for libraries that leak (0: never)."""
        self._start = {"task": task, "setup": setup, "seconds": seconds, "memory_bytes": memory_bytes}
        self._seconds, self._memory_bytes, self._verb, self._max_requests = seconds, memory_bytes, verb, max_requests
        # A place for each child; it is started when it is first needed, and again after it was stopped.
        self._places: queue.LifoQueue[_Child | None] = queue.LifoQueue()
        for _ in range(processes):
            self._places.put(None)
        self._processes, self._closed = processes, threading.Event()
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="graphvine-sandbox")

    def call(self, request: Any, body: bytes = b"") -> Any:
        """The handler's answer; raises SandboxFailed, SandboxUnavailable or PackageMissing."""
        return self._call(request, body, _Cancel())

    async def acall(self, request: Any, body: bytes = b"") -> Any:
        """The same from an event loop. Cancelling it kills the child at work."""
        cancel = _Cancel()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._call, request, body, cancel)
        except asyncio.CancelledError:
            cancel.cancel()
            raise

    def warm(self) -> None:
        """Start a child in the background, so that the first call does not wait for it."""
        self._threads.submit(self._warm)

    def close(self) -> None:
        """Stop the children; waits for calls that are running."""
        if self._closed.is_set():
            return
        self._closed.set()
        for _ in range(self._processes):
            child = self._places.get()
            if child:
                child.stop()
        for _ in range(self._processes):
            self._places.put(None)
        self._threads.shutdown()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, request: Any, body: bytes, cancel: _Cancel) -> Any:
        child = self._places.get()
        try:
            if self._closed.is_set():
                raise SandboxUnavailable("it was closed")
            # A child may be killed from outside, when memory is short: that is not the input's fault, twice is.
            for last in (False, True):
                child = child or _Child(self._start)
                try:
                    with cancel.guarding(child):
                        answer = child.ask(request, body, self._seconds + _GRACE_SECONDS)
                except _ChildEnded:
                    status, child = child.stop(), None
                    if status == -signal.SIGALRM:
                        raise SandboxFailed(f"{self._verb} it takes more than {self._seconds:g} s") from None
                    if last or cancel.cancelled:
                        raise SandboxFailed(f"{self._verb} it crashes the process") from None
                except BaseException:
                    # Interrupted: half an answer in the pipe would be taken for the next one.
                    child.kill()
                    child.stop()
                    child = None
                    raise
                else:
                    child.requests += 1
                    if child.requests == self._max_requests:
                        child.stop()
                        child = None
                    return self._answer(answer)
            raise AssertionError("the second attempt always returns or raises")
        finally:
            self._places.put(child)

    def _answer(self, answer: dict[str, Any]) -> Any:
        if "missing" in answer:
            raise PackageMissing(answer["missing"])
        if answer.get("memory"):
            raise SandboxFailed(f"{self._verb} it takes more than {self._memory_bytes // 1024**2:,} MiB of memory")
        if "error" in answer:
            raise SandboxFailed(f"{self._verb} it fails: {answer['error']}")
        return answer["answer"]

    def _warm(self) -> None:
        child = self._places.get()
        try:
            if child is None and not self._closed.is_set():
                child = _Child(self._start)
        finally:
            self._places.put(child)


class _ChildEnded(Exception):
    """The child is gone, by its own alarm or in another way."""


class _Cancel:
    """Kills the child that works on a call when the call is cancelled, and no other."""

    def __init__(self) -> None:
        self._lock, self._child, self.cancelled = threading.Lock(), None, False

    _child: _Child | None

    def guarding(self, child: _Child) -> _Cancel:
        with self._lock:
            self._child = child
            if self.cancelled:
                child.kill()
        return self

    def __enter__(self) -> None:
        """The child is known."""

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._child = None

    def cancel(self) -> None:
        with self._lock:
            self.cancelled = True
            if self._child is not None:
                self._child.kill()


class _Child:
    """One process and the two pipes to it."""

    def __init__(self, start: dict[str, Any]) -> None:
        self.requests = 0
        # A file, since nobody would read a pipe while the child lives.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            # A session of its own: an interrupt at the terminal is for the parent.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "graphvine.workers.common.sandbox_child"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True,
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            )  # fmt: skip
        except OSError as error:
            self._errors.close()
            raise SandboxUnavailable(str(error)) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        try:
            self.ask(start, b"", _START_SECONDS)
        except _ChildEnded:
            raise SandboxUnavailable(self._complaint()) from None

    def ask(self, message: Any, body: bytes, seconds: float) -> Any:
        """Send one message and read the answer, within the time; raises _ChildEnded."""
        data, received = pack(message), bytearray()
        sending = memoryview(b"".join((HEAD.pack(len(data), len(body)), data, body)))
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._input, selectors.EVENT_WRITE)
            selector.register(self._output, selectors.EVENT_READ)
            while len(received) < HEAD.size or len(received) < HEAD.size + HEAD.unpack_from(received)[0]:
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                if not ready:
                    self.kill()
                    raise _ChildEnded
                for key, _ in ready:
                    if key.fd == self._output:
                        received += self._read()
                        continue
                    sending = sending[self._write(sending) :]
                    if not sending:
                        selector.unregister(self._input)
        return unpack(memoryview(received)[HEAD.size :])

    def kill(self) -> None:
        self._process.kill()

    def stop(self) -> int:
        """End the process, if it has not ended, and return its status."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        # Nothing waits to be written: an answer that was cut is of no use.
        os.set_blocking(self._input, True)
        self._process.stdin.close()
        self._process.stdout.close()
        try:
            status = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._errors.close()
        return status

    def _read(self) -> bytes:
        data = os.read(self._output, _PIPE_BYTES)
        if not data:
            raise _ChildEnded
        return data

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._input, data[:_PIPE_BYTES])
        except BrokenPipeError:
            raise _ChildEnded from None

    def _complaint(self) -> str:
        """The last line that a child wrote before it failed to start."""
        self._process.kill()
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read()[-4000:].decode(errors="replace").strip().splitlines()
        self.stop()
        return lines[-1] if lines else f"it ended with status {self._process.returncode}"
