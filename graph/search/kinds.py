"""What a pipeline offers to the one search over all kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

from graphvine.search.documents import Filters, Hit, Results
from graphvine.search.hits import SearchHit

Mode = Literal["walk", "hybrid", "vector", "text"]
Node = tuple[str, str]  # the kind and the key of something that edges lead to


class SearchKind(Protocol):
    """One kind of rows that can be searched. Documents are what an index holds; a node may have several of them."""

    name: str
    """What people call it: article, hn, news, page."""

    filters: frozenset[str]
    """The filters that its documents have; one that is asked for and is not here excludes the whole kind."""

    @property
    def has_vectors(self) -> bool:
        """Whether its documents have vectors of the graph's model."""

    @property
    def partly_embedded(self) -> bool:
        """Whether documents may yet lack the vector that others have: they are taken to mean what their words say."""

    @property
    def outdated(self) -> bool:
        """Whether it has to be opened again."""

    def catch_up(self) -> object:
        """Bring the index to where the graph is."""

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        """Make the index from nothing. Returns how many rows were read."""

    def close(self) -> None: ...

    def words(
        self, question: str, where: Filters | None, limit: int, *, any_word: bool = True, sort: str = "relevance"
    ) -> Results:
        """Documents with these words, the best first; for a word that none has, words like it are taken.

        With another `sort` (-time, -score), the largest of that field first, which stands in place of the score.
        """

    def facets(self, question: str, where: Filters | None, names: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """How many of the documents with these words have each value of those of these fields that the kind has."""

    def ceiling(self, question: str) -> float:
        """What these words weigh in the index; 0 where that is not known."""

    def meaning(self, vector: Any, where: Filters | None, limit: int) -> Sequence[Hit]:
        """Documents with the nearest vectors, with their cosines."""

    def like(self, vector: Any, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Those of these documents that have a vector, with their cosines."""

    def node(self, document: str) -> str:
        """The key of the node that a document belongs to."""

    def within(self, keys: Sequence[str]) -> Filters:
        """The filter for the documents of these nodes."""

    def edges(self, key: str, limit: int) -> Iterable[Node]:
        """The other ends of a node's edges; at most `limit` are read, so that a hub costs no more than others."""

    def edges_at_hand(self, keys: Sequence[str], limit: int) -> Mapping[str, Sequence[Node]]:
        """The same of those of these nodes whose edges are known without asking the engine."""

    def shown(self, documents: Sequence[str], question: str) -> Mapping[str, SearchHit]:
        """These documents as hits, with snippets and citations; the score is set by the search."""
