"""The derived index: texts, filters and vectors of a graph's rows, beside the graph.

One commit of tantivy's is the only moment at which anything becomes true: it holds the documents, the numbers of
their vectors, and the stamp. Vectors are on the disk before it. So after a kill the index is at the stamp that it
claims; rows of vectors that no document refers to are dead, and applying a batch again changes nothing.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphvine.search import index_folder as index_folder
from graphvine.search.ann_index import build_neighbours
from graphvine.search.batch import write_batch
from graphvine.search.counting import Snapshot
from graphvine.search.documents import (
    Document,
    Filters,
    Hit,
    IndexFields,
    Kinds,
    Results,
    Stored,
    check_fields,
    query_vector,
)
from graphvine.search.errors import IndexClosed, RebuildNeeded, StampWentBack
from graphvine.search.names import Names
from graphvine.search.searcher import Searching
from graphvine.search.snippets import DEFAULT_CHARACTERS
from graphvine.search.text_index import TextIndex
from graphvine.search.vector_store import SEGMENT_ROWS, VectorsIncomplete, VectorStore

if TYPE_CHECKING:
    from graphvine.search.documents import Vector

DEFAULT_FIELDS = IndexFields()
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What one round of maintenance did, in segments."""

    compacted: int = 0
    built: int = 0


