"""A kind whose rows are each one document: items, news, pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphvine.search.documents import Filters, Hit, Results, Stored
from graphvine.search.hits import SearchHit, cite
from graphvine.search.kinds import Node
from graphvine.search.row_vectors import RowVectors
from graphvine.search.server_words import around

if TYPE_CHECKING:
    from graphvine.graph import Graph

_SNIPPET_CHARACTERS = 200
# Where filters pass no more documents than these, all are compared; otherwise so many of the nearest are filtered.
_FEW_MATCHES = 1_000
# What people call a field by which rows are counted.
_FACETS = {"by": "author"}


@dataclass(frozen=True, slots=True)
class Text:
    """What is shown and cited of a row."""

    title: str
    text: str
    address: str
    fetched_at: datetime | None = None


class RowKind:
    """`followed` has the index and brings it up to date. Subclasses say what a row is and where its edges lead."""

    name = ""
    filters: frozenset[str] = frozenset()
    facet_names: frozenset[str] = frozenset()
    own_vectors = False  # whether its own index holds vectors, beside those of the queue
    outdated = False
    partly_embedded = True

    def __init__(self, graph: Graph, followed: Any, *, on_server: bool) -> None:
        self._graph, self._opened, self._on_server = graph, followed, on_server
        self._vectors = RowVectors(graph, self.name)

    @property
    def has_vectors(self) -> bool:
        return self.own_vectors or self._vectors.there

    @property
    def followed(self) -> Any:
        """The index, and what brings it up to date."""
        return self._opened

    def text_of(self, key: str, kept: Stored | None) -> Text | None:
        """A row by its key; None where it is gone. `kept` is what the index has of it."""
        raise NotImplementedError

    def edges_at_hand(self, keys: Sequence[str], limit: int) -> Mapping[str, Sequence[Node]]:
        return {}

    def edges(self, key: str, limit: int) -> Iterable[Node]:
        raise NotImplementedError

    def catch_up(self, progress: Callable[[int], None] | None = None) -> int:
        done: int = self.followed.catch_up(progress)
        return done + self._vectors.catch_up()

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        done: int = self.followed.rebuild(progress)
        self._vectors.rebuild()
        return done

    def wait(self) -> None:
        """Until what threads read into memory for further searches is there."""
        self._vectors.wait()

    def close(self) -> None:
        self.followed.close()
        self._vectors.close()

    def words(
        self, question: str, where: Filters | None, limit: int, *, any_word: bool = True, sort: str = "relevance"
    ) -> Results:
        # No kind is named: the index holds nothing else, and a filter costs more than it leaves out.
        found: Results = self.followed.index.text(
            question, None, where, limit=limit, any_word=any_word, sort=sort, snippets=False, count=False, tolerant=True
        )
        return found

    def facets(self, question: str, where: Filters | None, names: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        asked = {_FACETS.get(name, name): name for name in names if name in self.facet_names}
        counted = self.followed.index.facets(question, where, names=list(asked)) if asked else {}
        return {asked[name]: values for name, values in counted.items()}

    def ceiling(self, question: str) -> float:
        return 0.0 if self._on_server else float(self.followed.index.ceiling(question))

    def meaning(self, vector: Any, where: Filters | None, limit: int) -> Sequence[Hit]:
        ids = (where or {}).get("id")
        found: Sequence[Hit] = ()
        if self.own_vectors:
            found = self.followed.index.vector(vector, None, where, limit=limit, snippets=False).hits
        if self._vectors.there and isinstance(ids, Sequence):
            keys = [str(key) for key in ids]
            found = _joined(found, self._passing(self._vectors.nearest_of(vector, keys, len(keys)), where))
        elif self._vectors.there:
            found = _joined(found, self._nearest(vector, where, limit))
        return found[:limit]

    def like(self, vector: Any, hits: Sequence[Hit]) -> Sequence[Hit]:
        found: Sequence[Hit] = self.followed.index.like(vector, hits) if self.own_vectors else ()
        if self._vectors.there:
            found = _joined(found, self._vectors.nearest_of(vector, [hit.id for hit in hits], len(hits)))
        return found

    def _nearest(self, vector: Any, where: Filters | None, limit: int) -> Sequence[Hit]:
        """The nearest of the queue's vectors that the filters pass."""
        if not where:
            return self._passing(self._vectors.nearest(vector, limit), None)
        index = self.followed.index
        if index.count(None, where) <= _FEW_MATCHES:
            keys = [hit.id for hit in index.text("", None, where, limit=_FEW_MATCHES, snippets=False).hits]
            return self._vectors.nearest_of(vector, keys, limit)
        return self._passing(self._vectors.nearest(vector, _FEW_MATCHES), where)

    def _passing(self, hits: Sequence[Hit], where: Filters | None) -> Sequence[Hit]:
        """Those that the index of words holds, too: others are gone, or a filter leaves them out."""
        if not hits:
            return hits
        wanted = {**(where or {}), "id": [hit.id for hit in hits]}
        there = {
            hit.id
            for hit in self.followed.index.text("", None, wanted, limit=len(hits), snippets=False, count=False).hits
        }
        return [hit for hit in hits if hit.id in there]

    def node(self, document: str) -> str:
        return document

    def within(self, keys: Sequence[str]) -> Filters:
        return {"id": keys}

    def shown(self, documents: Sequence[str], question: str) -> Mapping[str, SearchHit]:
        stored: Mapping[str, Stored] = {} if self._on_server else self.followed.index.shown(documents, question)
        made: dict[str, SearchHit] = {}
        for key in documents:
            kept = stored.get(key)
            row = self.text_of(key, kept)
            if row is None:
                continue
            piece = kept.snippet if kept is not None else None
            if piece is None or (question.strip() and not piece.marks):  # a text's beginning says nothing of the words
                piece = around(row.text, question)
            snippet, marks = (piece.text, piece.marks) if piece is not None else (row.text[:_SNIPPET_CHARACTERS], ())
            citation = cite(self.name, key, row.text or row.title, snippet, row.address, fetched_at=row.fetched_at)
            shown = snippet.replace("\n", " ").replace("\t", " ")
            made[key] = SearchHit(self.name, key, row.title, "", shown, 0.0, citation, marks=marks)
        return made


def _joined(one: Sequence[Hit], other: Sequence[Hit]) -> list[Hit]:
    """Both rankings as one; the second counts where both have a document."""
    found = {hit.id: hit for hit in (*one, *other)}
    return sorted(found.values(), key=lambda hit: -hit.score)
