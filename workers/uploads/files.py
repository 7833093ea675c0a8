"""Files as they come: their hash, our own copy of what comes through a pipe, and whether a file is still the same."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from graphvine.process_state import is_running
from graphvine.workers.uploads.errors import FileAway, FileFault
from graphvine.workers.uploads.record import Upload

_AT_ONCE = 1 << 20
Watch = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a file: enough to see later whether it is still the same."""

    path: Path
    size: int
    time: int
    sha256: str


def there(path: Path) -> None:
    """See to it that there is a file of this name."""
    if not path.is_file():
        raise FileFault(
            f"{path} is {'no file' if path.exists() else 'not there'}: give the path of a file, or - for standard input"
        )


def read_file(path: Path, watch: Watch | None = None) -> Known:
    """Hash a file."""
    there(path)
    with path.open("rb") as file:
        stat = os.fstat(file.fileno())
        digest = hashlib.sha256()
        done = 0
        while piece := file.read(_AT_ONCE):
            digest.update(piece)
            done += len(piece)
            if watch is not None:
                watch(done, stat.st_size)
    return Known(path.resolve(), done, stat.st_mtime_ns, digest.hexdigest())


def spool(stream: BinaryIO, folder: Path, most: int, watch: Watch | None = None) -> Known:
    """Keep what comes through a pipe as a file of ours, hashed on the way."""
    folder.mkdir(0o700, parents=True, exist_ok=True)
    part = folder / f"{os.getpid()}-{secrets.token_hex(4)}.part"
    digest, done = hashlib.sha256(), 0
    try:
        with part.open("wb") as file:
            while piece := stream.read(_AT_ONCE):
                done += len(piece)
                if done > most:
                    raise FileFault(f"more than {most:,} bytes came in, which is the most that a file may have")
                digest.update(piece)
                file.write(piece)
                if watch is not None:
                    watch(done, 0)
            file.flush()
            os.fsync(file.fileno())
        kept = folder / digest.hexdigest()
        part.replace(kept)
    finally:
        part.unlink(missing_ok=True)
    return Known(kept.resolve(), done, kept.stat().st_mtime_ns, digest.hexdigest())


def sweep(folder: Path, wanted: Iterable[str]) -> None:
    """Remove copies that no upload wants: a kill may have come between the last word about one and its removal."""
    if not folder.is_dir():
        return
    names = set(wanted)
    for path in folder.iterdir():
        process = path.name.partition("-")[0]
        ours = path.suffix == ".part" and process.isdecimal() and is_running(int(process))
        if path.name not in names and not ours:
            path.unlink(missing_ok=True)


def same_file(upload: Upload) -> Known | None:
    """See to it that the file is the one that was uploaded; what is new to know where its time has changed."""
    path = upload.file
    try:
        stat = path.stat()
    except OSError:
        raise FileAway(upload.upload_id, upload.path, "is not there") from None
    if stat.st_size != upload.file_size:
        raise FileAway(upload.upload_id, upload.path, "is another file now")
    if stat.st_mtime_ns == upload.file_time:
        return None
    known = read_file(path)
    if known.sha256 != upload.sha256:
        raise FileAway(upload.upload_id, upload.path, "is another file now")
    return known
