"""Built graphs, kept in the user's cache folder.

A graph's name ends in the hash of its own bytes, so that one rename publishes it and a reader can tell a
whole file from a damaged one. Killed builders leave only a `.part` file behind; two that build at once
write the same bytes under the same name.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from graphvine.workers.common.embedding.weights import default_cache_folder as default_cache_folder
from graphvine.workers.common.embedding.weights import file_sha256

_LEFT_BEHIND_SECONDS = 3600.0
_log = logging.getLogger(__name__)


def cached_graph(folder: Path, key: str, build: Callable[[], bytes]) -> Path | bytes:
    """The path of the graph of this key, built if it is not there; its bytes where the folder can't be written."""
    found = _find(folder, key)
    if found is not None:
        return found
    graph = build()
    try:
        return _publish(folder, key, graph)
    except OSError as error:
        _log.warning("the embedding graph can't be kept in %s (%s): it is built at every start", folder, error)
        return graph


def is_cached(folder: Path, key: str) -> bool:
    """Whether a graph of this key was built here, from weights that were checked then."""
    return any(folder.glob(f"{key}.*.onnx"))


def _find(folder: Path, key: str) -> Path | None:
    for path in sorted(folder.glob(f"{key}.*.onnx")):
        if path.name == f"{key}.{file_sha256(path)}.onnx":
            return path
        _log.warning("%s is damaged and is built again", path)
        path.unlink(missing_ok=True)
    return None


def _publish(folder: Path, key: str, graph: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    path = folder / f"{key}.{hashlib.sha256(graph).hexdigest()}.onnx"
    part = folder / f"{key}.{uuid4().hex}.part"
    try:
        with part.open("wb") as file:
            file.write(graph)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _sweep(folder: Path) -> None:
    """Take away what killed builders left; a fresh one may belong to a builder at work."""
    for part in folder.glob("*.part"):
        try:
            if time.time() - part.stat().st_mtime > _LEFT_BEHIND_SECONDS:
                part.unlink()
        except FileNotFoundError:
            continue  # another process swept it first
