"""The words that an expression can put into a column: a string, or the outcomes of a CASE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphvine.queries.tokens import CLAUSES, Token, is_keyword

# A CASE within a CASE within a CASE: beyond this nobody can read it, so nothing is proved of it.
_DEEPEST_CASE = 4


def entry_end(tokens: Sequence[Token], start: int, closed: Mapping[int, int]) -> int:
    """Where the value that starts here ends: at a comma, a closing bracket or the next clause."""
    at, cases = start, 0
    while at < len(tokens):
        token = tokens[at]
        if at in closed:
            at = closed[at] + 1
            continue
        if token.kind == "mark" and token.text in {")", "]", "}"}:
            return at
        if token.text == "," and cases == 0:
            return at
        if is_keyword(tokens, at) or (token.name == "case" and at == start):
            if token.name == "case":
                cases += 1
            elif token.name == "end":
                cases -= 1
            elif token.name in CLAUSES and tokens[at - 1].name not in {"starts", "ends"}:
                return at
        at += 1
    return at


def words_of(value: Sequence[Token], own: tuple[str, str], depth: int = 0) -> frozenset[str] | None:
    """Every word that the value can be; None where it can be something else.

    `own` is the variable and column that it is assigned to: staying as it is adds no word.
    """
    if len(value) == 1 and value[0].kind == "string":
        return frozenset({value[0].content})
    if len(value) == 3 and value[1].text == "." and (value[0].name, value[2].name) == own:
        return frozenset()
    if depth >= _DEEPEST_CASE or len(value) < 4 or value[0].name != "case" or value[-1].name != "end":
        return None
    return _outcomes(value, own, depth)


def _outcomes(value: Sequence[Token], own: tuple[str, str], depth: int) -> frozenset[str] | None:
    words: set[str] = set()
    level, start, has_else = 0, None, False
    for at, token in enumerate(value):
        if at and not is_keyword(value, at):
            continue
        if token.name == "case":
            level += 1
        if level == 1 and token.name in {"when", "else", "end"} and start is not None:
            found = words_of(value[start:at], own, depth + 1)
            if found is None:
                return None
            words |= found
            start = None
        if level == 1 and token.name in {"then", "else"}:
            start, has_else = at + 1, has_else or token.name == "else"
        if token.name == "end":
            level -= 1
    # Without ELSE the outcome may be NULL, which is no state.
    return frozenset(words) if has_else and level == 0 else None
