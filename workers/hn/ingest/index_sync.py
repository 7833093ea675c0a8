"""The search index of items: it follows the graph by a stamp; during bulk ingestion, in a thread."""

from __future__ import annotations

import queue
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from graphvine.index_sync import index_folder
from graphvine.records import Row
from graphvine.search import RebuildNeeded, SearchPartsMissing, open_index, remove_index
from graphvine.search.documents import Document
from graphvine.workers.hn.ingest.clean import plain
from graphvine.workers.hn.ingest.item import Draft

if TYPE_CHECKING:
    from graphvine.graph import Graph


KIND = "hn_item"


def document_of(draft: Draft) -> Document:
    """The document of a draft that is about to be written."""
    content = draft.content
    body = content.get("plain") or content.get("text")
    return _document(draft.id, content.get, body, draft.above, draft.story)


def document_of_row(row: Row) -> Document | tuple[str, str]:
    """The document of a row, or the name of one that must not be there."""
    if row["state"] != "completed":
        return KIND, str(row["hnId"])
    return _document(row["hnId"], row.get, row["body"], row["above"], row["story"])


def _document(id: int, get: Any, body: str | None, above: int | None, story: int | None) -> Document:
    texts = {}
    title, author, url = get("title"), get("by"), get("url")
    if title:
        texts["title"] = plain(title)
    if body:
        texts["body"] = body
    filters: dict[str, Any] = {
        "type": get("type"), "score": get("score") or 0, "time": get("time") or 0, "story": story or 0,
        "parent": above or 0,
    }  # fmt: skip
    if author:
        filters["author"] = author
    if url:
        host = urlsplit(url).hostname
        if host:
            filters["site"] = host.removeprefix("www.")
    return Document(KIND, str(id), id, texts, filters)


# Stamps are numbers in a row with a few gaps: a page is a stretch of them.
_STAMPS_AT_ONCE = 20_000
# Documents in the index's hands with which whoever brings more has to wait: it is quicker than the engine, on average.
_WAITING = 20_000


@dataclass(frozen=True, slots=True)
class _Offer:
    new: Sequence[Document]
    known: Sequence[Document]
    gone: Sequence[tuple[str, str]]
    after: int
    stamp: int

    @property
    def weight(self) -> int:
        return 1 + len(self.new) + len(self.known)


class HNIndex:
    """Open it for a load or for searching. Whatever happens, the graph is the truth and the index catches up."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._folder = index_folder(graph.engine.where) / "hn_item"
        self.index: Any = self._open()
        self._tail = self.index.stamp
        self._offers: queue.SimpleQueue[_Offer | None] = queue.SimpleQueue()
        self._waiting = 0
        self._taken = threading.Condition()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._lock = threading.RLock()

    def offer(
        self, fresh: Sequence[Document], known: Sequence[Document], gone: Sequence[int], first: int, stamp: int, *,
        whole: bool,
    ) -> None:  # fmt: skip
        """A unit was written with these stamps, and these are all its documents (`whole`), or some are in the graph."""
        if stamp <= self._tail:
            return
        # A gap may be somebody else's work, which only the graph can tell of.
        whole = whole and first == self._tail + 1
        after, self._tail = self._tail, stamp
        names = [(KIND, str(id)) for id in gone]
        if self._thread is None:
            self._thread = threading.Thread(target=self._follow, name="graphvine-hn-index", daemon=True)
            self._thread.start()
        self._put(_Offer(fresh, known, names, after, stamp) if whole else _Offer((), (), (), -1, stamp))

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
            remove_index(self._folder)
            self.index = self._open()
            return self._read_up(progress)

    def close(self) -> None:
        """End the thread after what was offered to it, and let go of the files."""
        if self._thread is not None:
            self._offers.put(None)
            self._thread.join()
            self._thread = None
        self.index.close()
        self._raise()

    def _put(self, offer: _Offer) -> None:
        with self._taken:
            self._taken.wait_for(lambda: self._waiting < _WAITING)
            self._waiting += offer.weight
        self._offers.put(offer)

    def _read_up(self, progress: Callable[[int], None] | None) -> int:
        last = self._graph.read("hn_item.newest_stamp", after=self.index.stamp)[0]["seq"] or 0
        read = 0
        while self.index.stamp < last:
            # Not beyond the last: what was written since comes as an offer too, of texts that are new to the index.
            upto = min(self.index.stamp + _STAMPS_AT_ONCE, last)
            rows = self._graph.read("hn_item.stamped", after=self.index.stamp, upto=upto)
            made = [document_of_row(row) for row in rows]
            documents = [document for document in made if isinstance(document, Document)]
            gone = [name for name in made if not isinstance(name, Document)]
            self.index.apply(documents, gone, upto)
            read += len(rows)
            if progress is not None:
                progress(read)
        self._tail = max(self._tail, last)
        return read

    def _follow(self) -> None:
        while (offered := self._offers.get()) is not None:
            try:
                if self._error is None:
                    self._take(offered)
            except BaseException as error:  # told to whoever catches up, or closes
                self._error = error
            finally:
                with self._taken:
                    self._waiting -= offered.weight
                    self._taken.notify_all()

    def _take(self, offered: _Offer) -> None:
        with self._lock:
            if self.index.stamp == offered.after:
                self.index.apply(offered.known, offered.gone, offered.stamp, new_texts=offered.new)
            elif self.index.stamp < offered.stamp:
                self._read_up(None)

    def _drain(self) -> None:
        with self._taken:
            self._taken.wait_for(lambda: not self._waiting)
        self._raise()

    def _raise(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _open(self) -> Any:
        self._folder.parent.mkdir(exist_ok=True)
        try:
            return open_index(self._folder)
        except RebuildNeeded:
            # It is a cache: what can't be read is made again.
            remove_index(self._folder)
            return open_index(self._folder)


@contextmanager
def following(graph: Graph) -> Iterator[HNIndex | None]:
    """While this lasts, the index follows what is taken in; None where there is no index, or its parts are missing."""
    if not graph.engine.capabilities.single_owner:
        yield None
        return
    try:
        index = share(graph)
    except SearchPartsMissing:
        yield None
        return
    try:
        yield index
    finally:
        unshare(graph)


_users: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
_sharing = threading.Lock()


def share(graph: Graph) -> HNIndex:
    """The one index of this graph, opened for the first who asks; each calls `unshare` once."""
    from graphvine.workers.hn.ingest.ingest import intake

    with _sharing:
        taking = intake(graph)
        if taking.index is None:
            taking.index = HNIndex(graph)
        _users[graph] = _users.get(graph, 0) + 1
        return taking.index


def unshare(graph: Graph) -> None:
    from graphvine.workers.hn.ingest.ingest import intake

    with _sharing:
        _users[graph] -= 1
        if _users[graph]:
            return
        taking = intake(graph)
        index, taking.index = taking.index, None
    if index is not None:
        index.close()