class SearchIndex:
    """One process has it open; its threads may search while one of them applies.

    Raises RebuildNeeded where the folder is broken or of another version: see `open_index` for rebuilding.
    With `background`, a thread builds the graphs of neighbours that large indexes need; without, call `maintain`.
    """

    def __init__(
        self,
        folder: Path,
        dimension: int | None = None,
        *,
        fields: IndexFields = DEFAULT_FIELDS,
        background: bool = True,
        segment_rows: int = SEGMENT_ROWS,
        snippet_characters: int = DEFAULT_CHARACTERS,
        own_numbers: bool = False,
        named_by_number: str = "",
    ) -> None:
        """`own_numbers`: no two documents ever have the same `seq`, so that what one stands for can be remembered.

        `named_by_number`: all documents are of this kind, and their ids are their numbers.
        """
        check_fields(fields)
        self.folder, self.fields = folder, fields
        self._background, self._snippet_characters = background, snippet_characters
        self._write_lock, self._upkeep_lock = threading.RLock(), threading.Lock()
        self._stop = threading.Event()
        self._upkeep: threading.Thread | None = None
        self.dimension = index_folder.prepare(folder, dimension, fields)
        self._text = TextIndex(folder / index_folder.TEXT, fields)
        try:
            self._stamp, next_number = self._text.bookkeeping()
            live = self._text.live_numbers()
            self._vectors = VectorStore(folder / index_folder.VECTORS, self.dimension or 1, live, segment_rows)
        except BaseException as error:
            self._text.close()
            if isinstance(error, VectorsIncomplete):
                raise RebuildNeeded(str(folder), str(error)) from error
            raise
        self._names = Names(self._text, own_numbers=own_numbers, named_by_number=named_by_number)
        self._next_number = max(next_number, self._vectors.first_free)
        self._snapshot: Snapshot | None = self._take_snapshot()
        with self._write_lock:
            self._start_upkeep()

    @property
    def stamp(self) -> int:
        """The graph's stamp up to which the index holds everything; 0 when it is new."""
        return self._stamp

    def apply(
        self, documents: Iterable[Document], deletions: Iterable[tuple[str, str]], stamp: int, *,
        new_texts: Iterable[Document] = (),
    ) -> None:  # fmt: skip
        """Take all of this in at once: deletions (kind, id), then documents, in place of their namesakes.

        `new_texts` are documents without vectors that the caller knows to be new: they cost half as much. Either
        the index is at the new stamp with all of it, or, whatever happens, at the old one with none.
        """
        with self._write_lock:
            self._open_snapshot()
            if stamp < self._stamp:
                raise StampWentBack(str(self.folder), self._stamp, stamp)
            try:
                number, dead = write_batch(
                    self._text, self._vectors, self.fields, self.dimension, self._next_number, documents, deletions,
                    new_texts,
                )  # fmt: skip
            except BaseException:
                self._text.rollback()
                self._vectors.rollback()
                raise
            self._commit(stamp, number)
            self._vectors.publish(dead)
            self._snapshot = self._take_snapshot()
            self._start_upkeep()

    def text(
        self, query: str, kind: Kinds = None, filters: Filters | None = None, *, limit: int = 10, offset: int = 0,
        sort: str = "relevance", any_word: bool = False, snippets: bool = True, tolerant: bool = False,
        count: bool = True,
    ) -> Results:  # fmt: skip
        """Documents with all of the words; with some of them where none has all. Empty: all that the filters pass.

        With `any_word`, documents with some of the words even where others have all. Any string has a meaning: words,
        "phrases", -exclusions. Sort by a number's name, `-time` for the largest first. Snippets cost more than the
        search itself where many are asked for. With `tolerant`, words that no document has stand for words that begin
        with them or differ in a letter or two. Without `count` it is quicker, and `total` is not known.
        """
        return self._searching().text(query, kind, filters, limit, offset, sort, any_word, snippets, tolerant, count)

    def vector(
        self, vector: Vector, kind: Kinds = None, filters: Filters | None = None, *, limit: int = 10,
        snippets: bool = True,
    ) -> Results:  # fmt: skip
        """The documents whose vectors are nearest, with their cosines."""
        return self._searching().vector(query_vector(vector, self.dimension), kind, filters, limit, snippets)

    def like(self, vector: Vector, hits: Sequence[Hit]) -> list[Hit]:
        """Those of these hits that have a vector, with their cosines in place of their scores."""
        return self._searching().like(query_vector(vector, self.dimension), hits)

    def shown(self, ids: Sequence[str], query: str) -> dict[str, Stored]:
        """What the index keeps of these documents, with the pieces in which the words of a query stand."""
        return self._searching().shown(ids, query)

    def hybrid(
        self, query: str, vector: Vector, kind: Kinds = None, filters: Filters | None = None, *, limit: int = 10,
        offset: int = 0,
    ) -> Results:  # fmt: skip
        """Both rankings made into one: a document that both like comes first."""
        return self._searching().hybrid(query, query_vector(vector, self.dimension), kind, filters, limit, offset)

    def facets(
        self, query: str, filters: Filters | None = None, *, names: Sequence[str], size: int = 10,
        years: range = range(2000, 2100),
    ) -> dict[str, dict[str, int]]:  # fmt: skip
        """How many of the documents that `text` finds have each value, commonest first; `year` is that of `time`."""
        return self._searching().facets(query, filters, names, size, years)

    def ceiling(self, query: str) -> float:
        """What the words of a query weigh here by their rarity: scores of several indexes are measured by it."""
        return self._searching().ceiling(query)

    def count(self, kind: Kinds = None, filters: Filters | None = None) -> int:
        """How many documents there are."""
        return self._searching().count(kind, filters)

    def seqs(self, kind: Kinds, filters: Filters, *, sort: str, limit: int) -> list[int]:
        """The numbers of all documents that the filters pass, in this order; no document is read for it."""
        return self._searching().seqs(kind, filters, sort, limit)

    def numbers_by_seq(self, field: str, filters: Filters, *, limit: int) -> dict[int, int]:
        """The values of a number field of documents that the filters pass, by their numbers; no document is read."""
        return self._searching().numbers_by_seq(field, filters, limit)

    def wait(self) -> None:
        """Until what a thread reads into memory for further searches is there."""
        self._names.wait()

    def clear(self) -> None:
        """Forget everything; the stamp is 0 again."""
        with self._write_lock:
            self._open_snapshot()
            self._text.delete_everything()
            self._commit(0, self._next_number)
            self._vectors.clear()
            self._snapshot = self._take_snapshot()

    def maintain(self) -> Upkeep:
        """Rewrite segments in which much is dead, build graphs of neighbours that are missing, join small segments."""
        with self._upkeep_lock:
            with self._write_lock:
                self._open_snapshot()
                compacted = self._vectors.compact()
                self._snapshot = self._take_snapshot()
            # Before graphs are built: one for all of them takes less time than one for each and then one for all.
            while joined := self._join(built=False):
                compacted += joined
            with self._write_lock:
                waiting = [] if self._stop.is_set() else self._vectors.without_neighbours()
            built = 0
            for view in waiting:
                if not build_neighbours(view.path, view.vectors, lambda: not self._stop.is_set()):
                    break
                with self._write_lock:
                    if self._stop.is_set():
                        break
                    built += self._vectors.attach(view)
                    self._snapshot = self._take_snapshot()
            return Upkeep(compacted + self._join(built=True), built)

    def _join(self, *, built: bool) -> int:
        with self._write_lock:
            run = [] if self._stop.is_set() else self._vectors.to_join(built=built)
        joined = self._vectors.join(run, lambda: not self._stop.is_set(), self._write_lock) if run else 0
        with self._write_lock:
            if joined and not self._stop.is_set():
                self._snapshot = self._take_snapshot()
        return joined

    def close(self) -> None:
        """Let go of the files. Closing twice is no error."""
        self._stop.set()
        upkeep = self._upkeep
        if upkeep is not None:
            upkeep.join()
        self._names.close()
        with self._write_lock:
            if self._snapshot is not None:
                self._snapshot = None
                self._vectors.rollback()
                self._text.close()

    def __enter__(self) -> SearchIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _commit(self, stamp: int, next_number: int) -> None:
        try:
            self._text.commit(stamp, next_number)
            self._text.refresh()
        except BaseException:
            # Whether it took is for the next opening to find out: nothing more is written before that.
            self._snapshot = None
            self._text.close()
            raise
        self._stamp, self._next_number = stamp, next_number

    def _take_snapshot(self) -> Snapshot:
        return Snapshot(self._text.searcher(), self._vectors.views)

    def _open_snapshot(self) -> Snapshot:
        snapshot = self._snapshot
        if snapshot is None:
            raise IndexClosed
        return snapshot

    def _searching(self) -> Searching:
        return Searching(self._text, self.fields, self._open_snapshot(), self._snippet_characters, self._names)

    def _start_upkeep(self) -> None:
        """Called under the write lock, as is the thread's own decision to end: no work falls between."""
        if self._background and self._upkeep is None and self._vectors.wants_upkeep():
            self._upkeep = threading.Thread(target=self._keep_up, name="search-upkeep", daemon=True)
            self._upkeep.start()

    def _keep_up(self) -> None:
        try:
            while self._upkeep is not None:
                done = self.maintain()
                with self._write_lock:
                    # A round that did nothing would do nothing again.
                    if self._stop.is_set() or done == Upkeep() or not self._vectors.wants_upkeep():
                        self._upkeep = None
        except IndexClosed:
            return
        except OSError as error:  # without the graphs searches are slower, and as right
            _log.warning("the search index %s could not be tended: %s", self.folder, error)
            self._upkeep = None
