"""Keeps a library that was read and checked in the cache folder of the user: to read it anew costs every start 0.15 s.

A cached library is named by a hash of all that it was made from: the query files, and the code that reads them. Like
Python's own compiled files it is trusted only where nobody else could have written it, and any that can't be read is
made again.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from importlib.resources.abc import Traversable
from pathlib import Path

from graphvine.queries.model import Library

# Of other versions, dialects and pipelines; the oldest go.
_KEPT = 8


def cached(folders: Iterable[tuple[Traversable, str]], dialect: str, make: Callable[[], Library]) -> Library:
    """The library of these folders, each with the name that it is shown by; made where it is not in the cache."""
    try:
        file = _folder() / f"library-{_name(folders, dialect)}.pickle"
    except RuntimeError:  # a user without a home, as in some containers
        return make()
    if (library := _read(file)) is None:
        library = make()
        with suppress(OSError):  # a cache that can't be written is no reason to fail
            _write(file, library)
    return library


def _folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graphvine" / "libraries"


def _name(folders: Iterable[tuple[Traversable, str]], dialect: str) -> str:
    digest = sha256(repr((sys.version_info[:2], dialect)).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        facts = source.stat()
        digest.update(repr((source.name, facts.st_size, facts.st_mtime_ns)).encode())
    for folder, shown in folders:
        for part in (folder, folder / dialect):
            files = [file for file in part.iterdir() if file.name.endswith(".cypher")] if part.is_dir() else []
            for file in sorted(files, key=lambda file: file.name):
                digest.update(repr((shown, part.name, file.name)).encode() + file.read_bytes())
    return digest.hexdigest()[:32]


def _read(file: Path) -> Library | None:
    try:
        with open(file, "rb") as content:
            facts = os.fstat(content.fileno())
            if facts.st_uid != os.geteuid() or facts.st_mode & 0o022:
                return None
            found = pickle.load(content)
    except Exception:  # whatever a file that is missing, cut or damaged makes of reading: it is written again
        return None
    return found if isinstance(found, Library) else None


def _write(file: Path, library: Library) -> None:
    import tempfile  # not needed where the cache is there

    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix="new-")
    try:
        with open(descriptor, "wb") as content:
            pickle.dump(library, content, pickle.HIGHEST_PROTOCOL)
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise
    # With what a kill left half written; another process may be at the same.
    kept = sorted(file.parent.iterdir(), key=lambda one: one.stat().st_mtime_ns, reverse=True)
    for old in kept[_KEPT:]:
        old.unlink(missing_ok=True)
