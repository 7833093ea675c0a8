"""Questions with known answers, in BEIR's form; any of the files may be gzipped.

`corpus.jsonl` has a passage a line (`_id`, `title`, `text`), `queries.jsonl` a question (`_id`, `text`), `qrels.tsv` or
`qrels/test.tsv` which passages answer it (question, passage, score; with a head or without; TREC's four columns too).
Each passage is an article. Its links are those of `links` or `metadata.links` (titles or ids) where the corpus gives
them; otherwise it links to each passage that its text names, as `grow --source FILE.jsonl` does it. A folder without a
corpus is about the sample wiki of the package.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphvine.workers.search.mentions import Title, Titles
from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Missing, Page, Result
from graphvine.workers.wikipedia.titles import InvalidTitle, normalise_title
from support.contender import Unavailable

_MARKUP = re.compile(r"[\[\]{}<>|=*#:;'_~]")
# Of a sentence with so many words this share is asked for.
_FEWEST_WORDS, _KEPT = 8, 0.6


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
    cut: str = ""  # the corpus is whole

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


def _lines(folder: Path, *names: str) -> Iterator[str]:
    """The lines of the first of these files that is there, packed or not."""
    for name in names:
        plain, packed = folder / name, folder / f"{name}.gz"
        if packed.exists():
            with gzip.open(packed, "rt", encoding="utf-8") as file:
                yield from file
            return
        if plain.exists():
            with plain.open(encoding="utf-8") as file:
                yield from file
            return


def read(folder: Path) -> tuple[Passages | None, list[Question]]:
    """The passages (None: the sample wiki's articles) and the questions."""
    rules = SiteRules()
    documents: list[dict[str, Any]] = [json.loads(line) for line in _lines(folder, "corpus.jsonl")]
    titles: dict[str, str] = {}
    taken: set[str] = set()
    for document in documents:
        id = str(document["_id"])
        titles[id] = _title(document.get("title") or id, rules, taken)
        taken.add(titles[id])
    needed: dict[str, set[str]] = {}
    for question, document_id in _judged(folder):
        if not documents or document_id in titles:
            needed.setdefault(question, set()).add(titles.get(document_id, document_id))
    asked = [json.loads(line) for line in _lines(folder, "queries.jsonl")]
    questions = [
        Question(one["text"], frozenset(needed[str(one["_id"])])) for one in asked if str(one["_id"]) in needed
    ]
    if not questions:
        raise Unavailable(f"{folder} has no question with an answer: it needs queries.jsonl and qrels.tsv (or qrels/)")
    if not documents:
        return None, questions
    named = {str(document.get("title") or ""): titles[str(document["_id"])] for document in documents}
    names = Titles(Title(title) for title in titles.values())
    return Passages({
        titles[str(document["_id"])]: (
            _MARKUP.sub(" ", document.get("text") or ""), _links(document, titles | named, names)
        )
        for document in documents
    }), questions  # fmt: skip


def single_hop(texts: Sequence[tuple[str, str]], count: int) -> list[Question]:
    """Questions that one article answers, by title and text: parts of a sentence, without the words of the title."""
    chance = random.Random(7)
    made: list[Question] = []
    for title, text in chance.sample(texts, len(texts)):
        known = set(re.findall(r"\w+", title.lower()))
        sentences = [
            [word for word in re.findall(r"\w+", sentence) if word.lower() not in known]
            for sentence in re.split(r"(?<=[.!?]) ", text)
        ]
        usable = [words for words in sentences if len(words) >= _FEWEST_WORDS]
        if usable and len(made) < count:
            words = [word for word in chance.choice(usable) if chance.random() < _KEPT]
            made.append(Question(" ".join(words), frozenset({title})))
    return [question for question in made if question.text]


def _judged(folder: Path) -> Iterator[tuple[str, str]]:
    """Questions with documents that answer them, from three columns or TREC's four, with a head or without."""
    for row in _lines(folder, "qrels.tsv", "qrels/test.tsv", "qrels/dev.tsv", "qrels/train.tsv"):
        columns = row.rstrip("\n").split("\t") if "\t" in row else row.split()
        if len(columns) >= 3 and columns[-1].lstrip("-").isdigit() and int(columns[-1]) > 0:
            yield columns[0], columns[-2]


def _links(document: Mapping[str, Any], known: Mapping[str, str], names: Titles) -> tuple[str, ...]:
    """The links that the corpus gives, by titles or ids; where it gives none, the passages that the text names."""
    given = document.get("links", (document.get("metadata") or {}).get("links"))
    if given is None:
        return tuple(names.named_in(document.get("text") or ""))
    return tuple(dict.fromkeys(known[str(link)] for link in given if str(link) in known))


def _title(title: str, rules: SiteRules, taken: Collection[str]) -> str:
    """A title that a wiki would take, and no other passage has."""
    try:
        name = normalise_title(_MARKUP.sub(" ", title), rules)
    except InvalidTitle:
        name = f"Passage {len(taken)}"
    return name if name not in taken else f"{name} ({len(taken)})"
