"""One question, over all kinds: rankings by words and by meaning, fused, or walked over the edges of the graph."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from operator import itemgetter
from typing import Any

from graphvine.search.documents import Filters, Hit
from graphvine.search.hits import SearchHit, name_of
from graphvine.search.kinds import Node, SearchKind
from graphvine.search.ranking import fuse, walk

# Looked at by words and by meaning, of each kind.
_CANDIDATES = 100
# Found by meaning and not by words, so many of the best are looked up by their words.
_WORDS_LOOKED_UP = 10
# Only where the last of those found by words has more of the best's score than this: the words alone can't choose.
_STILL_LIKE_THE_BEST = 0.5
# Of a node's edges so many are walked: a hub costs no more than any other.
MAX_EDGES = 200
# Of the documents at the other ends of the edges, so many of the likest are looked at.
_NEIGHBOURS = 100
_READS_AT_ONCE = 3
# What an index gives at most.
_MOST_ASKED = 1_000

Document = tuple[str, str]  # its kind and its id


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A document, the shares of its score, and the node that led to it."""

    document: Document
    score: float
    by_words: float = 0.0
    by_meaning: float = 0.0
    by_link: float = 0.0
    via: Node | None = None


class Question:
    """Scores of documents are shares of the best one, by words and by meaning; a node has its best document's."""

    def __init__(
        self, kinds: Mapping[str, SearchKind], text: str, vector: Any | None, where: Filters | None = None,
        between: Callable[[Node, int], Iterable[Node]] | None = None, group: Callable[[Node], str | None] | None = None,
    ) -> None:  # fmt: skip
        """`between` gives the edges between the kinds, `group` names the near duplicates that a node is one of."""
        self._kinds, self._text, self._vector, self._where = kinds, text, vector, where
        self._between, self._group = between, group
        self._words: dict[Document, float] = {}
        self._hits: dict[Document, Hit] = {}  # what was found by words
        self._meaning: dict[Document, float] = {}
        self._node_of: dict[Document, Node] = {}
        self._best = {"words": 0.0, "meaning": 0.0}
        self._weights: dict[str, float] = {}
        self._loose: dict[str, None] = {}  # words that some kind has not, for which words like them were taken

    def text(self, limit: int) -> list[SearchHit]:
        """By words: documents with all of them; with some where none has all."""
        found = self._by_words(self._where, self._wanted(limit), any_word=False)
        return self._shown([_Ranked(one, score, by_words=score) for one, score in found], limit)

    def ordered(self, sort: str, limit: int) -> list[SearchHit]:
        """By words, those with the largest value of a field first (-time, -score)."""
        found = {
            name: kind.words(self._text, self._where, self._wanted(limit), any_word=False, sort=sort)
            for name, kind in self._kinds.items()
        }
        self._loose |= dict.fromkeys(word for one in found.values() if one.hits for word in one.loose)
        # All of the words in some kinds are better than some of them in others.
        whole = {name: one for name, one in found.items() if one.hits and not one.relaxed} or found
        hits = sorted(
            ((hit.score, (name, hit.id)) for name, one in whole.items() for hit in one.hits), key=lambda one: -one[0]
        )
        return self._shown([_Ranked(document, 0.0) for _, document in hits], limit)

    def vector(self, limit: int) -> list[SearchHit]:
        """By meaning."""
        found = self._by_meaning(self._where, self._wanted(limit))
        return self._shown([_Ranked(one, score, by_meaning=score) for one, score in found], limit)

    def hybrid(self, limit: int, more: Iterable[Sequence[Document]] = ()) -> list[SearchHit]:
        """Both rankings made into one, and further ones with them."""
        return self._shown(self._fused(more), limit)

    def walk(self, limit: int) -> list[SearchHit]:
        """The best document of each node: by words, by meaning, and by the edges between nodes.

        Where no edge leads from the best hits, there is nothing to walk and the two rankings are fused.
        """
        rankings = self._rankings()
        # What was found by its words has a meaning too, beyond the nearest, and what was found by its meaning, words:
        # where very many have them, the best by words may leave it out.
        by_words = [one for one in self._words if one not in self._meaning]
        if len(self._words) >= _CANDIDATES and min(self._words.values()) > _STILL_LIKE_THE_BEST:
            self._words_of([one for one in self._meaning if one not in self._words][:_WORDS_LOOKED_UP])
        self._meaning_of(by_words)
        ranked = walk(self._nodes(self._own()), self._edges, self._likeness)
        if not any(walked.via for walked in ranked.values()):
            fused = self._ranked(rankings)
            first = {self._node(one.document): one for one in reversed(fused)}
            return self._shown([one for one in fused if first[self._node(one.document)] is one], limit)
        best = self._best_of(self._own())
        return self._shown((
            _Ranked(best[node], walked.score, self._words.get(best[node], 0.0), self._meaning.get(best[node], 0.0),
                    walked.gain, walked.via)
            for node, walked in ranked.items() if node in best
        ), limit)  # fmt: skip

    def found_by(self, kind: str) -> list[str]:
        """The documents of a kind that both rankings hold."""
        return [one.document[1] for one in self._fused() if one.document[0] == kind]

    def _fused(self, more: Iterable[Sequence[Document]] = ()) -> list[_Ranked]:
        return self._ranked([*self._rankings(), *more])

    def _rankings(self) -> list[Sequence[Document]]:
        """By words, and by meaning where there is any: at once, as most of their time they are in the indexes."""
        if self._vector is None:
            return [[one for one, _ in self._by_words(self._where, _CANDIDATES)]]
        by_words = _readers().submit(self._by_words, self._where, _CANDIDATES)
        by_meaning = [one for one, _ in self._by_meaning(self._where, _CANDIDATES)]
        return [[one for one, _ in by_words.result()], *([by_meaning] if by_meaning else [])]

    def _ranked(self, rankings: Iterable[Sequence[Document]]) -> list[_Ranked]:
        return [
            _Ranked(one, score, self._words.get(one, 0.0), self._meaning.get(one, 0.0))
            for one, score in fuse(rankings)
        ]  # fmt: skip

    def _by_words(
        self, where: Filters | None, limit: int, kinds: Iterable[str] | None = None, *, any_word: bool = True
    ) -> list[tuple[Document, float]]:
        results = {
            name: self._kinds[name].words(self._text, where, limit, any_word=any_word) for name in kinds or self._kinds
        }
        self._loose |= dict.fromkeys(word for one in results.values() if one.hits for word in one.loose)
        found = {name: one.hits for name, one in results.items()}
        self._hits.update({(name, hit.id): hit for name, hits in found.items() for hit in hits})
        return self._shares({
            name: [(hit.id, hit.score * self._weight(name, hits)) for hit in hits] for name, hits in found.items()
        }, self._words, "words")  # fmt: skip

    def _weight(self, kind: str, hits: Sequence[Hit]) -> float:
        """Scores by words depend on how rare a word is among the documents of an index: this makes them comparable."""
        if kind not in self._weights and hits:
            ceiling = self._kinds[kind].ceiling(self._text) if len(self._kinds) > 1 else 1.0
            self._weights[kind] = 1 / (ceiling or hits[0].score or 1.0)
        return self._weights.get(kind, 1.0)

    def _by_meaning(
        self, where: Filters | None, limit: int, kinds: Iterable[str] | None = None
    ) -> list[tuple[Document, float]]:
        if self._vector is None:
            return []
        named = [name for name in (kinds or self._kinds) if self._kinds[name].has_vectors]
        return self._cosines({name: self._kinds[name].meaning(self._vector, where, limit) for name in named})

    def _meaning_of(self, documents: Sequence[Document]) -> None:
        if self._vector is None:
            return
        for name, kind in self._kinds.items():
            if kind.has_vectors and (hits := [self._hits[one] for one in documents if one[0] == name]):
                self._cosines({name: kind.like(self._vector, hits)})

    def _words_of(self, documents: Sequence[Document]) -> None:
        """How much of the question's words these have."""
        for name in dict.fromkeys(kind for kind, _ in documents):
            keys = sorted({self._node(one)[1] for one in documents if one[0] == name})
            where = {**(self._where or {}), **self._kinds[name].within(keys)}
            self._by_words(where, len(documents), [name])

    def _cosines(self, found: Mapping[str, Sequence[Hit]]) -> list[tuple[Document, float]]:
        return self._shares(
            {name: [(hit.id, hit.score) for hit in hits] for name, hits in found.items()}, self._meaning, "meaning"
        )

    def _shares(
        self, found: Mapping[str, Sequence[tuple[str, float]]], into: dict[Document, float], by: str
    ) -> list[tuple[Document, float]]:
        """Scores as shares of the best one of all, the best first; kept in `into`."""
        hits = [(score, (kind, id)) for kind, one in found.items() for id, score in one]
        hits.sort(key=itemgetter(0), reverse=True)
        self._best[by] = best = self._best[by] or (hits[0][0] if hits else 0.0)
        shares = [(document, score / best if best > 0 < score else 0.0) for score, document in hits]
        into.update(shares)
        return shares

    def _own(self) -> dict[Document, float]:
        """What has no vector, as nothing of its kind has one or its turn is yet to come, means what its words say."""
        words, meaning = self._words, self._meaning
        plain = {
            name for name, kind in self._kinds.items()
            if self._vector is not None and (kind.partly_embedded or not kind.has_vectors)
        }  # fmt: skip
        own = {one: score + score if one[0] in plain and one not in meaning else score for one, score in words.items()}
        for one, score in meaning.items():
            own[one] = own.get(one, 0.0) + score
        return own

    def _likeness(self, nodes: Collection[Node]) -> Mapping[Node, float]:
        """How like the question these nodes are: by meaning, or by words where there are no vectors."""
        like: dict[Document, float] = {}
        for name in {kind for kind, _ in nodes} & self._kinds.keys():
            kind = self._kinds[name]
            where = {**(self._where or {}), **kind.within(sorted(key for other, key in nodes if other == name))}
            by_meaning = self._vector is not None and kind.has_vectors
            if not by_meaning or kind.partly_embedded:
                like.update(self._by_words(where, _NEIGHBOURS, [name]))
            if by_meaning:
                like.update(self._by_meaning(where, _NEIGHBOURS, [name]))
        return self._nodes(like)

    def _edges(self, nodes: Sequence[Node]) -> dict[Node, list[Node]]:
        known: dict[Node, Sequence[Node]] = {}
        for name in dict.fromkeys(kind for kind, _ in nodes):
            at_hand = self._kinds[name].edges_at_hand([key for kind, key in nodes if kind == name], MAX_EDGES)
            known |= {(name, key): found for key, found in at_hand.items()}
        # A statement for each other node, which the index of keys answers; most of its time it waits for the engine.
        asked = [node for node in nodes if node not in known or self._between is not None]
        known |= zip(asked, _readers().map(lambda node: self._read_edges(node, known.get(node)), asked), strict=True)
        return {
            node: [other for other in dict.fromkeys(known[node]) if other != node and other[0] in self._kinds]
            for node in nodes
        }  # fmt: skip

    def _read_edges(self, node: Node, known: Sequence[Node] | None) -> list[Node]:
        found = list(self._kinds[node[0]].edges(node[1], MAX_EDGES) if known is None else known)
        return found if self._between is None else [*found, *self._between(node, MAX_EDGES)]

    def _nodes(self, documents: Mapping[Document, float]) -> dict[Node, float]:
        return {node: documents[document] for node, document in self._best_of(documents).items()}

    def _best_of(self, documents: Mapping[Document, float]) -> dict[Node, Document]:
        """The best document of each node."""
        best: dict[Node, Document] = {}
        for document, score in documents.items():
            node = self._node_of.get(document) or self._node(document)
            other = best.get(node)
            if other is None or score >= documents[other]:
                best[node] = document
        return best

    def _node(self, document: Document) -> Node:
        node = self._node_of.get(document)
        if node is None:
            node = self._node_of[document] = document[0], self._kinds[document[0]].node(document[1])
        return node

    def _wanted(self, limit: int) -> int:
        """How many to ask for, since some may be near duplicates of others."""
        return limit if self._group is None else min(_MOST_ASKED, 2 * limit)

    def _folded(self, ranked: Iterable[_Ranked], limit: int) -> dict[_Ranked, list[str]]:
        """The best ones, each with the names of the near duplicates that follow it before there are enough."""
        kept: dict[_Ranked, list[str]] = {}
        groups: dict[str, tuple[_Ranked, Node]] = {}
        for one in ranked:
            if len(kept) == limit:
                break
            node = self._node(one.document)
            name = self._group(node) if self._group is not None else None
            first = groups.setdefault(name, (one, node)) if name is not None else (one, node)
            if first[1] == node:  # sections of one article are no duplicates
                kept[one] = []
            else:
                kept[first[0]].append(name_of(*node))
        return kept

    def _shown(self, found: Iterable[_Ranked], limit: int) -> list[SearchHit]:
        ranked = self._folded(found, limit)
        made: dict[Document, SearchHit] = {}
        for name in {one.document[0] for one in ranked}:
            documents = [one.document[1] for one in ranked if one.document[0] == name]
            hits = self._kinds[name].shown(documents, self._text)
            made.update({(name, id): hit for id, hit in hits.items()})
        return [
            replace(
                made[one.document], score=one.score, by_words=one.by_words, by_meaning=one.by_meaning,
                by_link=one.by_link, path=self._path(one), duplicates=tuple(duplicates), loose=tuple(self._loose),
            )
            for one, duplicates in ranked.items() if one.document in made
        ]  # fmt: skip

    def _path(self, one: _Ranked) -> tuple[str, ...]:
        """The hit that led to this one, and its own node; empty where no edge did."""
        return () if one.via is None else (name_of(*one.via), name_of(*self._node(one.document)))


@cache
def _readers() -> ThreadPoolExecutor:
    """Threads of the process that read: to start them for each question would cost as much as two reads."""
    return ThreadPoolExecutor(_READS_AT_ONCE, "graphvine-walk")
