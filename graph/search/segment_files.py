"""The names of segment files, and their rewriting.

A name is `first-last-generation.vec`: a rewritten file stands for a span of earlier ones, and outdates those of a
lower generation inside its span. So one rename publishes it, and what a kill leaves behind can be told.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graphvine.search.folder import sync
from graphvine.search.vector_segment import SegmentView, read_segment

_NAME = re.compile(r"(\d{8})-(\d{8})-(\d+)")


@dataclass(frozen=True, slots=True)
class Span:
    """What a segment's name says."""

    first: int
    last: int
    generation: int = 1

    @classmethod
    def of(cls, path: Path) -> Span:
        found = _NAME.fullmatch(path.stem)
        if found is None:
            raise ValueError(f"{path.name} is no name of a segment")
        return cls(*(int(part) for part in found.groups()))

    def path(self, folder: Path) -> Path:
        return folder / f"{self.first:08d}-{self.last:08d}-{self.generation}.vec"

    def outdates(self, other: Span) -> bool:
        return self.first <= other.first and other.last <= self.last and other.generation < self.generation


def segment_paths(folder: Path) -> list[Path]:
    """The segments in their order, after taking away what kills left of earlier ones."""
    for part in folder.glob("*.part"):
        part.unlink()
    spans = {path: Span.of(path) for path in sorted(folder.glob("*.vec"))}
    for path, span in list(spans.items()):
        if any(other.outdates(span) for other in spans.values()):
            path.unlink()
            del spans[path]
    stems = {path.stem for path in spans}
    for graph in folder.glob("*.usearch"):
        if graph.name.split(".")[0] not in stems:
            graph.unlink()
    return list(spans)


def path_after(path: Path | None, folder: Path) -> Path:
    """The name of the segment that follows."""
    number = 1 if path is None else Span.of(path).last + 1
    return Span(number, number).path(folder)


def rewrite(run: Sequence[SegmentView], dimension: int) -> list[SegmentView]:
    """The live rows of these neighbouring segments as one, or as none if nothing lives."""
    folder = run[0].path.parent
    spans = [Span.of(view.path) for view in run]
    if not any(view.live.any() for view in run):
        for view in run:
            remove_segment(view.path)
        return []
    path = Span(spans[0].first, spans[-1].last, 1 + max(span.generation for span in spans)).path(folder)
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        for view in run:
            file.write(view.records[view.live].tobytes())
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    sync(folder)
    for view in run:
        remove_segment(view.path)
    return [read_segment(path, dimension)]


def remove_segment(path: Path) -> None:
    """Remove a segment and its graph. Searches that still look at them keep their maps."""
    for graph in path.parent.glob(f"{path.stem}.*.usearch"):
        graph.unlink()
    path.unlink(missing_ok=True)
