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

FILE = "graph.db"
# Small and unsynced: what a test writes need not survive a power cut.
QUICK: dict[str, Any] = {"sync": False, "buffer_pool_mb": 128, "reader_threads": 1}
EMBEDDED = ("kuzu", "ladybug")


@dataclass(frozen=True)
class Place:
    """A folder with one embedded store in it."""

    engine: str
    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / FILE

    @property
    def where(self) -> str:
        return f"ladybug:{self.path}" if self.engine == "ladybug" else str(self.path)

    def open(self, clock: Clock | None = None, *, create: bool = True, **settings: Any) -> Graph:
        chosen = Settings(**{**QUICK, **settings})
        return graphvine.open(self.where, settings=chosen, clock=clock or ManualClock(), create=create)

    def copy_to(self, folder: Path) -> Place:
        """Copy a store that nobody has open."""
        shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns("*.lock"))
        return Place(self.engine, folder)


def make_template(engine: str, folder: Path) -> Place:
    """An empty store with all its tables; copying it takes a tenth of the time that making it does."""
    if engine not in EMBEDDED:
        raise ValueError(f"tests/support/stores.py can't make a store for the engine {engine!r} yet")
    folder.mkdir(parents=True)
    place = Place(engine, folder)
    with place.open() as graph:
        graph.engine.checkpoint()  # type: ignore[attr-defined]  # embedded engines have it
    return place
