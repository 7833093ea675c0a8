"""What an index says of its documents without reading one: counts, numbers, what words weigh."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphvine.search.documents import Filters, IndexFields, Kinds
from graphvine.search.errors import UnknownField
from graphvine.search.facets import facet_counts, facet_request
from graphvine.search.query_parser import Clause, read_query
from graphvine.search.text_index import TextIndex
from graphvine.search.vector_segment import SegmentView


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Texts and vectors of one commit."""

    searcher: Any
    views: tuple[SegmentView, ...]


class Counting:
    """Answers from one snapshot; any number of threads may ask at once."""

    def __init__(self, index: TextIndex, fields: IndexFields, snapshot: Snapshot) -> None:
        self._index, self._fields, self._snapshot = index, fields, snapshot

    def ceiling(self, query: str) -> float:
        """See SearchIndex.ceiling."""
        searcher, known = self._snapshot.searcher, 0.0
        with self._index.trouble():
            for clause in read_query(query, self._index.analysis):
                for word in () if clause.excluded else clause.words:
                    having = max(searcher.doc_freq(field, word) for field in self._fields.texts)
                    known += math.log(1 + (searcher.num_docs - having + 0.5) / (having + 0.5))
        return known

    def facets(
        self, query: str, filters: Filters | None, names: Sequence[str], size: int, years: range
    ) -> dict[str, dict[str, int]]:
        """See SearchIndex.facets."""
        import tantivy

        asking = self._index.asking
        clauses = [replace(one, loose=self._is_unknown(one)) for one in read_query(query, self._index.analysis)]
        wanted = facet_request(names, self._fields, size, years)
        restricted = asking.restricting(None, filters)
        for all_words in (True, False):
            parts = [
                *restricted,
                *([(tantivy.Occur.Must, asking.matching(clauses, all_words=all_words))] if clauses else []),
            ]
            whole = tantivy.Query.boolean_query([*parts, (tantivy.Occur.Must, tantivy.Query.all_query())])
            if self._matches(whole):
                break
        with self._index.trouble():
            return facet_counts(self._snapshot.searcher.aggregate(whole, wanted), names, years)

    def count(self, kind: Kinds, filters: Filters | None) -> int:
        """See SearchIndex.count."""
        return self._matches(self._index.asking.restriction(kind, filters))

    def seqs(self, kind: Kinds, filters: Filters | None, sort: str, limit: int) -> list[int]:
        """See SearchIndex.seqs."""
        import tantivy

        field, descending = self._index.asking.sort_field(sort)
        order = tantivy.Order.Desc if descending else tantivy.Order.Asc
        with self._index.trouble():
            found = self._snapshot.searcher.search(
                self._index.asking.restriction(kind, filters),
                limit=limit,
                count=False,
                order_by_field=field,
                order=order,
            )
            values = self._snapshot.searcher.fast_field_values("seq", [address for _, address in found.hits])
        return [int(value) for value in values]

    def numbers_by_seq(self, field: str, filters: Filters, limit: int) -> dict[int, int]:
        """See SearchIndex.numbers_by_seq."""
        if field not in self._fields.numbers:
            raise UnknownField(field, self._fields.numbers)
        searcher = self._snapshot.searcher
        with self._index.trouble():
            found = searcher.search(self._index.asking.restriction(None, filters), limit=max(1, limit), count=False)
            addresses = [address for _, address in found.hits]
            seqs, values = (searcher.fast_field_values(name, addresses) for name in ("seq", field))
        return {int(seq): int(value) for seq, value in zip(seqs, values, strict=True) if value is not None}

    def _is_unknown(self, clause: Clause) -> bool:
        if clause.excluded or len(clause.words) > 1:
            return False
        with self._index.trouble():
            return not any(self._snapshot.searcher.doc_freq(field, clause.words[0]) for field in self._fields.texts)

    def _matches(self, query: Any) -> int:
        with self._index.trouble():
            return int(self._snapshot.searcher.search(query, limit=1).count)
