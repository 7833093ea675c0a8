"""The open database of an embedded engine: its files, its writing connection and a pool of reading ones."""

from __future__ import annotations

import ctypes
import importlib
import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from graphvine.engines.kuzu.alignment import Alignment
from graphvine.engines.kuzu.file_lock import Holder
from graphvine.engines.kuzu.kill_safe import KillSafeFiles
from graphvine.engines.kuzu.session import Session, is_out_of_memory
from graphvine.errors import EngineMissing, GraphvineError, StoreDamaged, StoreError
from graphvine.settings import Settings

T = TypeVar("T")
_log = logging.getLogger("graphvine.store")


@cache
def _trim() -> Callable[[int], int] | None:
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library than GNU's
        return None
    return trim


def give_back() -> None:
    """Hand memory that is free but kept back to the system, where the C library allows it."""
    if trim := _trim():
        trim(0)


# Address space that the database may grow into. Kuzu's default of 8 TiB fails where address space is limited.
MAX_DATABASE_BYTES = 1 << 40
# Each CHECKPOINT of Kuzu keeps about 290 KB until the database is closed (measured: 400 of them, 128 to 234 MB).
_CHECKPOINTS_A_LIFE = 8
# A new connection prepares every statement again, so as many are kept as a service has threads that read.
_READERS_KEPT = 20
_NEARLY_FULL = 0.8


