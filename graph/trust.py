"""Which graphvine.toml may name programs and places that keys are sent to: those that the user has said are trusted.

A folder that comes from somebody else (a clone, an archive) may hold a graphvine.toml. A file is trusted as it is: the
list, in the user's configuration folder, holds a hash of its path and content, and a change asks again.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from graphvine.service_file import read_private, write_private


def list_file() -> Path:
    """Where the list is: $XDG_CONFIG_HOME/graphvine/trusted."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path("~/.config").expanduser())
    return Path(base) / "graphvine" / "trusted"


def is_trusted(file: Path) -> bool:
    return _digest(file) in _listed()


def trust(file: Path) -> None:
    """Trust this file as it is now."""
    _write(_listed() | {_digest(file)})


def revoke(file: Path) -> bool:
    """Trust it no longer; False where it was not trusted."""
    listed, digest = _listed(), _digest(file)
    _write(listed - {digest})
    return digest in listed


def _digest(file: Path) -> str:
    return hashlib.sha256(os.fsencode(file.resolve()) + b"\0" + file.read_bytes()).hexdigest()


def _listed() -> set[str]:
    return set((read_private(list_file()) or b"").decode("ascii", "replace").split())


def _write(digests: set[str]) -> None:
    list_file().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(list_file(), "".join(f"{digest}\n" for digest in sorted(digests)).encode())
