"""What documents are called: kind, id and number.

To look one up in tantivy takes 20 microseconds, and a question looks at hundreds. So names are remembered, and those of
all documents with vectors are read by a thread once a process goes on searching, some 40 bytes each. The number of a
vector is never given again, so that what was read stays true.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphvine.search.errors import RebuildNeeded
from graphvine.search.text_index import TextIndex

Name = tuple[str, str, int]
# Names of single documents in memory, some 250 bytes each.
MOST_KNOWN = 100_000
# A command that searches once is done before all names would be there; in a larger index they take too much memory.
_SEARCHES_BEFORE, _MOST_READ = 6, 4_000_000
_AT_ONCE = 5_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Table:
    """In the order of the numbers of their vectors; the id of row n is ids[starts[n]:starts[n + 1]]."""

    numbers: NDArray[np.int64]
    seqs: NDArray[np.int64]
    kinds: NDArray[np.int16]
    kind_names: tuple[str, ...]
    starts: NDArray[np.int64]
    ids: bytes

    def find(self, numbers: NDArray[np.int64]) -> list[Name | None]:
        if not len(self.numbers):
            return [None] * len(numbers)
        rows = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        found = (self.numbers[rows] == numbers).tolist()
        parts = zip(
            found, self.kinds[rows].tolist(), self.starts[rows].tolist(), self.starts[rows + 1].tolist(),
            self.seqs[rows].tolist(), strict=True,
        )  # fmt: skip
        kinds, ids = self.kind_names, self.ids
        return [
            (kinds[kind], ids[start:end].decode(), seq) if there else None for there, kind, start, end, seq in parts
        ]


class Names:
    """Of one index. Threads may ask at once."""

    def __init__(self, index: TextIndex, *, own_numbers: bool, named_by_number: str = "") -> None:
        """`named_by_number`: all documents are of this kind, and their ids are their numbers."""
        self._index, self._kind = index, named_by_number
        self._by_seq: dict[int, Name] | None = {} if own_numbers else None
        self._by_vector: dict[int, Name] = {}  # beside those of the table
        self._table: _Table | None = None
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._asked = 0
        self._thread: threading.Thread | None = None

    @property
    def ready(self) -> bool:
        """Whether those of documents with vectors were read."""
        return self._table is not None

    def of_documents(self, searcher: Any, addresses: Sequence[Any], vectors: Sequence[int | None]) -> list[Name]:
        """The names of documents at these places, whose vectors have these numbers."""
        if self._kind:
            return [(self._kind, str(seq), seq) for seq in searcher.fast_field_values("seq", addresses)]
        known: list[Name | None] = [None] * len(addresses)
        if self._table is not None:
            known = self.of_vectors(np.array([-1 if one is None else one for one in vectors], np.int64))
        left = [place for place, name in enumerate(known) if name is None]
        found = self._looked_up(searcher, [addresses[place] for place in left])
        for place, name in zip(left, found, strict=True):
            known[place] = name
            if (number := vectors[place]) is not None and self._table is not None:
                self._remember(number, name)
        return [name for name in known if name is not None]

    def of_vectors(self, numbers: NDArray[np.int64]) -> list[Name | None]:
        """The names of the documents whose vectors have these numbers; None for those that are not known."""
        table, more = self._table, self._by_vector
        if table is None:
            return [None] * len(numbers)
        found = table.find(numbers)
        return (
            [name or more.get(number) for number, name in zip(numbers.tolist(), found, strict=True)] if more else found
        )

    def prepare(self, searcher: Any) -> None:
        """Called before each search by vectors: reads the names in a thread, where that will pay."""
        if self._asked > _SEARCHES_BEFORE or self._stop.is_set():
            return
        with self._lock:
            self._asked += 1
            if self._asked > _SEARCHES_BEFORE and self._thread is None and searcher.num_docs <= _MOST_READ:
                self._thread = threading.Thread(
                    target=self._read_all, args=[searcher], name="search-names", daemon=True
                )  # fmt: skip
                self._thread.start()

    def wait(self) -> None:
        """Until what is being read is there."""
        if (thread := self._thread) is not None:
            thread.join()

    def close(self) -> None:
        self._stop.set()
        self.wait()

    def _looked_up(self, searcher: Any, addresses: Sequence[Any]) -> list[Name]:
        known = self._by_seq
        if known is None:
            return [name_of(searcher.doc(address)) for address in addresses]
        names: list[Name] = []
        for seq, address in zip(searcher.fast_field_values("seq", addresses), addresses, strict=True):
            name = known.get(seq)
            if name is None:
                name = known[seq] = name_of(searcher.doc(address))
            names.append(name)
        if len(known) > MOST_KNOWN:
            known.clear()
        return names

    def _remember(self, number: int, name: Name) -> None:
        self._by_vector[number] = name
        if len(self._by_vector) > MOST_KNOWN:
            self._by_vector.clear()
            self._asked = 0  # so much is new that all is worth reading again

    def _read_all(self, searcher: Any) -> None:
        try:
            with self._index.trouble():
                table = _read(searcher, self._index.schema, self._stop.is_set)
        except RebuildNeeded as error:  # whoever searches is told
            _log.info("the names of the documents were not read into memory: %s", error)
            table = None
        with self._lock:
            self._thread = None
            self._table = table or self._table


def _read(searcher: Any, schema: Any, stop: Callable[[], bool]) -> _Table | None:
    """The names of all documents with vectors; None where that was stopped."""
    from tantivy import FieldType, Order, Query

    numbers, seqs, kinds, ids = list[int](), list[int](), list[int](), list[bytes]()
    codes: dict[str, int] = {}
    after = -1
    while not stop():
        above = Query.range_query(schema, "vec", FieldType.Integer, after + 1, 2**63 - 1)
        found = searcher.search(above, limit=_AT_ONCE, count=False, order_by_field="vec", order=Order.Asc).hits
        if not found:
            lengths = np.fromiter(map(len, ids), np.int64, len(ids))
            return _Table(
                np.array(numbers, np.int64), np.array(seqs, np.int64), np.array(kinds, np.int16), tuple(codes),
                np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), b"".join(ids),
            )  # fmt: skip
        for number, address in found:
            kind, id, seq = name_of(searcher.doc(address))
            numbers.append(number)
            seqs.append(seq)
            kinds.append(codes.setdefault(kind, len(codes)))
            ids.append(id.encode())
        after = numbers[-1]
    return None


def name_of(document: Any) -> Name:
    """What a document of tantivy's is called."""
    return document.get_first("kind"), document.get_first("id"), document.get_first("seq")
