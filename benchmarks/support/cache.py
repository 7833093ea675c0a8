"""Filled stores are kept between runs, since making one of a million rows takes longer than measuring it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def cache_folder() -> Path:
    """A folder of this user's own under the system's temporary folder."""
    folder = Path(tempfile.gettempdir()) / f"graphvine-benchmarks-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to somebody else; remove it or set TMPDIR to another folder")
    return folder


def cached(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of this name in the cache; where there is none, `make` fills one first."""
    folder = cache_folder() / name
    if not folder.exists():
        building = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=cache_folder()))
        try:
            make(building)
            try:
                building.rename(folder)
            except OSError:
                # Another run may have been quicker: then its folder stays.
                if not folder.exists():
                    raise
        finally:
            shutil.rmtree(building, ignore_errors=True)
    return folder


def copy_folder(source: Path, target: Path) -> None:
    """Replace `target` by a copy that is on the disk, so that no later sync pays for the copying."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    for file in target.rglob("*"):
        if file.is_file():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())
