"""A small file system of a test's own, which is gone with the test, however that ends."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

# Waits for the end of its input, which comes with the end of this process, a kill included.
_UNMOUNT = 'read -r _; exec umount --lazy "$1"'


@contextmanager
def small_disk(folder: Path, megabytes: int = 64) -> Iterator[Path]:
    """A file system of this size at `folder`; skips the test where that can't be made."""
    with _mounted(folder, ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]) as disk:
        yield disk


@contextmanager
def cloning_disk(folder: Path) -> Iterator[Path]:
    """A file system that shares blocks between files at `folder`; skips the test where that can't be made."""
    image = folder.with_name(folder.name + ".img")
    with image.open("wb") as file:
        file.truncate(320 << 20)  # sparse; XFS takes no less than 300 MB
    try:
        subprocess.run(["mkfs.xfs", "-q", "-m", "reflink=1", str(image)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("capability: making an XFS needs mkfs.xfs")
    with _mounted(folder, ["mount", "-o", "loop", str(image), str(folder)]) as disk:
        yield disk


@contextmanager
def _mounted(folder: Path, command: list[str]) -> Iterator[Path]:
    folder.mkdir()
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("capability: mounting a file system needs root")
    unmounting = subprocess.Popen(
        ["sh", "-c", _UNMOUNT, "sh", str(folder)], stdin=subprocess.PIPE, start_new_session=True
    )  # of its own session: what ends the tests does not end it before its work
    try:
        yield folder
    finally:
        unmounting.communicate()
    assert unmounting.returncode == 0 and not os.path.ismount(folder)


def leave(disk: Path, free: int) -> Path:
    """Fill the disk up to so many bytes; the file to be removed again."""
    found, ballast = os.statvfs(disk), disk / "ballast"
    ballast.write_bytes(b"\0" * max(0, found.f_bavail * found.f_frsize - free))
    return ballast
