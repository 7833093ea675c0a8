"""A process that was killed and not yet collected by its parent is gone for everybody who asks."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphvine.process_state import is_running
from graphvine.reaper import process_is_gone
from graphvine.service_file import announce, file_of, find

_SERVES = """
import sys, threading
from graphvine.service_file import announce
announce(sys.argv[1], "http://127.0.0.1:9", what="test", version="0")
print("announced", flush=True)
threading.Event().wait()
"""


@contextmanager
def zombie(*command: str) -> Iterator[int]:
    """A process that printed a line, was killed, and is still waited for by nobody."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)  # process.kill() would collect one that ended by itself
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and stays uncollected
    try:
        yield process.pid
    finally:
        process.wait()
        process.stdout.close()


def test_a_killed_process_that_nobody_collected_has_ended() -> None:
    with zombie(sys.executable, "-c", "import threading; print('here', flush=True); threading.Event().wait()") as pid:
        os.kill(pid, 0)  # its number is still taken
        assert not is_running(pid)
        assert process_is_gone(f"{socket.gethostname()}:{pid}:ab12")


def test_nobody_waits_for_a_service_that_was_killed_and_not_collected(tmp_path: Path) -> None:
    where = str(tmp_path / "graph.kuzu")
    with zombie(sys.executable, "-c", _SERVES, where):
        assert file_of(where).exists()
        assert find(where) is None


def test_a_process_that_is_stopped_still_runs(tmp_path: Path) -> None:
    where = str(tmp_path / "graph.kuzu")
    process = subprocess.Popen([sys.executable, "-c", _SERVES, where], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        assert is_running(process.pid)
        assert find(where) is not None
    finally:
        process.kill()
        process.communicate()


def test_this_process_runs_and_serves_what_it_announced(tmp_path: Path) -> None:
    announce(str(tmp_path / "graph.kuzu"), "http://127.0.0.1:9", what="test", version="0")
    assert is_running(os.getpid())
    assert find(str(tmp_path / "graph.kuzu")) is not None


def test_a_number_that_no_process_can_have_is_nobody() -> None:
    assert not is_running(10**30)
    assert process_is_gone(f"{socket.gethostname()}:{10**30}:ab12")
    assert not process_is_gone(f"{socket.gethostname()}:²:ab12")
