"""Commands that the tools start, and the promise that none of what they started outlives them.

Whatever a test starts is a descendant of the tool: with the tool as a "subreaper" the system hands it the orphans, too,
whichever session or process group they have moved to.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType

import psutil

_SET_CHILD_SUBREAPER = 36  # prctl(2)
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Commands that run beside the tests (installations), by their process.
_beside: dict[int, subprocess.Popen[bytes]] = {}
_lock = threading.Lock()
_over = threading.Event()
_adopts = False  # whether orphans come to this process


class Interrupted(SystemExit):
    """A signal asks for the end; `code` is the exit status that says so."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.signal = signal.Signals(number).name


@contextlib.contextmanager
def nothing_left_behind() -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP raise Interrupted in here; at the end, every process that was started is ended."""
    global _adopts
    _adopts = ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    before = {number: signal.signal(number, _interrupt) for number in _SIGNALS}
    try:
        yield
    finally:
        with _lock:
            _over.set()
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)  # one is enough
        end_descendants(beside_too=True)
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise Interrupted(number)


def end_descendants(*, beside_too: bool = False) -> None:
    """SIGKILL to every descendant of this process, until there is none; what runs beside the tests may go on.

    Outside of `nothing_left_behind` nothing is known of orphans, and nothing is done.
    """
    while _adopts and (left := _descendants(beside_too)):
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(left, timeout=1)


def _descendants(beside_too: bool) -> list[psutil.Process]:
    found = psutil.Process().children(recursive=True)
    if beside_too:
        return found
    with _lock:
        spared = set(_beside)
    for pid in list(spared):
        with contextlib.suppress(psutil.NoSuchProcess):
            spared |= {child.pid for child in psutil.Process(pid).children(recursive=True)}
    return [process for process in found if process.pid not in spared]


def run_beside(command: tuple[str, ...], cwd: Path, environment: Mapping[str, str], seconds: float) -> None:
    """Run a command to its end in any thread, while tests run; raises where it fails."""
    with _lock:
        if _over.is_set():
            raise OSError("stopped")
        process = subprocess.Popen(command, cwd=cwd, env=environment)
        _beside[process.pid] = process
    try:
        status = process.wait(seconds)
    finally:
        process.kill()
        process.wait()
        with _lock:
            del _beside[process.pid]
    if status != 0:
        raise subprocess.CalledProcessError(status, command)
