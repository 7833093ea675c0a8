"""The files of an embedded store, kept whole through a kill at any moment.

Kuzu 0.11.3 writes pages in place during CHECKPOINT and COPY before its log says that they are complete: a kill there
breaks the store. So both run inside a bracket. Before it, the database, its log and the marks are copied into the
folder `.spare`, which is renamed to `.safe` when it is whole; after it, it is renamed back. If `.safe` is there on
opening, a bracket was cut short, and the copy is the truth. Recovery puts each file back by copy and rename, so that a
kill during recovery changes nothing. What is in `.spare` is never trusted.

Where the file system shares blocks between files (XFS, Btrfs), a copy is a clone, whatever the size. Elsewhere `.spare`
is kept until the store is closed, so that the next bracket needs to write only the pages that changed (comparing 120 MB
takes 40 ms here, copying and syncing them 150). benchmarks/checkpoint.py measures both.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from graphvine.engines.kuzu import file_copies
from graphvine.engines.kuzu.marks import Marks, private, private_size
from graphvine.errors import StoreDamaged

# Bytes of pages that a checkpoint writes beside the file for each byte of log, at most.
_PAGES_PER_LOG = 32


class KillSafeFiles:
    """One database file with what stands beside it: `.wal`, `.marks`, and during a bracket `.safe`."""

    def __init__(self, database: Path, *, sync: bool = True) -> None:
        self.database = database
        self.log = _beside(database, ".wal")
        self.safe = _beside(database, ".safe")
        self.spare = _beside(database, ".spare")
        self.marks_file = _beside(database, ".marks")
        self._sync = sync
        self._marks: Marks | None = None
        # Kept open while the store is: closing any descriptor of the file would drop the lock that Kuzu has on it.
        self._database_fd: int | None = None
        self._sharing, self._sharing_lock = 0, threading.Lock()

    @property
    def acknowledged(self) -> int:
        """The length of the log that was acknowledged."""
        return self._marks.length if self._marks is not None else 0

    @contextmanager
    def shared_lock(self) -> Iterator[None]:
        """Inside it, processes of ours can open the database file read-only: the engine's lock lets nobody in."""
        with self._sharing_lock:
            self._sharing += 1
            self._lock_database(fcntl.LOCK_SH)
        try:
            yield
        finally:
            with self._sharing_lock:
                self._sharing -= 1
                if not self._sharing:
                    self._lock_database(fcntl.LOCK_EX)

    def _lock_database(self, kind: int) -> None:
        if self._database_fd is not None:
            with suppress(BlockingIOError, PermissionError):  # a reader that is not ours got in: it only reads
                fcntl.lockf(self._database_fd, kind | fcntl.LOCK_NB)

    @property
    def parts(self) -> list[Path]:
        """Every file that a bracket must be able to put back, with those that a cut checkpoint of the engine leaves."""
        engine_s_own = [_beside(self.database, ending) for ending in (".shadow", ".wal.checkpoint")]
        return [self.database, self.log, *engine_s_own, self.marks_file]

    def recover(self) -> str:
        """Make the files whole before the engine sees them; tells what was done, in words, '' for nothing."""
        shutil.rmtree(_beside(self.database, ".safe.new"), ignore_errors=True)
        done = []
        if self.safe.exists():
            self._put_back()
            done.append("an interrupted checkpoint was put back")
        length = self.log.stat().st_size if self.log.exists() else 0
        if not self.marks_file.exists():
            # A store that plain Kuzu wrote has no marks: its log is taken as it is.
            Marks.create(self.marks_file, length if self.database.exists() else 0)
        marks = Marks(self.marks_file, sync=self._sync)
        try:
            if length > marks.length:
                os.truncate(self.log, marks.length)
                done.append(f"{length - marks.length} unacknowledged bytes of the log were cut")
            elif length < marks.length and self.written_elsewhere():
                marks.set(length)
                done.append("another program had it open since, and folded the log into it")
            elif length < marks.length:
                raise StoreDamaged(
                    f"{self.log} has {length} bytes, but {marks.length} were acknowledged: restore a backup with"
                    " 'graphvine restore', or remove the .marks file to open what is left"
                )
            if self.written_elsewhere():
                marks.set(marks.length)  # that was noticed: the mark is the younger one again
            if self.log.exists() and not self.database.exists():
                # Kuzu dies on opening a log without its database. With nothing acknowledged there is nothing to keep.
                if marks.length:
                    raise StoreDamaged(f"{self.database} is gone but its log {self.log} is there: restore a backup")
                self.log.unlink()
        finally:
            marks.close()
        return "; ".join(done)

    def written_elsewhere(self) -> bool:
        """Only a bracket of ours changes the database, and a mark follows it: a newer database is another program's."""
        if not self.database.exists() or not self.marks_file.exists():
            return self.database.exists()
        return self.database.stat().st_mtime_ns > self.marks_file.stat().st_mtime_ns

    def opened(self) -> None:
        """The engine has the store open now."""
        self._marks = Marks(self.marks_file, sync=self._sync)
        self._database_fd = os.open(self.database, os.O_RDWR | os.O_CLOEXEC)

    def acknowledge(self, durable: bool = True, *, anew: bool = False) -> int:
        """After a commit, before it is acknowledged to anybody. Returns the log's length.

        A mark that is not durable survives a kill, but not a power cut, until the next one that is. `anew`: also where
        the length is the same, since a mark has to be younger than the database.
        """
        assert self._marks is not None, "acknowledge before opened"
        length = private_size(self.log)
        if anew or length != self._marks.length:
            self._marks.set(length, durable)
        return length

    @contextmanager
    def bracket(self) -> Iterator[None]:
        """Inside it, CHECKPOINT and COPY survive a kill. No write may be in progress.

        If the body raises, the copy stays: the store must be closed and recovered before it is used again.
        """
        self.spare.mkdir(0o700, exist_ok=True)
        for part in self.parts:
            if part.exists():
                self._mirror(part, self.spare / part.name)
            else:
                (self.spare / part.name).unlink(missing_ok=True)
        self._sync_folder(self.spare)
        self.spare.rename(self.safe)
        self._sync_folder(self.safe.parent)
        yield
        if self._sync and self._database_fd is not None:
            os.fsync(self._database_fd)
        self.acknowledge(anew=True)
        self._disarm()

    def bracket_bytes(self) -> int:
        """About how much room a bracket takes: the copy, less the one that is kept, and pages that are written anew."""
        sizes = {part: part.stat().st_size for part in self.parts if part.exists()}
        copies = ((size, self.spare / part.name) for part, size in sizes.items())
        growth = sum(max(0, size - (copy.stat().st_size if copy.exists() else 0)) for size, copy in copies)
        log = sizes.get(self.log, 0)
        return growth + min(sizes.get(self.database, 0), _PAGES_PER_LOG * log) + log

    def copy_to(self, folder: Path) -> list[Path]:
        """Copy the database, its log and the marks as they are; no write may be in progress."""
        copied = []
        for part in self.parts:
            if part.exists():
                self._copy(part, folder / part.name)
                copied.append(folder / part.name)
        return copied

    def put_in_place(self, content: dict[Path, Path]) -> None:
        """Replace the whole store by these files; a kill leaves the old one or the new one."""
        new = _beside(self.database, ".safe.new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(0o700)
        for part, source in content.items():
            self._copy(source, new / part.name)
        self._sync_folder(new)
        if self.safe.exists():
            self._put_back()  # a checkpoint was cut: until the new files are armed, the old store must be whole
        # From here on, the next opening would put these files in place by itself.
        new.rename(self.safe)
        self._sync_folder(self.safe.parent)
        self._put_back()

    def close(self) -> None:
        if self._marks is not None:
            self._marks.close()
            self._marks = None
        if self._database_fd is not None:
            os.close(self._database_fd)
            self._database_fd = None

    def give_back(self) -> None:
        """Remove the copy of the last bracket: nobody has the store open any more, and the next one copies anew."""
        shutil.rmtree(self.spare, ignore_errors=True)

    def _put_back(self) -> None:
        whole = [part for part in self.parts if (self.safe / part.name).exists()]
        for part in self.parts:
            if part not in whole:
                part.unlink(missing_ok=True)
        for part in whole:
            self._restore(self.safe / part.name, part)
        self._sync_folder(self.safe.parent)
        self._disarm()

    def _restore(self, copy: Path, part: Path) -> None:
        temporary = _beside(part, ".back")
        try:
            self._copy(copy, temporary)
            temporary.replace(part)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            if error.errno != errno.ENOSPC:
                raise
            # No room for a second copy: written over the old content. The copy stays the truth until all is done.
            self._mirror(copy, part)

    def _disarm(self) -> None:
        shutil.rmtree(self.spare, ignore_errors=True)  # there only if a backup was put in place in between
        self.safe.rename(self.spare)
        self._sync_folder(self.spare.parent)

    def _mirror(self, source: Path, target: Path) -> None:
        """Make the target equal to the source, writing only what differs."""
        with self._reading(source) as read:
            write = os.open(target, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                if file_copies.mirror(read, write) and self._sync:
                    os.fsync(write)
            finally:
                os.close(write)

    def _copy(self, source: Path, target: Path) -> None:
        with self._reading(source) as read, open(target, "wb", opener=private) as write:
            file_copies.copy(read, write.fileno())
            if self._sync:
                os.fsync(write.fileno())

    @contextmanager
    def _reading(self, source: Path) -> Iterator[int]:
        if source == self.database and self._database_fd is not None:
            yield self._database_fd
            return
        fd = os.open(source, os.O_RDONLY | os.O_CLOEXEC)
        try:
            yield fd
        finally:
            os.close(fd)

    def _sync_folder(self, folder: Path) -> None:
        if self._sync:
            file_copies.sync(folder)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
