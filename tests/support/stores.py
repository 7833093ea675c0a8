"""Stores for tests: made once as a template, copied for each test, opened with a clock that stands still."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import graphvine
from graphvine.clock import Clock, ManualClock
from graphvine.graph import Graph
from graphvine.settings import Settings
from tests.support import servers

FILE = "graph.db"
# Small and unsynced: what a test writes need not survive a power cut.
QUICK: dict[str, Any] = {"sync": False, "buffer_pool_mb": 128, "reader_threads": 1}
EMBEDDED = ("kuzu", "ladybug")
# Marks in the folder of a place on a server.
_FROM_TEMPLATE, _OPENED = "from-template", "opened"


@dataclass(frozen=True)
class Place:
    """A folder with one embedded store in it; or one that stands for what the Neo4j server of this run holds."""

    engine: str
    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / FILE

    @property
    def where(self) -> str:
        if self.engine == "neo4j":
            return servers.address()
        return f"ladybug:{self.path}" if self.engine == "ladybug" else str(self.path)

    def open(self, clock: Clock | None = None, *, create: bool = True, **settings: Any) -> Graph:
        if self.engine == "neo4j":
            self._take_the_server()
        chosen = Settings(**{**QUICK, **settings})
        if self.engine == "http":
            from tests.support.shared_graphs import open_through_a_server

            return open_through_a_server(self.path, chosen, clock or ManualClock(), create=create)
        return graphvine.open(self.where, settings=chosen, clock=clock or ManualClock(), create=create)

    def copy_to(self, folder: Path) -> Place:
        """Copy a store that nobody has open."""
        if self.engine == "neo4j":
            folder.mkdir(parents=True)
            (folder / _FROM_TEMPLATE).touch()
            return Place(self.engine, folder)
        shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns("*.lock"))
        return Place(self.engine, folder)

    def _take_the_server(self) -> None:
        """There is one server: a place that is opened for the first time finds it empty."""
        if not (self.folder / _OPENED).exists():
            servers.empty(self.where, wholly=not (self.folder / _FROM_TEMPLATE).exists())
            (self.folder / _OPENED).touch()


def make_template(engine: str, folder: Path) -> Place:
    """An empty store with all its tables; copying it takes a tenth of the time that making it does."""
    folder.mkdir(parents=True)
    # What is served is a store of Kuzu.
    place = Place("kuzu" if engine == "http" else engine, folder)
    with place.open() as graph:
        if place.engine in EMBEDDED:
            graph.engine.checkpoint()  # type: ignore[attr-defined]  # embedded engines have it
    return Place(engine, folder)
