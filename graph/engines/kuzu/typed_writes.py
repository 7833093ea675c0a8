"""Statements that somebody typed, and the room they need on the disk, which is not known before.

What changes rows is in memory until its commit, and weighed there. What writes pages past the log (COPY, an index) runs
in a process of its own: where the disk is full when it ends, the engine ends its process. What that one wrote is undone
by the bracket of kill_safe.py, which the caller holds.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import re
import resource
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from graphvine.disk_space import DiskSpace
from graphvine.engines.http.wire import pack, unpack
from graphvine.engines.kuzu.database import MAX_DATABASE_BYTES, OpenDatabase
from graphvine.engines.kuzu.session import Session, sentence
from graphvine.errors import StoreFull
from graphvine.records import QueryResult
from graphvine.settings import Settings

_WRITES_PAGES = re.compile(r"(?i)\b(COPY|CHECKPOINT|IMPORT|INSTALL|(CREATE|DROP)_\w+_INDEX|LOAD\s+EXTENSION)\b")
# They are for this process: an extension is loaded into the one that asks for it.
_HERE = re.compile(r"(?i)\b(CHECKPOINT|INSTALL|LOAD\s+EXTENSION)\b")
_CHANGES_TABLES = re.compile(r"(?i)\s*(CREATE\s+(NODE|REL)\s+TABLE|ALTER|DROP|COMMENT|CREATE\s+SEQUENCE)\b")
_LOOK_SECONDS = 0.02
_PIPE_BYTES = 1 << 16
_PR_SET_PDEATHSIG = 1


def writes_pages(text: str) -> bool:
    return _WRITES_PAGES.search(text) is not None


class TypedWrites:
    def __init__(self, path: Path, driver: str, settings: Settings, disk: DiskSpace) -> None:
        self._path, self._driver, self._settings, self._disk = path, driver, settings, disk
        self._extended = False  # somebody loaded an extension into this process

    def run_in_transaction(self, database: OpenDatabase, text: str, given: Mapping[str, Any]) -> QueryResult:
        """Run a statement of a transaction; StoreFull where the commit needs more room than there is."""
        held = database.pool_use()
        result = database.writing.table(text, given)
        if not _CHANGES_TABLES.match(text):  # a new table takes memory, and next to no room on the disk
            self._disk.refuse_any(lambda: database.pool_growth(held))
        return result

    def run_alone(self, database: OpenDatabase, text: str, given: Mapping[str, Any]) -> QueryResult:
        """Run a statement that writes pages, in a child where that can be."""
        if _HERE.search(text) or self._extended or not _can_be_sent(given):
            self._extended |= "EXTENSION" in text.upper()
            return database.writing.table(text, given)
        return database.lend(lambda: self._run_in_child(text, given))

    def _run_in_child(self, text: str, given: Mapping[str, Any]) -> QueryResult:
        """Over files that nobody has open. It is ended where the disk runs full."""
        asked = pack({
            "path": str(self._path), "driver": self._driver, "pool_mb": self._settings.buffer_pool_mb,
            "threads": self._settings.writer_threads, "text": text, "parameters": dict(given),
        })  # fmt: skip
        child = subprocess.Popen(
            [sys.executable, "-m", "graphvine.engines.kuzu.typed_writes", str(os.getpid())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            answer = _exchange(child, asked, self._disk)
        finally:
            child.kill()
            child.wait()
        if not answer:
            if (shortage := self._disk.shortage()) is not None:
                raise StoreFull(shortage)
            raise RuntimeError("the engine ended in the middle of it")
        found = unpack(answer)
        if "error" in found:
            raise RuntimeError(found["error"])
        return QueryResult(found["columns"], found["rows"])


def _can_be_sent(given: Mapping[str, Any]) -> bool:
    """Parameters may be objects that only this process has, such as tables."""
    try:
        pack(dict(given))
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _exchange(child: subprocess.Popen[bytes], asked: bytes, disk: DiskSpace) -> bytes:
    """What it answers; nothing where it ended before. StoreFull where the disk runs full meanwhile."""
    assert child.stdin is not None and child.stdout is not None
    with child.stdin, child.stdout:
        sending = threading.Thread(target=_send, args=(child.stdin, asked), daemon=True)
        sending.start()
        try:
            answer = bytearray()
            while True:
                if select.select([child.stdout], [], [], _LOOK_SECONDS)[0]:
                    if not (piece := os.read(child.stdout.fileno(), _PIPE_BYTES)):
                        return bytes(answer)
                    answer += piece
                disk.refuse_any()
        finally:
            child.kill()
            sending.join()


def _send(target: Any, data: bytes) -> None:
    with suppress(OSError, ValueError):
        target.write(data)
        target.close()


def main() -> None:
    with suppress(OSError, AttributeError):  # Linux: end with the parent
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(sys.argv[1]):
        os._exit(1)  # it is gone already, and another process may have the files
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C at the terminal is for the parent
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    asked, answers = unpack(sys.stdin.buffer.read()), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not write into the answer
    try:
        answer = pack(_run(asked))
    except Exception as error:
        answer = pack({"error": sentence(error)})
    answers.write(answer)
    answers.flush()
    os._exit(0)  # without closing: after a failed statement the engine may end the process there


def _run(asked: Mapping[str, Any]) -> dict[str, Any]:
    driver = importlib.import_module(asked["driver"])
    database = driver.Database(
        asked["path"], buffer_pool_size=asked["pool_mb"] << 20, max_db_size=MAX_DATABASE_BYTES, auto_checkpoint=False
    )
    session = Session(driver, database, asked["threads"])
    session.run("CALL force_checkpoint_on_close=false")
    found = session.table(asked["text"], asked["parameters"])
    session.run("CHECKPOINT")
    session.close()
    database.close()
    return {"columns": found.columns, "rows": found.rows}


if __name__ == "__main__":
    main()
