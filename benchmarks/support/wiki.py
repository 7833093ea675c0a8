"""Made-up wikis: a dump to grow from, and articles as they stand just before they are written."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphvine.graph import Graph
from graphvine.outcomes import Done
from graphvine.records import Claim
from graphvine.workers.wikipedia.parsed import ParsedPage, Section
from graphvine.workers.wikipedia.writes import Moment, Vectors, draft, write
from support.passages import Passages
from support.wikitext import dump_of

# An article of a wiki has some 600 words; those to be embedded are shorter, for the time's sake.
DUMP_SECTIONS, SECTIONS, WORDS = 3, 6, 100
LINKS, NEW_LINKS, CATEGORIES = 20, 5, 3
_PASSAGE_WORDS = 180


def write_dump(path: Path, pages: int, seed: int) -> list[str]:
    """A dump whose texts no other seed has; the titles of its pages."""
    passages, chance = Passages(seed), random.Random(seed)
    titles = [f"Page {number} of {seed}" for number in range(pages)]
    texts = {}
    for title in titles:
        links = " ".join(f"[[{chance.choice(titles)}]]" for _ in range(LINKS))
        parts = "\n".join(f"== Part {part} ==\n{_text(passages)}" for part in range(1, DUMP_SECTIONS))
        texts[title] = f"{_text(passages)} {links}\n{parts}\n[[Category:All]]"
    dump_of(texts, path)
    return titles


def _text(passages: Passages) -> str:
    """Without the signs that wikitext gives a meaning to."""
    return "".join(sign if sign.isalnum() or sign in " .," else " " for sign in passages.of(WORDS))


class Written:
    """Claims articles of a large store, and finishes them with sections, vectors, links and categories."""

    def __init__(self, graph: Graph, articles: int, vectors: Sequence[list[float]], seed: int) -> None:
        self._graph, self._articles, self._vectors = graph, articles, vectors
        self._claims = graph.claims("article", "benchmark")
        self._chance, self._passages = random.Random(seed), Passages(seed)
        self._titles = 0

    def claim(self, count: int) -> list[Claim]:
        return self._claims.claim(count)

    def prepare(self, claims: Sequence[Claim]) -> list[Done]:
        at = Moment(self._graph.clock.now_ms())
        return [self._done(claim, at) for claim in claims]

    def settle(self, outcomes: Sequence[Done]) -> None:
        self._claims.settle(outcomes)

    def _done(self, claim: Claim, at: Moment) -> Done:
        sections = tuple(
            Section(f"Part {place}", 2, place, (f"Part {place}",), self._passages.of(WORDS))
            for place in range(SECTIONS)
        )
        known = {f"Article {self._chance.randrange(1, self._articles + 1)}" for _ in range(LINKS)} - {claim.key}
        self._titles += NEW_LINKS
        links = [*known, *(f"New {self._titles + number}" for number in range(NEW_LINKS))]
        categories = tuple(f"Category:Subject {self._chance.randrange(500)}" for _ in range(CATEGORIES))
        made = draft(claim, ParsedPage(claim.key, 0, 7, sections, (), categories), None, _PASSAGE_WORDS, True)
        vectors: list[Any] = [self._chance.choice(self._vectors) for _ in made.passages]
        return Done(claim, write(made, Vectors("now", 0, vectors), links, at, True, {}))
