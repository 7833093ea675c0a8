"""A kind whose rows are each one document: items, news, pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphvine.errors import GraphvineError
from graphvine.search.documents import Filters, Hit
from graphvine.search.hits import SearchHit, cite
from graphvine.search.kinds import Node
from graphvine.search.server_index import around

if TYPE_CHECKING:
    from graphvine.graph import Graph

_SNIPPET_CHARACTERS = 200


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
    has_vectors: bool = False
    outdated = False

    def __init__(self, graph: Graph, followed: Any, *, on_server: bool) -> None:
        self._graph, self._opened, self._on_server = graph, followed, on_server

    @property
    def followed(self) -> Any:
        """The index, and what brings it up to date."""
        return self._opened

    def text_of(self, key: str) -> Text | None:
        """A row by its key; None where it is gone."""
        raise NotImplementedError

    def edges(self, key: str, limit: int) -> Iterable[Node]:
        raise NotImplementedError

    def catch_up(self, progress: Callable[[int], None] | None = None) -> int:
        done: int = self.followed.catch_up(progress)
        return done

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        done: int = self.followed.rebuild(progress)
        return done

    def close(self) -> None:
        self.followed.close()

    def words(self, question: str, where: Filters | None, limit: int, *, any_word: bool = True) -> Sequence[Hit]:
        # No kind is named: the index holds nothing else, and a filter costs more than it leaves out.
        if self._on_server and where and set(where) - {"id"}:
            raise GraphvineError(f"on a server, {self.name} can't be searched with filters yet: leave them out")
        found: Sequence[Hit] = self.followed.index.text(
            question, None, where, limit=limit, any_word=any_word, snippets=False
        ).hits
        return found

    def ceiling(self, question: str) -> float:
        return 0.0 if self._on_server else float(self.followed.index.ceiling(question))

    def meaning(self, vector: Any, where: Filters | None, limit: int) -> Sequence[Hit]:
        found: Sequence[Hit] = self.followed.index.vector(vector, None, where, limit=limit, snippets=False).hits
        return found

    def node(self, document: str) -> str:
        return document

    def within(self, keys: Sequence[str]) -> Filters:
        return {"id": keys}

    def shown(self, documents: Sequence[str], question: str) -> Mapping[str, SearchHit]:
        snippets = {}
        if not self._on_server:
            found = self.followed.index.text(question, None, {"id": documents}, limit=len(documents), any_word=True)
            snippets = {hit.id: hit.snippet for hit in found.hits}
        made: dict[str, SearchHit] = {}
        for key in documents:
            row = self.text_of(key)
            if row is None:
                continue
            piece = snippets.get(key) or around(row.text, question)
            snippet, marks = (piece.text, piece.marks) if piece is not None else (row.text[:_SNIPPET_CHARACTERS], ())
            citation = cite(self.name, key, row.text or row.title, snippet, row.address, fetched_at=row.fetched_at)
            shown = snippet.replace("\n", " ").replace("\t", " ")
            made[key] = SearchHit(self.name, key, row.title, "", shown, 0.0, citation, marks=marks)
        return made
