"""The indexes that a server keeps itself, behind the face of the one that stands beside an embedded graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from graphvine.search.documents import Filters, Hit, Kinds, Range, Results, Snippet
from graphvine.search.server_words import SNIPPET_CHARACTERS, address_on, around, lucene, single_words

if TYPE_CHECKING:
    from graphvine.graph import Graph

# Of what an index names, some are gone since, and the order of the nearest is not exact.
_SPARE, _FEWEST = 2, 200
# So many rows are put in order and counted, however many there are.
MOST_FOUND = 100_000
_LEAST, _MOST = -(1 << 62), 1 << 62
_NO_FILTERS: dict[str, Any] = {
    "author": "", "not_author": "", "type": "", "source": "", "topic": "", "site": "", "place": "", "stories": [],
    "parents": [], "ids": [], "score_from": _LEAST, "score_to": _MOST, "time_from": _LEAST, "time_to": _MOST,
}  # fmt: skip


class ServerSections:
    """Sections of articles, by the blocks search_words and search_vector. `odd`: vectors of an odd generation."""

    _FIELDS = ("article", "path", "text")

    def __init__(self, graph: Graph, *, odd: bool) -> None:
        self._graph, self._odd = graph, odd

    @staticmethod
    def serves(graph: Graph) -> bool:
        return "search_words" in graph.library.entities["article"].blocks

    def text(
        self, text: str, kind: Kinds = None, where: Filters | None = None, *, limit: int, any_word: bool = False,
        tolerant: bool = False, snippets: bool = False, count: bool = False,
    ) -> Results:  # fmt: skip
        """Sections with all of the words; with some of them where none has all, or where that is what is asked for."""
        loose: Collection[str] = ()
        for all_words in (False,) if any_word else (True, False):
            found = self._words(text, where, limit, all_words=all_words)
            if tolerant and (any_word or not found) and not loose and (loose := self._unknown(text)):
                found = self._words(text, where, limit, all_words=all_words, loose=loose)
            if found:
                break
        return Results(tuple(found), relaxed=bool(found) and not all_words and not any_word, loose=tuple(loose))

    def vector(
        self, vector: Any, kind: Kinds = None, where: Filters | None = None, *, limit: int, snippets: bool = False
    ) -> Results:
        """The sections whose vectors are nearest, with their cosines."""
        return Results(tuple(self._ask("search_vector", where, limit, vector=_plain(vector), odd=self._odd)))

    def like(self, vector: Any, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Those of these hits that have a vector, with their cosines."""
        return self.vector(vector, None, {"id": [hit.id for hit in hits]}, limit=len(hits)).hits if hits else ()

    def _unknown(self, text: str) -> list[str]:
        return [word for word in single_words(text) if not self._words(word, None, 1, all_words=True)]

    def _words(
        self, text: str, where: Filters | None, limit: int, *, all_words: bool, loose: Collection[str] = ()
    ) -> list[Hit]:
        words = lucene(text, self._FIELDS, all_words=all_words, loose=loose)
        return self._ask("search_words", where, limit, words=words) if words else []

    def _ask(self, block: str, where: Filters | None, limit: int, **more: Any) -> list[Hit]:
        if where is None:
            rows = self._graph.read(f"article.{block}", candidates=max(_FEWEST, limit * _SPARE), limit=limit, **more)
        else:
            ((field, values),) = where.items()
            rows = self._graph.read(f"article.{block}_of_{field}", keys=values, limit=limit, **more)
        return [Hit("section", row["id"], row["seq"], row["score"]) for row in rows]


