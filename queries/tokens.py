"""Cypher text as tokens, so that no check mistakes a string or a comment for code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from graphvine.queries.errors import QueryFileError
from graphvine.queries.words import WRITES

# Possessive repeats: a quote that is never closed is found out in one pass, whatever follows it.
_TOKEN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<comment>//[^\n]*+|/\*.*?\*/)
    | (?P<string>'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+")
    | (?P<quoted>`[^`]*+`)
    | (?P<parameter>\$\w++)
    | (?P<number>\d++(?:\.\d++)?)
    | (?P<word>[^\W\d]\w*+)
    | (?P<mark><=|>=|<>|\+=|=~|->|<-|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NEVER_CLOSED = {"'": "a string", '"': "a string", "`": "a name in backticks"}


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    line: int
    # The word or name in small letters, which is how Kuzu compares names; empty for anything else.
    name: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def content(self) -> str:
        """What a string says, without its quotes."""
        return _ESCAPED.sub(r"\1", self.text[1:-1])


def tokenise(text: str, file: str = "query") -> list[Token]:
    """Split text into tokens, comments included, space left out."""
    found: list[Token] = []
    line = 1
    for match in _TOKEN.finditer(text):
        kind, part = match.lastgroup or "mark", match.group()
        if kind == "mark":
            what = _NEVER_CLOSED.get(part) or ("a comment" if text.startswith("/*", match.start()) else None)
            if what:
                raise QueryFileError(file, line, f"{what} opens here and is never closed")
        if kind != "space":
            name = part.lower() if kind == "word" else part[1:-1].lower() if kind == "quoted" else ""
            found.append(Token(kind, part, match.start(), line, name))
        line += part.count("\n")
    return found


def is_keyword(tokens: Sequence[Token], index: int) -> bool:
    """Whether the word at this place can be a keyword, rather than a property, label, key or alias."""
    if tokens[index].kind != "word":
        return False
    before = tokens[index - 1] if index else None
    after = tokens[index + 1].text if index + 1 < len(tokens) else ""
    if before is not None and (before.text in {".", ":"} or (before.kind == "word" and before.name == "as")):
        return False
    return after not in {":", "."}


def writes(tokens: Sequence[Token]) -> bool:
    """Whether a statement changes anything; pass it without comments."""
    return any(token.name in WRITES and is_keyword(tokens, at) for at, token in enumerate(tokens))
