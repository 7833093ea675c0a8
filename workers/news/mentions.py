"""Finds the Wikipedia articles of this graph that a news article names, by their titles in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphvine.graph import Graph
from graphvine.workers.news import NAME
from graphvine.workers.news.claimed_article import ClaimedArticle

_MOST_WORDS = 5
_MOST_CANDIDATES = 600
_MOST_MENTIONS = 50
_SENTENCE = re.compile(r"[.!?:;]\s+|\n+|[\"()\[\]]")
_WORD = re.compile(r"[^\W_](?:[\w'\u2019.&/-]*[^\W_])?")
# Words that have a capital letter only at the beginning of a sentence, or in a headline.
_COMMON = frozenset(
    """
    a an and are as at be been but by can could did do does for from had has have he her his how i if in is it its more
    most new no not of on one or our over she so some than that the their them then there these they this those to two
    up was we were what when where which while who why will with would you your
    """.split()  # noqa: SIM905  words are easier to read than a list of texts
)


def find(graph: Graph, article: ClaimedArticle, query: str) -> list[str]:
    """The titles that it names, in the order of the text."""
    names = list(candidates(article.title, article.content, [query, *article.keywords.split(",")]))
    if not names:
        return []
    there = {row["title"] for row in graph.read(f"{NAME}.titled", keys=names)}
    return [name for name in names if name in there][:_MOST_MENTIONS]


def candidates(title: str, text: str, named: list[str]) -> Iterator[str]:
    """Possible titles: keywords and the query, where the text has them, and runs of capitalised words.

    A single word at the beginning of a sentence counts only where it is capitalised elsewhere too.
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
    """Runs of capitalised words ("of" and the like between two of them included).

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
