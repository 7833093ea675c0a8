"""Parses pages in processes of their own, so that no wikitext can hang, crash or fill the one that works.

The tokenizer is C and holds the interpreter's lock: in this process a bad page would stop the heartbeats too.
The detour costs about a millisecond a page.
"""

from __future__ import annotations

import json
import os
import queue
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict
from typing import IO, Any

from graphvine.workers.wikipedia.errors import ParserUnavailable
from graphvine.workers.wikipedia.parse_child import page_as_json
from graphvine.workers.wikipedia.parsed import Malformed, ParsedPage
from graphvine.workers.wikipedia.precheck import Limits
from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Page
from graphvine.workers.wikipedia.wikitext import MAIN_ONLY

_START_SECONDS = 60.0
# The child stops itself at its own limit; this is for one that can't.
_GRACE_SECONDS = 10.0
_PIPE_BYTES = 64 * 1024


class _ChildEnded(Exception):
    """The child is gone, by its own alarm or in another way."""


class Parser:
    """A number of parsing processes. `parse` may be called by several threads; close it at the end."""

    def __init__(
        self,
        rules: SiteRules,
        limits: Limits = Limits(),
        *,
        processes: int = 1,
        link_namespaces: frozenset[int] = MAIN_ONLY,
    ) -> None:
        self._limits = limits
        self._setup = {"rules": rules.as_json(), "limits": asdict(limits), "namespaces": sorted(link_namespaces)}
        # A place for each process; it is started when it is first needed, and again after it was stopped.
        self._places: queue.LifoQueue[_Child | None] = queue.LifoQueue()
        for _ in range(processes):
            self._places.put(None)
        self._processes, self._closed = processes, threading.Event()

    def parse(self, page: Page) -> ParsedPage | Malformed:
        """What the page says, or why it can't be said; raises ParserUnavailable if no process can be started."""
        child = self._places.get()
        try:
            if self._closed.is_set():
                raise ParserUnavailable("it was closed")
            # A child may be ended from outside, when memory is short: that is not the page's fault, twice is.
            for last in (False, True):
                child = child or _Child(self._setup, self._limits)
                try:
                    answer = child.ask(page_as_json(page), self._limits.parse_seconds + _GRACE_SECONDS)
                except _ChildEnded:
                    status, child = child.stop(), None
                    reason = _reason(status, self._limits)
                    if reason or last:
                        return Malformed(page.title, reason or "it ends the process that parses it")
                else:
                    if "malformed" in answer:
                        return Malformed(page.title, answer["malformed"])
                    return ParsedPage.from_json(answer)
            raise AssertionError("the second attempt always returns")
        finally:
            self._places.put(child)

    def close(self) -> None:
        """Stop the processes; waits for pages that are being parsed."""
        if self._closed.is_set():
            return
        self._closed.set()
        for _ in range(self._processes):
            child = self._places.get()
            if child:
                child.stop()
        for _ in range(self._processes):
            self._places.put(None)

    def __enter__(self) -> Parser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _reason(status: int, limits: Limits) -> str:
    """Why a page ended its process, where the status tells."""
    if status == -signal.SIGALRM:
        return f"parsing it takes more than {limits.parse_seconds:g} s"
    return ""


class _Child:
    """One process and the two pipes to it."""

    def __init__(self, setup: dict[str, Any], limits: Limits) -> None:
        # A file, since nobody would read a pipe while the child lives.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        command = [sys.executable, "-P", "-m", "graphvine.workers.wikipedia.parse_child"]
        try:
            # A session of its own: an interrupt at the terminal is the parent's business.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise ParserUnavailable(str(error)) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        try:
            self.ask(setup, _START_SECONDS)
        except _ChildEnded:
            raise ParserUnavailable(self._complaint()) from None

    def ask(self, message: dict[str, Any], seconds: float) -> Any:
        """Send one line and read one line, within the time; raises _ChildEnded."""
        sending, received = memoryview(json.dumps(message).encode() + b"\n"), bytearray()
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._input, selectors.EVENT_WRITE)
            selector.register(self._output, selectors.EVENT_READ)
            while not received.endswith(b"\n"):
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                if not ready:
                    self._process.kill()
                    raise _ChildEnded
                for key, _ in ready:
                    if key.fd == self._output:
                        received += self._read()
                        continue
                    sending = sending[self._write(sending) :]
                    if not sending:
                        selector.unregister(self._input)
        return json.loads(received)

    def stop(self) -> int:
        """End the process, if it has not ended, and say how it ended."""
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
        """The last thing that a child wrote before it failed to start."""
        self._process.kill()
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read()[-4000:].decode(errors="replace").strip().splitlines()
        self.stop()
        return lines[-1] if lines else f"it ended with status {self._process.returncode}"
