"""What people type, in the language of a server's full-text index, and the pieces of texts in which it stands."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from graphvine.search.documents import Snippet

_WORD = re.compile(r"\w+")
# A word or a "phrase", without the minus that excludes it; a minus inside of a word does not.
_CLAUSE = re.compile(r'(?P<minus>(?<!\S)-)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
_MOST_CLAUSES, _MOST_CHARACTERS = 64, 2_000
# A shorter word has no typos, only beginnings; a longer one may differ in two letters.
_SHORTEST_TYPO, _LONG_WORD = 4, 8
SNIPPET_CHARACTERS = 200


def lucene(text: str, fields: Sequence[str], *, all_words: bool, loose: Collection[str] = ()) -> str:
    """What people type (words, "phrases", -exclusions) in the server's language of queries; '' where it holds no word.

    A clause may be found in any of the fields; in the first of them it counts double. For the words in `loose` stand
    words that begin with them, or differ in a letter or two.
    """
    clauses: list[str] = []
    wanted = False
    for found in list(_CLAUSE.finditer(text[:_MOST_CHARACTERS]))[:_MOST_CLAUSES]:
        words = _WORD.findall((found["phrase"] or found["word"] or "").lower())
        if not words:
            continue
        asked = _like(words[0]) if len(words) == 1 and found["word"] in loose else [f'"{" ".join(words)}"']
        places = " ".join(f"{name}:{one}{'^2' if name == fields[0] else ''}" for name in fields for one in asked)
        excluded = found["minus"] is not None
        clauses.append(f"{'-' if excluded else '+' if all_words else ''}({places})")
        wanted = wanted or not excluded
    return " ".join(clauses if wanted else ["*:*", *clauses]) if clauses else ""


def _like(word: str) -> list[str]:
    return [f"{word}*", *([f"{word}~{1 if len(word) < _LONG_WORD else 2}"] if len(word) >= _SHORTEST_TYPO else [])]


def single_words(text: str) -> list[str]:
    """The words of a query as they are typed, without phrases and what it excludes."""
    found = list(_CLAUSE.finditer(text[:_MOST_CHARACTERS]))[:_MOST_CLAUSES]
    single = [one["word"] for one in found if one["word"] and not one["minus"]]
    return [word for word in dict.fromkeys(single) if len(_WORD.findall(word)) == 1]


def address_on(site: str) -> str:
    """A pattern for the addresses of a host."""
    host = "".join(one if one.isalnum() or one in "-_" else f"\\{one}" for one in site.removeprefix("www."))
    return rf"(?is)\s*[a-z]+://([^/?#]*@)?(www\.)?{host}(:\d*)?([/?#].*)?"


def around(text: str, words: str) -> Snippet | None:
    """A piece of the text around the first of these words."""
    for word in _WORD.findall(words):
        found = re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE)
        if found:
            start = max(0, text.rfind(" ", 0, max(0, found.start() - SNIPPET_CHARACTERS // 3)) + 1)
            piece = text[start : start + SNIPPET_CHARACTERS]
            return Snippet(piece, _marks(piece, words))
    return None


def _marks(piece: str, words: str) -> tuple[tuple[int, int], ...]:
    """Where words that begin like these stand in a piece of a text."""
    any_of = "|".join(re.escape(word) for word in dict.fromkeys(_WORD.findall(words)[:_MOST_CLAUSES]))
    return tuple(found.span() for found in re.finditer(rf"\b(?:{any_of})\w*", piece, re.IGNORECASE))
