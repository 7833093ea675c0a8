"""Keeps a derived search index in step with the graph: it follows rows by sequence number."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphvine.records import Row
from graphvine.search import Document, IndexFields, RebuildNeeded, open_index, remove_index

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.search.index import SearchIndex

_ROWS_AT_ONCE = 2_000
Translate = Callable[[Row], Document | tuple[str, str]]


class FollowedIndex:
    """One pipeline's index beside a graph; `translate` makes a document of a row, or names one that is gone."""

    def __init__(
        self, graph: Graph, pipeline: str, block: str, translate: Translate, *, newest: str = "",
        dimension: int | None = None, fields: IndexFields | None = None, name: str = "",
        given: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """`name`: its folder among the graph's indexes, where it is not the pipeline's name. `given`: to the block."""
        self._given = given or {}
        self._graph, self._block, self._translate = graph, f"{pipeline}.{block}", translate
        self._newest = f"{pipeline}.{newest}" if newest else ""
        self._folder = folder_for(graph, name or pipeline)
        self._dimension, self._fields = dimension, fields
        self._content: tuple[int, ...] | None = None  # what the graph held when all of it was in the index
        self.index = self._open()

    def catch_up(self, progress: Callable[[int], None] | None = None) -> int:
        """Take in what was written since. Returns how many rows.

        The block `newest` reads numbers alone, so that asking for what is new costs little where nothing is.
        """
        taken = 0
        content = self._graph.store.content
        if content is not None and content == self._content:
            return taken
        if self._newest and not self._graph.read(self._newest, after=self.index.stamp)[0]["seq"]:
            self._content = content
            return taken
        while rows := self._graph.read(self._block, after=self.index.stamp, limit=_ROWS_AT_ONCE, **self._given):
            self._take(rows)
            taken += len(rows)
            if progress is not None:
                progress(taken)
        self._content = content
        return taken

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        """Start over: the graph has everything."""
        self.index.close()
        self._content = None
        remove_index(self._folder)
        self.index = self._open()
        return self.catch_up(progress)

    def close(self) -> None:
        self.index.close()

    def _take(self, rows: Sequence[Row]) -> None:
        made = [self._translate(row) for row in rows]
        documents = [document for document in made if isinstance(document, Document)]
        deletions = [gone for gone in made if not isinstance(gone, Document)]
        self.index.apply(documents, deletions, rows[-1]["seq"])

    def _open(self) -> SearchIndex:
        self._folder.parent.mkdir(0o700, exist_ok=True)
        try:
            return open_index(self._folder, self._dimension, fields=self._fields, own_numbers=True)
        except RebuildNeeded:
            # It is a cache: what can't be read is rebuilt.
            remove_index(self._folder)
            shutil.rmtree(self._folder, ignore_errors=True)
            return open_index(self._folder, self._dimension, fields=self._fields, own_numbers=True)


def folder_for(graph: Graph, name: str) -> Path:
    """Where an index is kept: beside the graph, or a copy for this process where that can only be read."""
    folder = index_folder(graph.engine.where) / name
    if not graph.engine.capabilities.read_only:
        return folder
    copies = Path(tempfile.mkdtemp(prefix="graphvine-index-"))
    atexit.register(shutil.rmtree, copies, ignore_errors=True)
    if folder.is_dir():
        shutil.copytree(folder, copies / name)
    return copies / name


def index_folder(where: str) -> Path:
    """Where the indexes of an embedded graph are."""
    path = Path(where)
    return path.with_name(path.name + ".index")