class ServerRows:
    """Rows that are each one document, by the block `search` of their pipeline."""

    # What the block is given, in the language of queries, and the fields in which words are looked for.
    fields: ClassVar[Mapping[str, Sequence[str]]] = {}
    pipeline = ""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    @classmethod
    def serves(cls, graph: Graph) -> bool:
        return "search" in graph.library.entities[cls.pipeline].blocks

    def key(self, id: str) -> Any:
        """The key of a row, as the graph has it."""
        return id

    def texts(self, ids: Sequence[str]) -> Mapping[str, str]:
        """The texts of these rows, for snippets."""
        return {}

    def text(
        self, words: str, kind: Kinds = None, filters: Filters | None = None, *, limit: int, offset: int = 0,
        sort: str = "relevance", any_word: bool = False, tolerant: bool = False, snippets: bool = True,
        count: bool = True,
    ) -> Results:  # fmt: skip
        """Rows with all of the words; with some of them where none has all, or where that is what is asked for."""
        loose: Collection[str] = ()
        for all_words in (False,) if any_word else (True, False):
            page, total, _ = self._ask(words, filters, sort, limit, offset, all_words=all_words, loose=loose)
            if tolerant and (any_word or not total) and not loose and (loose := self._unknown(words)):
                page, total, _ = self._ask(words, filters, sort, limit, offset, all_words=all_words, loose=loose)
            if total or not words.strip():
                break
        texts = self.texts([str(id) for id, _, _ in page]) if snippets and page else {}
        hits = [Hit(self.pipeline, str(id), seq, rank, _snippet(texts.get(str(id)), words)) for id, seq, rank in page]
        relaxed = bool(words.strip() and total) and not all_words and not any_word
        return Results(tuple(hits), total, relaxed, tuple(loose))

    def count(self, kind: Kinds = None, filters: Filters | None = None) -> int:
        """How many rows the filters pass."""
        return self._ask("", filters, "relevance", 1, 0)[1]

    def seqs(self, kind: Kinds, filters: Filters, *, sort: str, limit: int) -> list[int]:
        """The numbers of all rows that the filters pass, in this order."""
        return [seq for _, seq, _ in self._ask("", filters, sort, limit, 0)[0]]

    def facets(
        self, words: str, filters: Filters | None = None, *, names: Sequence[str], size: int = 10
    ) -> dict[str, dict[str, int]]:
        """How many of the rows that `text` finds have each value, commonest first; `year` is that of the time."""
        loose: Collection[str] = ()
        for all_words in (True, False):
            _, total, rows = self._ask(words, filters, "relevance", 1, 0, facets=names, all_words=all_words)
            if not total and (loose := self._unknown(words)):
                found = self._ask(words, filters, "relevance", 1, 0, facets=names, all_words=all_words, loose=loose)
                _, total, rows = found
            if total:
                break
        counted = [_counted(column) for column in zip(*rows, strict=True)]
        return {
            name: dict(sorted(counts.items()) if name == "year" else counts.most_common(size))
            for name, counts in zip(names, counted or [Counter[str]()] * len(names), strict=True)
        }

    def _unknown(self, text: str) -> list[str]:
        return [word for word in single_words(text) if not self._ask(word, None, "relevance", 1, 0)[1]]

    def _ask(
        self, words: str, filters: Filters | None, sort: str, limit: int, offset: int, *, all_words: bool = True,
        loose: Collection[str] = (), facets: Sequence[str] = (),
    ) -> tuple[list[tuple[Any, int, float]], int, list[list[Any]]]:  # fmt: skip
        """A page of keys with their numbers and ranks; how many there are; and of each the values of these facets."""
        asked: dict[str, Any] = {
            name: lucene(words, fields, all_words=all_words, loose=loose) for name, fields in self.fields.items()
        }
        given = self._parameters(filters or {})
        if words.strip() and not any(asked.values()):
            return [], 0, []
        ways = [name for name in ("ids", "parents", "author", "stories") if given[name]]
        way = "words" if words.strip() else ways[0] if ways else "all"
        order = sort.lstrip("-")
        asked |= {"way": way, "order": order, "skip": offset, "limit": limit, "facets": list(facets), **given}
        (row,) = self._graph.read(f"{self.pipeline}.search", asked=asked, most=MOST_FOUND)
        return [(id, seq, rank) for id, seq, rank in row["page"]], row["total"], row["facets"]

    def _parameters(self, filters: Filters) -> dict[str, Any]:
        """The filters of the index as the parameters of the block."""
        given: dict[str, Any] = dict(_NO_FILTERS)
        for name, value in filters.items():
            if name in ("author", "type", "source", "topic"):
                given[name] = value
            elif name == "-author":
                given["not_author"] = value
            elif name == "site":
                given["site"] = address_on(str(value))
            elif name in ("score", "time") and isinstance(value, Range):
                given[f"{name}_from"] = _LEAST if value.minimum is None else value.minimum
                given[f"{name}_to"] = _MOST if value.maximum is None else value.maximum
            elif name == "story":
                given["stories"] = value
            elif name == "id" and isinstance(value, Sequence):
                # No row has the key -1 or '': a list that is empty asks for nothing.
                given["ids"] = [self.key(str(id)) for id in value] or [self.key("-1")]
            elif isinstance(value, Range):  # of `parent`: there is one
                given["place"] = "below"
            elif value == 0:  # of `parent`: there is none
                given["place"] = "top"
            else:
                given["parents"] = value
        return given


class NothingToFollow:
    """Stands where a followed index does: the server's is always in step."""

    def __init__(self, index: Any) -> None:
        self.index = index

    def catch_up(self, progress: Callable[[int], None] | None = None) -> int:
        return 0

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        return 0

    def close(self) -> None:
        return None


def _counted(column: Sequence[Any]) -> Counter[str]:
    every = [one for value in column for one in (value if isinstance(value, list) else [value])]
    return Counter(str(one) for one in every if one is not None)


def _snippet(text: str | None, words: str) -> Snippet | None:
    # The server finds words by their stems: where none stands there as it was typed, the beginning is shown.
    if text is None or not words.strip():
        return None
    return around(text, words) or Snippet(text[:SNIPPET_CHARACTERS])


def _plain(vector: Any) -> list[float]:
    return [float(value) for value in vector]
