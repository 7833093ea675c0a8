"""Lines become statements: each ends at a `;` that is in no string and no comment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from graphvine.errors import QueryError, QueryFileError
from graphvine.queries.tokens import tokenise

LONGEST = 100_000


def split(text: str) -> tuple[list[str], str]:
    """The statements that are complete, and the rest, which is not ended by a `;` yet."""
    try:
        tokens = tokenise(text)
    except QueryFileError:  # a string or a comment is still open
        return [], text
    ends = [token.end for token in tokens if token.text == ";"]
    edges = [0, *ends]
    found = [text[start:end].strip().rstrip(";").rstrip() for start, end in pairwise(edges)]
    rest = text[edges[-1] :] if any(t.start >= edges[-1] and t.kind != "comment" for t in tokens) else ""
    return [statement for statement in found if _says_something(statement)], rest.strip()


def is_meta(text: str) -> bool:
    """Whether this is a word for the console itself rather than Cypher."""
    return text.lstrip().startswith(":")


def is_complete(text: str) -> bool:
    """Whether a person who presses Enter here is done."""
    if not text.strip() or is_meta(text) or text.strip().lower() in {"exit", "quit"}:
        return True
    if ";" not in text:
        return False
    statements, rest = split(text)
    return bool(statements) and not rest


def from_lines(lines: Iterable[str]) -> Iterator[str]:
    """Statements and meta commands from lines; the last statement may go without its `;`."""
    pending = ""
    for line in lines:
        if not pending and is_meta(line):
            yield line.strip()
            continue
        pending += line
        if len(pending) > LONGEST:
            raise QueryError(f"a statement has more than {LONGEST} characters: is a ';' or a quote missing?")
        if ";" in line:
            statements, pending = split(pending)
            yield from statements
        elif not pending.strip():
            pending = ""
    # Whatever is left is a statement; one that holds nothing but comments is none.
    if pending.strip() and _says_something(pending):
        yield pending.strip()


def _says_something(statement: str) -> bool:
    try:
        return any(token.kind != "comment" for token in tokenise(statement))
    except QueryFileError:  # the engine's reader will say what is wrong with it
        return True
