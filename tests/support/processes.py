"""Processes that a test starts, hears from and kills.

They are forked from a server that has everything imported and nothing open, so that one costs milliseconds; each is
a real process, and SIGKILL ends it as it would end any other. The engine is never opened in the test's own process:
what makes the engine crash fails one test, not the run.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

from tests.support.waiting import WAIT_LIMIT

_context = multiprocessing.get_context("forkserver")
Send = Callable[[Any], None]


def prepare(*modules: str) -> None:
    """Have these imported before the first process is started."""
    _context.set_forkserver_preload(["pytest", *modules])


class ChildDied(AssertionError):
    """A process ended by itself, without a word."""


class Child:
    """Runs `work(send, *arguments)`, a function of a module, in a process of its own."""

    def __init__(self, work: Callable[..., Any], *arguments: Any) -> None:
        self._hears, sends = _context.Pipe(duplex=False)
        self._process = _context.Process(target=_run, args=(work, sends, arguments), daemon=True)
        self._process.start()
        sends.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def hear(self) -> Any:
        """What it says next; what it raised is raised here."""
        if not self._hears.poll(WAIT_LIMIT):
            self.kill()
            raise ChildDied(f"no word for {WAIT_LIMIT} s")
        try:
            kind, said = self._hears.recv()
        except EOFError:
            self._process.join()
            raise ChildDied(f"ended with status {self._process.exitcode}") from None
        if kind == "raised":
            raise AssertionError(f"in the child: {said}")
        return said

    def says_nothing_for(self, seconds: float) -> bool:
        """Let it live for so long; False as soon as it says something, or ends."""
        return not self._hears.poll(seconds)

    def wait_for_death(self) -> None:
        """Until it is gone, by `die_after` or its own end."""
        self._process.join(WAIT_LIMIT)
        assert not self._process.is_alive(), "it lives on"

    def kill(self) -> None:
        """SIGKILL, now. Nothing is there of it when this returns."""
        if self._process.is_alive():
            with suppress(ProcessLookupError):  # it came to its end meanwhile
                os.kill(self.pid, signal.SIGKILL)
        self._process.join()

    def leftovers(self) -> list[Any]:
        """What it had said before it was killed and nobody has heard yet."""
        said = []
        try:
            while self._hears.poll(0):
                kind, word = self._hears.recv()
                if kind == "raised":
                    raise AssertionError(f"in the child: {word}")
                said.append(word)
        except EOFError:
            pass
        return said


def run(work: Callable[..., Any], *arguments: Any) -> Any:
    """Run this in a process of its own to its end; returns what it returned."""
    with Child(work, *arguments) as child:
        said = child.hear()
        while not isinstance(said, _Returned):
            said = child.hear()
        return said.value


def die_after(seconds: float) -> None:
    """In the child: have the system end this process so soon, whatever it is doing then.

    Nothing of it runs any more, as after SIGKILL from outside; but the moment does not depend on when a busy machine
    lets the parent run.
    """
    if seconds <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
    signal.setitimer(signal.ITIMER_REAL, seconds)  # nobody handles SIGALRM here: it ends the process


class _Returned:
    def __init__(self, value: Any) -> None:
        self.value = value


def _run(work: Callable[..., Any], sends: Connection, arguments: tuple[Any, ...]) -> None:
    def send(said: Any) -> None:
        sends.send(("said", said))

    try:
        send(_Returned(work(send, *arguments)))
    except BaseException:
        sends.send(("raised", traceback.format_exc()))
    finally:
        sends.close()
    os._exit(0)  # an engine's threads and destructors have no say in how a test's process ends
