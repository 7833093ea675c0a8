"""The file beside a graph that names the jobs on their way: a daemon that is started anew goes on with them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from graphvine.graph import Graph
from graphvine.service_file import write_private

ENDING = ".jobs"
_log = logging.getLogger("graphvine.serve")


class StoredJob(msgspec.Struct, frozen=True):
    id: str
    verb: str
    asked: dict[str, Any]
    started_at: str


class JobStore:
    def __init__(self, graph: Graph) -> None:
        """A graph on a server has no place of its own here, and its jobs end with their daemon."""
        where = Path(graph.engine.where)
        self._path = where.with_name(where.name + ENDING) if graph.engine.capabilities.single_owner else None

    def read(self) -> list[StoredJob]:
        if self._path is None or not self._path.exists():
            return []
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=list[StoredJob])
        except (OSError, msgspec.DecodeError) as error:
            _log.warning("%s can't be read, so no job goes on: %s", self._path, error)
            return []

    def write(self, jobs: Sequence[StoredJob]) -> None:
        if self._path is None or not (jobs or self._path.exists()):
            return
        try:
            write_private(self._path, msgspec.json.encode(jobs))
        except OSError as error:  # a full disk, say: they run, but would not outlive this process
            _log.warning("%s can't be written: %s", self._path, error)
