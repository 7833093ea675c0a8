"""Questions with known answers, in BEIR's form: corpus.jsonl, queries.jsonl, qrels.tsv; any of them may be gzipped.

A folder without a corpus is about the sample wiki of the package. Otherwise each passage is an article, and one that
names the title of another links to it.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Missing, Page, Result
from graphvine.workers.wikipedia.titles import InvalidTitle, normalise_title

_WORD = re.compile(r"\w+|[^\w\s]")
_MARKUP = re.compile(r"[\[\]{}<>|=*#:;'_~]")
# A title of fewer characters is named by accident.
_SHORTEST_TITLE = 3
_LONGEST_TITLE_WORDS = 12


@dataclass(frozen=True)
class Question:
    text: str
    answers: frozenset[str]  # titles of the articles that it needs


@dataclass(frozen=True)
class Passages:
    """A corpus as a source of pages: title to text and links."""

    pages: Mapping[str, tuple[str, tuple[str, ...]]]
    name: str = "corpus"
    batch_size: int = 200

    def rules(self) -> SiteRules:
        return SiteRules()

    def fetch(self, titles: Sequence[str]) -> list[Result]:
        return [self._page(title) for title in titles]

    def _page(self, title: str) -> Result:
        if title not in self.pages:
            return Missing(title, title)
        text, links = self.pages[title]
        return Page(title, title, 0, 1, 1, "2024-01-01T00:00:00Z", text, links=links, categories=())

    def changed_since(self, revisions: Mapping[str, int]) -> set[str]:
        return set()

    def close(self) -> None:
        return None


def _lines(folder: Path, name: str) -> Iterator[str]:
    plain, packed = folder / name, folder / f"{name}.gz"
    if packed.exists():
        with gzip.open(packed, "rt", encoding="utf-8") as file:
            yield from file
    elif plain.exists():
        with plain.open(encoding="utf-8") as file:
            yield from file


def read(folder: Path) -> tuple[Passages | None, list[Question]]:
    """The passages (None: the sample wiki's articles) and the questions."""
    rules = SiteRules()
    documents: list[dict[str, Any]] = [json.loads(line) for line in _lines(folder, "corpus.jsonl")]
    titles: dict[str, str] = {}
    for document in documents:
        titles[document["_id"]] = _title(document.get("title") or document["_id"], rules, set(titles.values()))
    needed: dict[str, set[str]] = {}
    for row in list(_lines(folder, "qrels.tsv"))[1:]:
        question, document_id, score = row.rstrip("\n").split("\t")
        if int(score) > 0:
            needed.setdefault(question, set()).add(titles.get(document_id, document_id) if documents else document_id)
    asked = [json.loads(line) for line in _lines(folder, "queries.jsonl")]
    questions = [Question(one["text"], frozenset(needed[one["_id"]])) for one in asked if one["_id"] in needed]
    if not documents:
        return None, questions
    by_words = _by_words({document.get("title") or "": titles[document["_id"]] for document in documents})
    return Passages({
        titles[document["_id"]]: (_MARKUP.sub(" ", document["text"]), _links(document["text"], by_words))
        for document in documents
    }), questions  # fmt: skip


def _title(title: str, rules: SiteRules, taken: set[str]) -> str:
    """A title that a wiki would take, and no other passage has."""
    try:
        name = normalise_title(_MARKUP.sub(" ", title), rules)
    except InvalidTitle:
        name = f"Passage {len(taken)}"
    return name if name not in taken else f"{name} ({len(taken)})"


def _by_words(titles: Mapping[str, str]) -> dict[tuple[str, ...], str]:
    return {tuple(_WORD.findall(title)): name for title, name in titles.items() if len(title) >= _SHORTEST_TITLE}


def _links(text: str, titles: Mapping[tuple[str, ...], str]) -> tuple[str, ...]:
    """The passages whose whole title the text names, the longest at each place."""
    words = _WORD.findall(text)
    found: dict[str, None] = {}
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST_TITLE_WORDS, len(words) - at), 0, -1):
            name = titles.get(tuple(words[at : at + length]))
            if name is not None:
                found[name] = None
                at += length - 1
                break
        at += 1
    return tuple(found)
