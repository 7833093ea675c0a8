"""The child of query_process.py: opens the files read-only and answers one query after another, until its pipe ends."""

from __future__ import annotations

import ctypes
import importlib
import os
import resource
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from graphvine.engines.http.wire import pack, pack_error, unpack
from graphvine.engines.kuzu.database import MAX_DATABASE_BYTES
from graphvine.engines.kuzu.query_process import HEAD
from graphvine.engines.kuzu.session import Session, sentence
from graphvine.errors import GraphvineError, QueryError, QueryTimeout, StoreError
from graphvine.json_text import decode_parameters, encode
from graphvine.units import check_texts

_PR_SET_PDEATHSIG = 1
_NICE = 5


def main() -> None:
    with suppress(OSError, AttributeError):  # Linux: end with the parent, even in the middle of a query
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C at the terminal is for the parent
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(_NICE)
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not write into the answers
    opened = Opened()
    while (asked := _read(requests)) is not None:
        answer = opened.answer(asked)
        answers.write(HEAD.pack(len(answer)) + answer)
        answers.flush()


class Opened:
    """The files as they were at one moment."""

    def __init__(self) -> None:
        self._driver: Any = None
        self._database: Any = None
        self._session: Session | None = None
        self._threads = 1

    def answer(self, asked: dict[str, Any]) -> bytes:
        try:
            if "open" in asked:
                self._open(asked["open"])
                return pack({"opened": True})
            return pack(self._query(asked))
        except GraphvineError as error:
            return pack_error(error)
        except MemoryError:
            return pack_error(QueryError("the query needs more memory than there is: narrow it"))
        except Exception as error:
            return pack_error(QueryError(f"the query can't be run: {type(error).__name__}: {sentence(error)}"))

    def _open(self, asked: dict[str, Any]) -> None:
        self._shut()
        self._driver, self._threads = importlib.import_module(asked["driver"]), asked["threads"]
        folder = Path(tempfile.mkdtemp(prefix="graphvine-query-"))
        try:
            (folder / "graph").symlink_to(asked["path"])
            if asked["length"]:
                _copy(Path(asked["log"]), folder / "graph.wal", asked["length"])
            try:
                self._database = self._driver.Database(
                    str(folder / "graph"), read_only=True, buffer_pool_size=asked["pool_mb"] << 20,
                    max_db_size=MAX_DATABASE_BYTES,
                )  # fmt: skip
                self._session = Session(self._driver, self._database, self._threads)
            except RuntimeError as error:
                raise StoreError(f"the graph can't be opened for the query: {sentence(error)}") from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        # Closing any descriptor of a file drops the process's lock on it: the parent must be able to open it again.
        os.close(os.open(asked["path"], os.O_RDONLY | os.O_CLOEXEC))

    def _query(self, asked: dict[str, Any]) -> dict[str, Any]:
        session, seconds = self._session, float(asked["seconds"])
        if session is None:
            raise StoreError("nothing is open")
        parameters = asked["parameters"]
        if isinstance(parameters, bytes):
            parameters = decode_parameters(parameters)
            check_texts(parameters, "the query's parameters")
        try:
            with session.read_only():
                found = session.table(
                    asked["text"], parameters, asked["max_rows"], int(seconds * 1000), asked["max_bytes"]
                )
        except RuntimeError as error:
            if "Interrupted" in str(error):
                raise QueryTimeout(
                    f"the query took longer than {seconds:g} s, or was interrupted: narrow it, or allow more"
                ) from None
            raise QueryError(sentence(error)) from None
        finally:
            if session.worn:
                session.close()
                self._session = Session(self._driver, self._database, self._threads)
        if not asked["encode"]:
            return {"columns": found.columns, "rows": found.rows, "truncated": found.truncated}
        rows = encode(found.rows)
        if len(rows) > 2 * asked["max_bytes"]:  # escapes and the names in maps are more than what was counted
            raise QueryError(f"the answer has more than {2 * asked['max_bytes'] >> 20} MB as JSON: return less")
        return {
            "columns": encode(found.columns), "rows": rows, "count": len(found.rows), "truncated": found.truncated
        }  # fmt: skip

    def _shut(self) -> None:
        for one in (self._session, self._database):
            if one is not None:
                with suppress(RuntimeError):
                    one.close()
        self._session = self._database = None


def _copy(source: Path, target: Path, length: int) -> None:
    with source.open("rb") as read, target.open("wb") as write:
        done = 0
        while done < length:
            sent = os.sendfile(write.fileno(), read.fileno(), done, length - done)
            if not sent:
                raise StoreError("the log is shorter than what was acknowledged")
            done += sent


def _read(source: BinaryIO) -> Any:
    head = source.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    (length,) = HEAD.unpack(head)
    body = source.read(length)
    return unpack(body) if len(body) == length else None


if __name__ == "__main__":
    main()
