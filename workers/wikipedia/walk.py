"""Search that walks the graph: seeds by words and meaning, then over the links of the best of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphvine.graph import Graph
from graphvine.search import Hit
from graphvine.search.ranking import Walked, walk

KIND = "section"
# Looked at by words and by meaning.
_CANDIDATES = 100
# Of an article's edges so many are walked: a hub costs no more than any other article.
_EDGES = 1_000
# Of the sections at the other ends of the edges, so many of the likest are looked at.
_NEIGHBOURS = 300


@dataclass(frozen=True, slots=True)
class Reached:
    """The best section of an article, the shares of its score, and the path of articles that led there."""

    hit: Hit
    by_words: float
    by_meaning: float
    by_link: float
    path: tuple[str, ...]

    @property
    def score(self) -> float:
        return self.by_words + self.by_meaning + self.by_link


class Walk:
    """One question. Scores of sections are shares of the best one, by words and by meaning; an article has its best."""

    def __init__(self, graph: Graph, index: Any, question: str, vector: Any | None) -> None:
        self._graph, self._index, self._question, self._vector = graph, index, question, vector
        self._hits: dict[str, Hit] = {}
        self._words: dict[str, float] = {}
        self._meaning: dict[str, float] = {}
        self._best_score = {"words": 0.0, "meaning": 0.0}

    def ranked(self, limit: int) -> list[Reached]:
        """One section for each article, the best first."""
        self._by_words(None, _CANDIDATES)
        self._by_meaning(None, _CANDIDATES)
        # What was found by its words has a meaning too, beyond the nearest.
        self._by_meaning({"id": [id for id in self._words if id not in self._meaning]}, _CANDIDATES)
        ranked = walk(self._articles(self._own()), self._edges, self._likeness)
        own = self._own()
        best = {_article(id): id for id in sorted(own, key=own.__getitem__)}
        return [
            Reached(
                self._hits[id], self._words.get(id, 0.0), self._meaning.get(id, 0.0), walked.gain,
                _path(article, ranked),
            )
            for article, walked in list(ranked.items())[:limit] if (id := best.get(article)) is not None
        ]  # fmt: skip

    def _likeness(self, articles: Collection[str]) -> Mapping[str, float]:
        """How like the question these articles are: by meaning, or by words where there are no vectors."""
        where = {"article": sorted(articles)}
        found = self._by_words(where, _NEIGHBOURS) if self._vector is None else self._by_meaning(where, _NEIGHBOURS)
        return self._articles(found)

    def _by_words(self, where: Mapping[str, Any] | None, limit: int) -> dict[str, float]:
        if where is not None and not any(where.values()):
            return {}
        hits = self._index.text(self._question, KIND, where, limit=limit, any_word=True).hits
        return self._shares(hits, self._words, "words")

    def _by_meaning(self, where: Mapping[str, Any] | None, limit: int) -> dict[str, float]:
        if self._vector is None or (where is not None and not any(where.values())):
            return {}
        hits = self._index.vector(self._vector, KIND, where, limit=limit).hits
        return self._shares(hits, self._meaning, "meaning")

    def _shares(self, hits: Sequence[Hit], into: dict[str, float], by: str) -> dict[str, float]:
        """Scores as shares of the best one of all; kept in `into`."""
        self._best_score[by] = best = self._best_score[by] or (hits[0].score if hits else 0.0)
        shares = {hit.id: max(0.0, hit.score) / best for hit in hits} if best > 0 else {}
        for hit in hits:
            self._hits.setdefault(hit.id, hit)
        into.update(shares)
        return shares

    def _own(self) -> dict[str, float]:
        sections = {*self._words, *self._meaning}
        return {id: self._words.get(id, 0.0) + self._meaning.get(id, 0.0) for id in sections}

    @staticmethod
    def _articles(sections: Mapping[str, float]) -> dict[str, float]:
        best: dict[str, float] = {}
        for id, score in sections.items():
            article = _article(id)
            best[article] = max(score, best.get(article, 0.0))
        return best

    def _edges(self, articles: Sequence[str]) -> dict[str, list[str]]:
        """The articles at the other ends of the edges of each of these."""
        return {title: self._edges_of(title) for title in articles}

    def _edges_of(self, title: str) -> list[str]:
        found = [
            row["title"]
            for block in ("article.edges", "article.edges_by_redirect")
            for row in self._graph.read(block, title=title, limit=_EDGES)
        ]
        return [other for other in dict.fromkeys(found) if other != title]


def _article(section: str) -> str:
    """The article of a section, whose id is TITLE#POSITION.PART."""
    return section.rpartition("#")[0]


def _path(article: str, ranked: Mapping[str, Walked[str]]) -> tuple[str, ...]:
    """The hit that led to this article, and the article; empty where no link did."""
    via = ranked[article].via
    return () if via is None else (via, article)
