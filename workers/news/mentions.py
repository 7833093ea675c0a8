"""Which Wikipedia articles of this graph an article of the news names: by their titles, as they stand in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphvine.graph import Graph
from graphvine.workers.news import PIPELINE
from graphvine.workers.news.held import Held

_MOST_WORDS = 5
_MOST_CANDIDATES = 600
_MOST_MENTIONS = 50
_SENTENCE = re.compile(r"[.!?:;]\s+|\n+|[\"()\[\]]")
_WORD = re.compile(r"[^\W_](?:[\w'\u2019.&/-]*[^\W_])?")
# Words that begin with a capital letter only since a sentence, or a headline, does.
_COMMON = frozenset(
    """
    a an and are as at be been but by can could did do does for from had has have he her his how i if in is it its more
    most new no not of on one or our over she so some than that the their them then there these they this those to two
    up was we were what when where which while who why will with would you your
    """.split()  # noqa: SIM905  words are easier to read than a list of texts
)


def find(graph: Graph, held: Held, query: str) -> list[str]:
    """The titles that it names, in the order of the text."""
    names = list(candidates(held.title, held.content, [query, *held.keywords.split(",")]))
    if not names:
        return []
    there = {row["title"] for row in graph.read(f"{PIPELINE}.titled", keys=names)}
    return [name for name in names if name in there][:_MOST_MENTIONS]


def candidates(title: str, text: str, named: list[str]) -> Iterator[str]:
    """What could be a title: what the provider or the topic names where the text has it, and words with capitals.

    A single word at the beginning of a sentence has its capital from there, so it counts only where it stands with one
    elsewhere too.
    """
    seen: set[str] = set()
    whole = f"{title}\n{text}"
    lower = whole.lower()
    for name in filter(None, (" ".join(name.split()) for name in named)):
        if name.lower() in lower:
            yield from _fresh(_titled(name), seen)
    inside: set[str] = set()
    runs = list(_runs(whole))
    for words, first in runs:
        inside.update(words[1:] if first else words)
    for words, first in runs:
        for start in range(len(words)):
            for end in range(min(len(words), start + _MOST_WORDS), start, -1):
                alone = end - start == 1
                if alone and (words[start].lower() in _COMMON or len(words[start]) < 2):
                    continue
                if alone and first and start == 0 and words[0] not in inside:
                    continue
                yield from _fresh(" ".join(words[start:end]), seen)


def _runs(text: str) -> Iterator[tuple[list[str], bool]]:
    """Words with capitals that stand side by side ("of" and the like between two of them included).

    The second value says whether the run begins its sentence.
    """
    for sentence in _SENTENCE.split(text):
        run: list[str] = []
        first, start = True, True
        for word in _WORD.findall(sentence):
            if word[0].isupper() or (word[0].isdigit() and run):
                if not run:
                    first = start
                run.append(word)
            elif run and word.lower() in ("of", "the", "and", "for", "de", "in"):
                run.append(word)
            elif run:
                yield _trimmed(run), first
                run = []
            start = False
        if run:
            yield _trimmed(run), first


def _trimmed(run: list[str]) -> list[str]:
    while run and not (run[-1][0].isupper() or run[-1][0].isdigit()):
        run = run[:-1]
    return run


def _titled(name: str) -> str:
    return name[0].upper() + name[1:]


def _fresh(name: str, seen: set[str]) -> Iterator[str]:
    for form in (name, name.removesuffix("'s").removesuffix("\u2019s")):
        if form not in seen and len(seen) < _MOST_CANDIDATES and len(form) <= 250:
            seen.add(form)
            yield form