class OpenDatabase:
    def __init__(self, path: Path, driver_name: str, settings: Settings, *, read_only: bool = False) -> None:
        self._path, self._settings, self._read_only = path, settings, read_only
        self._driver = _driver(driver_name)
        # Ladybug needs it too: killed inside a large commit, it refuses its own log on opening (4 of 13 such kills).
        self._bracketed = driver_name in ("kuzu", "ladybug")
        self.files = KillSafeFiles(path, sync=settings.sync)
        self.alignment = Alignment(path, sync=settings.sync)
        self._holder = Holder(path)
        self._readers: list[Session] = []
        self._reading: set[Session] = set()
        self._lock = threading.Lock()
        self._generation = 0
        self._checkpoints = 0
        self._pages_written = self._brackets_ended = 0
        self.recovered = ""
        if read_only:
            self._open_read_only()
            return
        self._holder.take()
        try:
            self._open()
        except BaseException:
            self._holder.drop()
            raise

    def _open(self) -> None:
        is_new = not self._path.exists()
        if self.files.written_elsewhere():
            self.alignment.note()
        if self._bracketed:
            self.recovered = self.files.recover() or self.recovered
        self._open_engine()
        if is_new:
            self._path.chmod(0o600)
        if self._bracketed:
            self.files.opened()

    def _open_engine(self) -> None:
        try:
            self._database = self._driver.Database(
                str(self._path),
                buffer_pool_size=self._settings.buffer_pool_mb << 20,
                max_db_size=MAX_DATABASE_BYTES,
                auto_checkpoint=not self._bracketed,
            )
            self.writing = Session(self._driver, self._database, self._settings.writer_threads)
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise StoreError(
                    f"{self._path} can't be opened with a buffer pool of {self._settings.buffer_pool_mb} MiB: replaying"
                    " its log needs more. Set buffer_pool_mb higher; 'graphvine console --write -c CHECKPOINT'"
                    " folds the log in"
                ) from error
            raise StoreDamaged(
                f"{self._path} can't be opened as a {self._driver.__name__} database: {error}"
            ) from error
        if self._bracketed:
            self.writing.run("CALL force_checkpoint_on_close=false")

    def _open_read_only(self) -> None:
        from graphvine.engines.kuzu.read_only import linked_copy

        folder = linked_copy(self.files)
        try:
            self._database = self._driver.Database(
                str(folder / "graph"), read_only=True, buffer_pool_size=self._settings.buffer_pool_mb << 20,
                max_db_size=MAX_DATABASE_BYTES,
            )  # fmt: skip
            self.writing = Session(self._driver, self._database, self._settings.reader_threads)
        except RuntimeError as error:
            raise StoreDamaged(f"{self._path} can't be opened for reading: {error}") from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def reader(self) -> Iterator[Session]:
        with self._lock:
            generation = self._generation
            session = self._readers.pop() if self._readers else None
        if session is None:
            session = Session(self._driver, self._database, self._settings.reader_threads)
        with self._lock:
            self._reading.add(session)
        try:
            yield session
        finally:
            with self._lock:
                self._reading.discard(session)
                keep = generation == self._generation and not session.worn and len(self._readers) < _READERS_KEPT
                if keep:
                    self._readers.append(session)
            if not keep:
                session.close()

    def pool_use(self) -> int:
        """Bytes of the buffer pool that are in use; all of it, where there is too little left even to ask."""
        try:
            return int(self.writing.prepared("CALL bm_info() RETURN mem_usage", {})[0]["mem_usage"])
        except RuntimeError as error:
            if is_out_of_memory(error):
                return self._settings.buffer_pool_mb << 20
            raise

    def pool_growth(self, before: int) -> int:
        """What was put into the pool since; where it is nearly full, pages made room for it and all of it counts."""
        now = self.pool_use()
        return now if now > (self._settings.buffer_pool_mb << 20) * _NEARLY_FULL else max(0, now - before)

    def interrupt_readers(self) -> None:
        with self._lock:
            for session in self._reading:
                session.interrupt()

    def acknowledge(self, durable: bool = True) -> int:
        """The commit is safe on the disk: it may be acknowledged. Returns the length of the log."""
        if self._bracketed:
            return self.files.acknowledge(durable)
        return self.files.log.stat().st_size if self.files.log.exists() else 0

    @property
    def version(self) -> tuple[int, int]:
        """Names the content of the files: how often pages were written, and the length of the acknowledged log."""
        return self._pages_written, self.files.acknowledged

    @property
    def content(self) -> tuple[int, ...] | None:
        """While it is the same, nothing was written that was not there when it was asked for; None: not known."""
        return (*self.version, self._brackets_ended) if self._bracketed else None

    @contextmanager
    def files_bracket(self) -> Iterator[None]:
        self._pages_written += 1
        try:
            with self.files.bracket() if self._bracketed else nullcontext():
                yield
        finally:
            self._brackets_ended += 1

    def checkpoint(self) -> None:
        """Fold the log in. It takes some 200 MB for a moment, and not on top of what is free but kept."""
        give_back()
        with self.files_bracket():
            self.writing.run("CHECKPOINT")

    def forget_statements(self) -> None:
        self._drop_readers()
        self.writing.close()
        self.writing = Session(self._driver, self._database, self._settings.writer_threads)

    def renew_writer(self) -> None:
        """Plans made for one use are freed with their connection."""
        self.writing.close()
        self.writing = Session(self._driver, self._database, self._settings.writer_threads)

    def refresh(self) -> None:
        """After a checkpoint, with nobody reading: let go of memory, now and then by reopening the files."""
        self._checkpoints += 1
        if self._checkpoints % _CHECKPOINTS_A_LIFE == 0:
            self.reopen()
        give_back()

    def reopen(self) -> None:
        self._pages_written += 1
        self._shut()
        self._open()

    def lend(self, work: Callable[[], T]) -> T:
        """Let another process open the files while this runs. Where it raises, the store has to be reopened."""
        self._close_engine()
        result = work()
        self._open_engine()
        return result

    def close(self, make_room: Callable[[], None] | None = None) -> None:
        """Give the files back, a long log folded in; `make_room` raises where the disk has too little for that."""
        try:
            if make_room is not None and not self._read_only:
                self._fold_log(make_room)
            self._shut()
            give_back()
            if not self._read_only:
                self.files.give_back()  # the lock is ours until it is dropped
        finally:
            self._holder.drop()

    def _fold_log(self, make_room: Callable[[], None]) -> None:
        """A long log takes more room than what it tells, and the next opening would have to read it again."""
        log = self.files.log
        if not log.exists() or log.stat().st_size < self._settings.checkpoint_log_mb << 20:
            return
        self._drop_readers()
        try:
            make_room()
            self.checkpoint()
        except (GraphvineError, RuntimeError, OSError) as error:
            _log.warning("%s: the log stays as it is: %s", self._path, error)

    def _drop_readers(self) -> None:
        with self._lock:
            self._generation += 1
            readers, self._readers = self._readers, []
        for session in readers:
            session.close()

    def _shut(self) -> None:
        self._close_engine()
        self.files.close()

    def _close_engine(self) -> None:
        self._drop_readers()
        # After a failed statement the engine may raise on closing too; what it holds is thrown away in any case.
        with suppress(RuntimeError):
            self.writing.close()
        with suppress(RuntimeError):
            self._database.close()


def _driver(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise EngineMissing(f"the engine {name!r} is not installed: pip install 'graphvine[{name}]'") from error
