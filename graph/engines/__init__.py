"""The engines, each in a file of its own, loaded when a graph asks for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from graphvine.engines.neo4j.address import is_address
from graphvine.errors import SettingsError, StoreMissing
from graphvine.redact import without_secrets
from graphvine.service_file import find
from graphvine.settings import Settings

if TYPE_CHECKING:
    from graphvine.engines.protocol import Engine

__all__ = ["connect", "refuse_other_files", "without_secrets"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_KUZU = b"KUZU"  # what its files begin with


def connect(where: str, settings: Settings, *, create: bool) -> Engine:
    """The engine for this place: a path, `ladybug:PATH`, `neo4j://...`, `bolt://...`, `http://...`.

    A path that another process serves is opened through that process.
    """
    scheme, _, rest = where.partition(":")
    if is_address(where):
        from graphvine.engines.neo4j.engine import open_server

        return open_server(where, settings, create=create)
    if scheme in ("http", "https") and rest.startswith("//"):
        from graphvine.engines.http.engine import open_address

        return open_address(where, settings)
    if _SCHEME.match(where):
        raise SettingsError(
            f"{scheme}:// leads to no graph: give a path, ladybug:PATH, neo4j://HOST, bolt://HOST or http://HOST:PORT"
        )
    if find(where) is not None:
        from graphvine.engines.http.engine import open_served

        served = open_served(where, settings)
        if served is not None:
            return served
    from graphvine.engines.kuzu.engine import EmbeddedEngine
    from graphvine.engines.kuzu.read_only import ReadOnlyEngine, is_read_only

    name, rest = ("ladybug", rest) if scheme == "ladybug" else ("kuzu", where)
    path = _place(Path(rest).expanduser(), create=create)
    if name == "kuzu":
        refuse_other_files(path)
    kind = ReadOnlyEngine if is_read_only(path) else EmbeddedEngine
    return kind(path, settings, name=name)


def _place(path: Path, *, create: bool) -> Path:
    if path.is_dir():
        raise StoreMissing(f"{path} is a folder: a graph is a file, for instance {path / 'graphvine.kuzu'}")
    if not path.exists() and not _beside(path, ".safe").exists():
        if not create:
            raise StoreMissing(f"there is no graph at {path}: name one with --graph, or make one with 'graphvine demo'")
        if not path.absolute().parent.is_dir():
            raise StoreMissing(f"the folder {path.absolute().parent} is not there: make it first")
    return path


def refuse_other_files(path: Path) -> None:
    """Before anything is put beside it: a file that has never been a graph here, and is none."""
    if not path.is_file() or _beside(path, ".marks").exists() or _beside(path, ".safe").exists():
        return
    try:
        with path.open("rb") as file:
            head = file.read(len(_KUZU))
    except OSError:
        return  # the engine says why it can't be read
    if head and head != _KUZU:
        raise StoreMissing(f"{path} is no graph: it is some other file, and was left alone. Name a graph with --graph")


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
