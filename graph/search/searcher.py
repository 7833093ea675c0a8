"""The reading side: one snapshot of the index, searched by text, by vector, or both fused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphvine.search.counting import Counting, Snapshot
from graphvine.search.documents import Filters, Hit, IndexFields, Kinds, Results, Stored
from graphvine.search.errors import SearchError
from graphvine.search.flat_query import some_words
from graphvine.search.names import Names, name_of
from graphvine.search.query_parser import MAX_TEXT_CHARACTERS, read_query
from graphvine.search.ranking import fuse
from graphvine.search.snippets import Snippets
from graphvine.search.text_index import TextIndex

MAX_LIMIT = 1000
MAX_OFFSET = 100_000
# So few matches of a filter are compared one by one: cheaper than asking the graphs for ever more neighbours.
_FEW_MATCHES = 4000
_FUSED_DEPTH = 50


@dataclass(frozen=True, slots=True)
class _Found:
    """Scores and addresses within the snapshot, best first; no document was looked at yet."""

    scored: list[tuple[float, Any]]
    query: Any | None = None
    total: int | None = None
    relaxed: bool = False
    loose: tuple[str, ...] = ()


class Searching(Counting):
    """Answers from one snapshot; any number of threads may do so at once."""

    def __init__(
        self, index: TextIndex, fields: IndexFields, snapshot: Snapshot, snippet_characters: int,
        names: Names,
    ) -> None:  # fmt: skip
        super().__init__(index, fields, snapshot)
        self._names, self._characters = names, snippet_characters

    def text(
        self, query: str, kind: Kinds, filters: Filters | None, limit: int, offset: int, sort: str, any_word: bool,
        snippets: bool, tolerant: bool, count: bool = True,
    ) -> Results:  # fmt: skip
        """See SearchIndex.text."""
        _check_page(limit, offset)
        found = self._by_text(
            query, kind, filters, limit, offset, sort, any_word=any_word, tolerant=tolerant, count=count
        )
        return self._results(found, snippets=snippets)

    def vector(
        self, query: NDArray[np.float32], kind: Kinds, filters: Filters | None, limit: int, snippets: bool
    ) -> Results:
        """See SearchIndex.vector."""
        _check_page(limit, 0)
        self._names.prepare(self._snapshot.searcher)
        if self._names.ready and kind is None and not filters and not snippets:
            # Where all names are known, no document need be looked for.
            numbers, scores = _merge([view.nearest(query, limit) for view in self._snapshot.views], limit)
            names = self._names.of_vectors(numbers)
            if None not in names:
                ranked = zip(filter(None, names), scores.tolist(), numbers.tolist(), strict=True)
                return Results(tuple(Hit(*name, score, None, number) for name, score, number in ranked))
        return self._results(self._by_vector(query, kind, filters, limit), snippets=snippets)

    def like(self, query: NDArray[np.float32], hits: Sequence[Hit]) -> list[Hit]:
        """See SearchIndex.like."""
        numbers = np.array(sorted({hit.vector for hit in hits if hit.vector is not None}), dtype=np.int64)
        views = self._snapshot.views
        found, scores = _merge([view.nearest_of(query, numbers, len(numbers)) for view in views], len(numbers))
        cosines = dict(zip(found.tolist(), scores.tolist(), strict=True))
        return [
            Hit(hit.kind, hit.id, hit.seq, cosines[hit.vector], vector=hit.vector)
            for hit in hits if hit.vector in cosines
        ]  # fmt: skip

    def shown(self, ids: Sequence[str], query: str) -> dict[str, Stored]:
        """See SearchIndex.shown."""
        searcher, asking = self._snapshot.searcher, self._index.asking
        clauses = read_query(query, self._index.analysis)
        wanted = asking.matching(clauses, all_words=False) if clauses else None
        names = (*self._fields.texts, *self._fields.stored)
        made: dict[str, Stored] = {}
        with self._index.trouble():
            found = searcher.search(asking.restriction(None, {"id": ids}), limit=max(1, len(ids)), count=False).hits
            cutter = Snippets(searcher, self._index.schema, self._fields, wanted, self._characters)
            for _, address in found:
                document = searcher.doc(address)
                texts = {name: document.get_first(name) or "" for name in names}
                if self._fields.stored:
                    exact = bool(document.get_first("exact"))
                else:
                    exact = all(text.isascii() and len(text) < MAX_TEXT_CHARACTERS for text in texts.values())
                made[document.get_first("id")] = Stored(texts, cutter.cut(document), exact)
        return made

    def hybrid(
        self, text: str, query: NDArray[np.float32], kind: Kinds, filters: Filters | None, limit: int, offset: int
    ) -> Results:
        """See SearchIndex.hybrid."""
        _check_page(limit, offset)
        depth = min(MAX_LIMIT, max(_FUSED_DEPTH, 2 * (limit + offset)))
        by_text, by_vector = _Found([]), self._by_vector(query, kind, filters, depth)
        if text.strip():
            by_text = self._by_text(text, kind, filters, depth, 0, "relevance", any_word=True, count=False)
        places = {(address.segment_ord, address.doc): address for _, address in (*by_text.scored, *by_vector.scored)}
        rankings = [[(one.segment_ord, one.doc) for _, one in found.scored] for found in (by_text, by_vector)]
        fused = fuse(rankings)[offset : offset + limit]
        return self._results(_Found([(score, places[place]) for place, score in fused], by_text.query))

    def _by_text(
        self,
        query: str,
        kind: Kinds,
        filters: Filters | None,
        limit: int,
        offset: int,
        sort: str,
        *,
        any_word: bool = False,
        tolerant: bool = False,
        count: bool = True,
    ) -> _Found:
        import tantivy

        asking = self._index.asking
        clauses = read_query(query, self._index.analysis)
        if tolerant:
            clauses = tuple(replace(one, loose=True) if self._is_unknown(one) else one for one in clauses)
        order: dict[str, Any] = {}
        if sort != "relevance":
            field, largest_first = asking.sort_field(sort)
            order = {"order_by_field": field, "order": tantivy.Order.Desc if largest_first else tantivy.Order.Asc}
        restricted = asking.restricting(kind, filters, worded=not all(one.excluded for one in clauses))
        if query.strip() and not clauses:
            return _Found([], total=0)
        for all_words in (False,) if any_word else (True, False):
            with self._index.trouble():
                if all_words or order:
                    wanted = asking.matching(clauses, all_words=all_words)
                else:
                    wanted = some_words(asking, clauses, self._snapshot.searcher.doc_freq)
                whole = (
                    tantivy.Query.boolean_query([(tantivy.Occur.Must, wanted), *restricted]) if restricted else wanted
                )
                found = self._snapshot.searcher.search(whole, limit=limit, count=count, offset=offset, **order)
            if found.hits or found.count:
                break
        # An order by a field gives its value in place of a score.
        scored = [(float(score or 0), address) for score, address in found.hits]
        relaxed = bool(found.hits or found.count) and not all_words and not any_word
        loose = tuple(one.typed for one in clauses if one.loose)
        return _Found(scored, wanted if clauses else None, found.count, relaxed, loose)

    def _by_vector(self, query: NDArray[np.float32], kind: Kinds, filters: Filters | None, limit: int) -> _Found:
        numbers, scores, addresses = self._nearest(query, kind, filters, limit)
        ranked = zip(numbers.tolist(), scores.tolist(), strict=True)
        return _Found([(score, addresses[number]) for number, score in ranked if number in addresses])

    def _nearest(
        self, query: NDArray[np.float32], kind: Kinds, filters: Filters | None, limit: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], dict[int, Any]]:
        """The numbers of the nearest vectors, their cosines, and where their documents are."""
        views, asking = self._snapshot.views, self._index.asking
        if kind is None and not filters:
            numbers, scores = _merge([view.nearest(query, limit) for view in views], limit)
            return numbers, scores, self._addresses(self._of(numbers), len(numbers))[0]
        restriction = asking.restriction(kind, filters)
        # Few documents match: they are compared exactly. Most do: the nearest of all hold enough that do.
        addresses, matches = self._addresses(restriction, _FEW_MATCHES)
        if matches >= _FEW_MATCHES:
            ask = 4 * limit
            while ask <= _FEW_MATCHES:
                numbers, scores = _merge([view.nearest(query, ask) for view in views], ask)
                among, _ = self._addresses(asking.restriction(kind, filters, self._of(numbers)), ask)
                kept = np.array([number in among for number in numbers.tolist()], dtype=np.bool_)
                if kept.sum() >= limit or len(numbers) < ask:
                    return numbers[kept][:limit], scores[kept][:limit], among
                ask *= 4
            addresses, _ = self._addresses(restriction, self._matches(restriction))
        allowed = np.array(sorted(addresses), dtype=np.int64)
        numbers, scores = _merge([view.nearest_of(query, allowed, limit) for view in views], limit)
        return numbers, scores, addresses

    def _of(self, numbers: NDArray[np.int64]) -> Any:
        import tantivy

        return tantivy.Query.term_set_query(self._index.schema, "vec", numbers.tolist())

    def _addresses(self, query: Any, limit: int) -> tuple[dict[int, Any], int]:
        """Of up to so many documents that a query finds, those that have a vector, by its number; and how many."""
        with self._index.trouble():
            found = self._snapshot.searcher.search(query, limit=max(1, limit), count=False).hits
            addresses = [address for _, address in found]
            values = self._snapshot.searcher.fast_field_values("vec", addresses)
        having = {value: address for value, address in zip(values, addresses, strict=True) if value is not None}
        return having, len(addresses)

    def _results(self, found: _Found, *, snippets: bool = True) -> Results:
        searcher, addresses = self._snapshot.searcher, [address for _, address in found.scored]
        with self._index.trouble():
            numbers = searcher.fast_field_values("vec", addresses)
            if snippets:
                cutter = Snippets(searcher, self._index.schema, self._fields, found.query, self._characters)
                documents = [searcher.doc(address) for address in addresses]
                names = [name_of(document) for document in documents]
                pieces = [cutter.cut(document) for document in documents]
            else:
                names, pieces = self._names.of_documents(searcher, addresses, numbers), [None] * len(addresses)
        scores = [score for score, _ in found.scored]
        hits = [
            Hit(kind, id, seq, score, piece, number)
            for (kind, id, seq), score, piece, number in zip(names, scores, pieces, numbers, strict=True)
        ]
        return Results(tuple(hits), found.total, found.relaxed, found.loose)


def _merge(
    ranked: Sequence[tuple[NDArray[np.int64], NDArray[np.float32]]], limit: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The best of several segments' best."""
    numbers = np.concatenate([np.empty(0, dtype=np.int64), *(pair[0] for pair in ranked)])
    scores = np.concatenate([np.empty(0, dtype=np.float32), *(pair[1] for pair in ranked)])
    order = np.lexsort((numbers, -scores))[:limit]
    return numbers[order], scores[order]


def _check_page(limit: int, offset: int) -> None:
    if not 1 <= limit <= MAX_LIMIT:
        raise SearchError(f"limit must be from 1 to {MAX_LIMIT}, not {limit}")
    if not 0 <= offset <= MAX_OFFSET:
        raise SearchError(f"offset must be from 0 to {MAX_OFFSET}, not {offset}")
