"""The indexes that a server keeps itself, behind the face of the one that stands beside an embedded graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphvine.search.documents import Hit, Results, Snippet

if TYPE_CHECKING:
    from graphvine.graph import Graph

_WORD = re.compile(r"\w+")
# A word or a "phrase", without the minus that excludes it; a minus inside of a word does not.
_CLAUSE = re.compile(r'(?P<minus>(?<!\S)-)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
_MOST_CLAUSES, _MOST_CHARACTERS = 64, 2_000
# Of what an index names, some are gone since.
_SPARE = 2
_SNIPPET_CHARACTERS = 200


class ServerIndex:
    """Asks the blocks search_words and search_vector of a pipeline."""

    def __init__(self, graph: Graph, pipeline: str) -> None:
        self._graph, self._pipeline = graph, pipeline

    @staticmethod
    def serves(graph: Graph, pipeline: str) -> bool:
        return "search_words" in graph.library.entities[pipeline].blocks

    def text(
        self, text: str, kind: str | None, where: Mapping[str, Any] | None = None, *, limit: int, any_word: bool = True,
        snippets: bool = False, count: bool = False,
    ) -> Results:  # fmt: skip
        """Documents with some of the words."""
        # Words alone: in the server's own language of queries a stray sign is an error, and AND or NOT mean something.
        words = " ".join(_WORD.findall(text.lower()))
        return self._ask(kind, "search_words", where, limit, words=words) if words else Results(())

    def vector(
        self, vector: Sequence[float] | Any, kind: str | None, where: Mapping[str, Any] | None = None, *, limit: int,
        snippets: bool = False,
    ) -> Results:  # fmt: skip
        """The documents whose vectors are nearest, with their cosines."""
        return self._ask(kind, "search_vector", where, limit, vector=[float(value) for value in vector])

    def like(self, vector: Sequence[float] | Any, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Those of these hits that have a vector, with their cosines."""
        return self.vector(vector, None, {"id": [hit.id for hit in hits]}, limit=len(hits)).hits if hits else ()

    def _ask(self, kind: str | None, block: str, where: Mapping[str, Any] | None, limit: int, **more: Any) -> Results:
        if where is None:
            rows = self._graph.read(f"{self._pipeline}.{block}", candidates=limit * _SPARE, limit=limit, **more)
        else:
            ((field, values),) = where.items()
            rows = self._graph.read(f"{self._pipeline}.{block}_of_{field}", keys=values, limit=limit, **more)
        return Results(tuple(Hit(kind or self._pipeline, row["id"], row["seq"], row["score"]) for row in rows))


class NothingToFollow:
    """Stands where a followed index does: the server's is always in step."""

    def __init__(self, graph: Graph, pipeline: str) -> None:
        self.index = ServerIndex(graph, pipeline)

    def catch_up(self, progress: Callable[[int], None] | None = None) -> int:
        return 0

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        return 0

    def close(self) -> None:
        return None


def lucene(text: str, fields: Sequence[str], *, all_words: bool) -> str:
    """What people type (words, "phrases", -exclusions) in the server's language of queries; '' where it holds no word.

    A clause may be found in any of the fields; in the first of them it counts double.
    """
    clauses: list[str] = []
    wanted = False
    for found in list(_CLAUSE.finditer(text[:_MOST_CHARACTERS]))[:_MOST_CLAUSES]:
        words = _WORD.findall((found["phrase"] or found["word"] or "").lower())
        if not words:
            continue
        quoted = f'"{" ".join(words)}"'
        places = " ".join(f"{name}:{quoted}{'^2' if name == fields[0] else ''}" for name in fields)
        excluded = found["minus"] is not None
        clauses.append(f"{'-' if excluded else '+' if all_words else ''}({places})")
        wanted = wanted or not excluded
    return " ".join(clauses if wanted else ["*:*", *clauses]) if clauses else ""


def around(text: str, words: str) -> Snippet | None:
    """A piece of the text around the first of these words."""
    for word in _WORD.findall(words):
        found = re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE)
        if found:
            start = max(0, text.rfind(" ", 0, max(0, found.start() - _SNIPPET_CHARACTERS // 3)) + 1)
            return Snippet(text[start : start + _SNIPPET_CHARACTERS])
    return None
