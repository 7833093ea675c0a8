"""Node patterns: `(a:Article {title: $title})`, told apart from calls and plain parentheses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphvine.queries.tokens import Token
from graphvine.queries.words import BEFORE_PARENTHESES


@dataclass(slots=True)
class NodeMap:
    """The head of a node pattern; `opens` is where its map begins, if it has one."""

    variable: str
    labels: frozenset[str]
    clause: str
    opens: int | None

    @property
    def matches(self) -> bool:
        """Whether the map looks rows up, rather than only filling a new one."""
        return self.clause not in {"create", "set"}


def function_call(tokens: Sequence[Token], at: int) -> bool:
    """Whether the parenthesis at this place belongs to a call."""
    return at > 0 and tokens[at - 1].name != "" and tokens[at - 1].name not in BEFORE_PARENTHESES


def node_head(tokens: Sequence[Token], at: int, clause: str) -> NodeMap:
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
    return NodeMap(variable, frozenset(labels), clause, opens)
