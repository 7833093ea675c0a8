"""Cypher text as tokens, so that no check mistakes a string or a comment for code; and its keywords."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from graphvine.queries.errors import QueryFileError

WRITES = frozenset({"set", "create", "merge", "delete", "remove", "drop", "alter", "copy"})

# fmt: off
CLAUSES = frozenset({
    "match", "optional", "where", "set", "create", "merge", "with", "return", "unwind", "delete", "detach",
    "remove", "call", "order", "limit", "skip", "on", "foreach", "union", "copy", "load", "alter", "drop",
    "yield",
})

# Words that may stand before a parenthesis without calling anything.
BEFORE_PARENTHESES = frozenset({
    "match", "create", "merge", "where", "and", "or", "xor", "not", "in", "on", "return", "with", "then",
    "else", "when", "set", "by", "case", "unwind", "distinct", "limit", "skip", "from", "to", "as",
})
# fmt: on

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
# What is no code: comments, and what stands in quotes.
NO_CODE = re.compile(r"//[^\n]*+|/\*.*?\*/|'(?:[^'\\]++|\\.)*+'|\"(?:[^\"\\]++|\\.)*+\"|`[^`]*+`", re.DOTALL)
_WRITE = re.compile(rf"(?<![.:$`\w])(?:{'|'.join(sorted(WRITES))})\b(?!\s*[:.])", re.IGNORECASE)
_ALIAS = re.compile(r"(?:[.:]|\bas)\s*\Z", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
NEVER_CLOSED = {"'": "a string", '"': "a string", "`": "a name in backticks", "/": "a comment"}


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


def tokenise(text: str, file: str = "query", line: int = 1) -> list[Token]:
    """Split text into tokens, comments included, space left out; `line` is the one that it begins on."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind, part = match.lastgroup or "mark", match.group()
        if kind == "mark":
            what = NEVER_CLOSED.get(part) if part != "/" or text.startswith("/*", match.start()) else None
            if what:
                raise QueryFileError(file, line, f"{what} opens here and is never closed")
        if kind != "space":
            name = part.lower() if kind == "word" else part[1:-1].lower() if kind == "quoted" else ""
            found.append(Token(kind, part, match.start(), line, name))
        line += part.count("\n")
    return found


def code(text: str, file: str = "query", line: int = 1) -> list[Token]:
    """The tokens without comments."""
    return [token for token in tokenise(text, file, line) if token.kind != "comment"]


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


def may_write(bare: str) -> bool:
    """The same of a text without strings and comments, in a fraction of the time."""
    return any(not _ALIAS.search(bare, max(0, found.start() - 20), found.start()) for found in _WRITE.finditer(bare))


def blank(found: re.Match[str]) -> str:
    """Space in the place of what is no code, as long as it is, so that everything else stays where it was."""
    return "".join(character if character == "\n" else " " for character in found[0])


class NodeHead(NamedTuple):
    """The head of a node pattern, `(a:Article {title: ...`; `opens` is where its map begins, if it has one."""

    variable: str
    labels: frozenset[str]
    clause: str
    opens: int | None

    @property
    def matches(self) -> bool:
        """Whether the map looks rows up, rather than only filling a new one."""
        return self.clause not in {"create", "set"}


def function_call(tokens: Sequence[Token], at: int) -> bool:
    """Whether the parenthesis at this place belongs to a call, and not to a node pattern."""
    return at > 0 and tokens[at - 1].name != "" and tokens[at - 1].name not in BEFORE_PARENTHESES


def node_head(tokens: Sequence[Token], at: int, clause: str) -> NodeHead:
    """Read `(variable:Label` after an opening parenthesis."""
    at += 1
    variable = ""
    if at < len(tokens) and tokens[at].name:
        variable = tokens[at].name
        at += 1
    labels = set()
    while at + 1 < len(tokens) and tokens[at].text in {":", "|", "&"} and tokens[at + 1].name:
        labels.add(tokens[at + 1].name)
        at += 2
    opens = at if at < len(tokens) and tokens[at].text == "{" else None
    return NodeHead(variable, frozenset(labels), clause, opens)
