"""The search index of items. It follows the graph by a stamp, in a thread of its own, and stays open with the graph.

Every block that changes what a search finds gives its rows a new `stamp` and returns it; nothing else counts as one.
The index commits documents together with the stamp that they reach, so after a kill it is where it says, and reads the
rest from the graph. Where it was not closed cleanly, the next opening also compares how many items each side holds.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphvine.index_sync import folder_for
from graphvine.records import Row
from graphvine.search import RebuildNeeded, SearchPartsMissing, open_index, remove_index
from graphvine.search.documents import Document
from graphvine.workers.hn.ingest.item import Draft
from graphvine.workers.hn.ingest.validate import host_of

if TYPE_CHECKING:
    from graphvine.graph import Graph

KIND = "hn_item"
_log = logging.getLogger("graphvine.hn")
_opening = threading.Lock()


def document_of(draft: Draft) -> Document:
    """The document of a draft that is about to be written."""
    get = draft.content.get
    return _document(draft.id, get, get("plain") or get("text"), draft.above, draft.story)


def document_of_row(row: Row) -> Document | tuple[str, str]:
    """The document of a row, or the name of one that must not be there."""
    if row["state"] != "completed":
        return KIND, str(row["hnId"])
    return _document(row["hnId"], row.get, row["body"], row["above"], row["story"])


def _document(id: int, get: Any, body: str | None, above: int | None, story: int | None) -> Document:
    texts = {}
    title, author, url = get("title"), get("by"), get("url")
    if title:
        texts["title"] = title
    if body:
        texts["body"] = body
    filters: dict[str, Any] = {
        "type": _tags(get("type"), title or ""), "score": get("score") or 0, "time": get("time") or 0,
        "story": story or 0, "parent": above or 0,
    }  # fmt: skip
    if author:
        filters["author"] = author
    if url:
        host = host_of(url)
        if host:
            filters["site"] = host.removeprefix("www.")
    return Document(KIND, str(id), id, texts, filters)


def _tags(type: str | None, title: str) -> str | list[str] | None:
    """A story that asks or shows is of that type, too."""
    tag = next((tag for tag in ("ask", "show") if type == "story" and title[:8].lower().startswith(f"{tag} hn")), None)
    return type if tag is None else ["story", tag]


# Stamps are numbers in a row with a few gaps: a page is a range of them.
_STAMPS_AT_ONCE = 20_000
# Documents that wait for the index: whoever brings more has to wait, so that they fit into memory.
_WAITING = 20_000


@dataclass(frozen=True, slots=True)
class Written:
    """What one transaction wrote: its stamps, and the documents of its items where all of them are at hand."""

    stamps: Sequence[int]
    new: Sequence[Document] = ()
    changed: Sequence[Document] = ()
    gone: Sequence[int] = ()

    @property
    def complete(self) -> bool:
        """Whether every stamp is accounted for; otherwise the graph has to be read."""
        count = len(self.new) + len(self.changed) + len(self.gone)
        return count == len(self.stamps) == max(self.stamps) - min(self.stamps) + 1

    @property
    def weight(self) -> int:
        return 1 + len(self.new) + len(self.changed)


class HNIndex:
    """One for each graph, see `open_items_index`. The graph is the truth, and the index catches up with it."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._folder = folder_for(graph, KIND)
        self._checked = self._folder.with_suffix(".checked")
        self._queue: queue.SimpleQueue[Written | None] = queue.SimpleQueue()
        self._waiting = 0
        self._taken = threading.Condition()
        self._error: BaseException | None = None
        self._lock = threading.RLock()
        self._content: tuple[int, ...] | None = None  # what the graph held when all of it was in the index
        self._thread: threading.Thread | None = None
        self.index: Any = self._open()
        if self._read_checked() != self.index.stamp:
            self._compare()

    @property
    def alive(self) -> bool:
        """False once its files were removed or replaced by somebody else."""
        return _identity(self._folder) == self._made

    def add(self, written: Written) -> None:
        """A transaction was written: the thread follows."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._follow, name="graphvine-hn-index", daemon=True)
            self._thread.start()
        with self._taken:
            self._taken.wait_for(lambda: self._waiting < _WAITING)
            self._waiting += written.weight
        self._queue.put(written)

    def catch_up(self, progress: Callable[[int], None] | None = None) -> int:
        """Come to where the graph is. Returns how many rows were read for it."""
        self._drain()
        with self._lock:
            return self._read_up(progress)

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        """Start from nothing: the graph has everything."""
        self._drain()
        with self._lock:
            self.index.close()
            self._content = None
            remove_index(self._folder)
            self.index = self._open()
            return self._read_up(progress)

    def close(self) -> None:
        """End the thread after what was given to it, and let go of the files."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None
        stamp = self.index.stamp
        self.index.close()
        if self._error is not None:  # the graph has everything: the next opening compares, and catches up
            _log.warning("the search index of items could not follow, and will when it is opened: %s", self._error)
        elif self.alive and self._read_checked() != stamp:
            part = self._checked.with_suffix(".part")
            part.write_text(str(stamp))
            part.replace(self._checked)

    def _compare(self) -> None:
        """The index was not closed cleanly, or by a version that could miss items: count both sides once."""
        wanted = self._graph.read("hn_item.searchable")[0]
        stamp, count = self.index.stamp, self.index.count()
        if stamp > (wanted["seq"] or 0) or (stamp == wanted["seq"] and count != wanted["count"]):
            _log.warning("the search index holds %d of %d items: it is built again", count, wanted["count"])
            self.index.close()
            remove_index(self._folder)
            self.index = self._open()

    def _read_up(self, progress: Callable[[int], None] | None) -> int:
        content = self._graph.store.content
        if content is not None and content == self._content:
            return 0
        last = self._graph.read("hn_item.newest_stamp", after=self.index.stamp)[0]["seq"] or 0
        read = 0
        while self.index.stamp < last:
            # Not beyond the last: what was written since is in the queue too, as texts that are new to the index.
            upto = min(self.index.stamp + _STAMPS_AT_ONCE, last)
            rows = self._graph.read("hn_item.stamped", after=self.index.stamp, upto=upto)
            made = [document_of_row(row) for row in rows]
            documents = [document for document in made if isinstance(document, Document)]
            gone = [name for name in made if not isinstance(name, Document)]
            self.index.apply(documents, gone, upto)
            read += len(rows)
            if progress is not None:
                progress(read)
        self._content = content
        return read

    def _follow(self) -> None:
        while (written := self._queue.get()) is not None:
            try:
                if self._error is None:
                    self._take(written)
            except BaseException as error:  # raised for whoever catches up, or closes
                self._error = error
            finally:
                with self._taken:
                    self._waiting -= written.weight
                    self._taken.notify_all()

    def _take(self, written: Written) -> None:
        with self._lock:
            last = max(written.stamps)
            # A gap may be somebody else's work, which only the graph knows of.
            if written.complete and min(written.stamps) == self.index.stamp + 1:
                gone = [(KIND, str(id)) for id in written.gone]
                self.index.apply(written.changed, gone, last, new_texts=written.new)
            elif self.index.stamp < last:
                self._read_up(None)

    def _drain(self) -> None:
        with self._taken:
            self._taken.wait_for(lambda: not self._waiting)
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _open(self) -> Any:
        self._folder.parent.mkdir(0o700, exist_ok=True)
        try:
            made = open_index(self._folder, named_by_number=KIND)
        except RebuildNeeded:
            # It is a cache: what can't be read is made again.
            remove_index(self._folder)
            made = open_index(self._folder, named_by_number=KIND)
        self._made = _identity(self._folder)
        return made

    def _read_checked(self) -> int:
        try:
            return int(self._checked.read_text())
        except (OSError, ValueError):
            return -1


def open_items_index(graph: Graph) -> HNIndex:
    """The index of this graph, which stays open until the graph is closed."""
    with _opening:
        found: HNIndex | None = graph.open_indexes.get(KIND)
        if found is not None and not found.alive:
            graph.open_indexes.pop(KIND).close()
            found = None
        if found is None:
            found = graph.open_indexes[KIND] = HNIndex(graph)
        return found


def follow(graph: Graph) -> None:
    """From now on the index follows what is taken in, where there is one beside the graph and its parts are there."""
    if graph.engine.capabilities.single_owner:
        try:
            open_items_index(graph)
        except SearchPartsMissing:
            return


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        stat = (folder / "manifest.json").stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns
