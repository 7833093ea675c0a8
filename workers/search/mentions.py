"""Finds the articles that a text names, by their titles: the longest at each place, ambiguous ones left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from graphvine.errors import GraphvineError

MAX_TITLES = 1_000_000
MAX_TEXT_CHARACTERS = 100_000
MAX_MENTIONS = 50
_SHORTEST = 3
# The part of a title that tells it from others of the same name.
_QUALIFIER = re.compile(r"^(?P<name>.+?) \([^()]+\)$")
_SENTENCE_END = re.compile(r"(?:[.!?:;\n][\s\"'(\[]*|^[\s\"'(\[]*)$")
# Words that have a capital letter only at the beginning of a sentence, or in a headline.
_COMMON = frozenset(
    """
    all and any are ask but can did for from had has have her here him his how its may more most new not now off one our
    out over show she some tell than that the their them then there these they this those two was were what when where
    which while who why will with would you your
    """.split()  # noqa: SIM905  words are easier to read than a list of texts
)


@dataclass(frozen=True, slots=True)
class Title:
    """An article; `target` is what it redirects to."""

    title: str
    kind: str | None = None
    target: str | None = None


class Titles:
    """An automaton over the names of articles. Case counts: a common noun in a sentence names no article."""

    def __init__(self, titles: Iterable[Title]) -> None:
        try:
            from ahocorasick_rs import AhoCorasick, MatchKind
        except ImportError:
            raise GraphvineError(
                "mentions need the package ahocorasick-rs: run `pip install 'graphvine[search]'`"
            ) from None
        named = _names(titles)
        self._names, self._articles = list(named), list(named.values())
        self._automaton: Any = AhoCorasick(self._names, matchkind=MatchKind.Standard)

    def named_in(self, text: str) -> list[str]:
        """The articles that a text names, in the order of the text."""
        text = text[:MAX_TEXT_CHARACTERS]
        matches = self._automaton.find_matches_as_indexes(text, overlapping=True)
        found: dict[str, None] = {}
        end = 0
        for name, start, stop in sorted(matches, key=lambda match: (match[1], match[1] - match[2])):
            if start < end or not _is_whole(text, start, stop):
                continue
            end = stop
            if " " in self._names[name] or not _SENTENCE_END.search(text[max(0, start - 4) : start]):
                found[self._articles[name]] = None
                if len(found) == MAX_MENTIONS:
                    break
        return list(found)


def _names(titles: Iterable[Title]) -> dict[str, str]:
    """What each article is called; a name that several have is left out."""
    named: dict[str, str] = {}
    ambiguous: set[str] = set()
    for one in titles:
        for name in _called(one):
            if one.kind == "disambiguation" or named.get(name, one.target or one.title) != (one.target or one.title):
                ambiguous.add(name)
            elif one.kind != "redirect" or one.target is not None:
                named[name] = one.target or one.title
    return {name: title for name, title in named.items() if name not in ambiguous}


def _called(one: Title) -> Iterator[str]:
    qualified = _QUALIFIER.match(one.title)
    name = qualified["name"] if qualified else one.title
    usable = len(name) >= _SHORTEST and not name.isdigit() and name.lower() not in _COMMON
    if usable and any(letter.isupper() or letter.isdigit() for letter in name):
        yield name


def _is_whole(text: str, start: int, stop: int) -> bool:
    """Whether no letter or digit stands right before or behind."""
    before, behind = text[start - 1 : start], text[stop : stop + 1]
    return not (before.isalnum() and text[start].isalnum()) and not (behind.isalnum() and text[stop - 1].isalnum())
