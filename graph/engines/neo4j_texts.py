"""What a block's text becomes on Neo4j: the lock before the guard, and the rows of the answer as one list.

A record costs the driver about thirty times what an element of a list does (33 us against 1 us), so the rows of a
named statement travel as one record.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphvine.queries import Block, Library, QueryFileError
from graphvine.queries.tokens import Token, is_keyword, tokenise

_FIRST_NODE = re.compile(r"MATCH\s*\((\w+):(\w+)", re.IGNORECASE)
_LOCKS = re.compile(r"\bSET\s+\w+\.lock\s*=", re.IGNORECASE)
_AFTER_RETURN = {"order", "skip", "limit", "union"}


@dataclass(frozen=True, slots=True)
class Text:
    """A statement, and the names of its columns (none where it returns nothing)."""

    statement: str
    names: list[str]


def text_of(block: Block, library: Library) -> Text:
    """The statement to run for a block."""
    statement = behind_lock(block, library) if needs_lock(block) else block.text
    names = returned(block.text)
    if names:
        listed = ", ".join(names)
        statement = f"CALL () {{\n{statement}\n}}\nRETURN collect([{listed}]) AS rows"
    return Text(statement, names)


def needs_lock(block: Block) -> bool:
    """Whether a check of this block must not be overtaken: it guards, or moves rows that are there."""
    moves_rows = any(source is not None for move in block.moves for source in move.sources)
    return block.writes and (moves_rows or block.guard or block.name.startswith("align_"))


def behind_lock(block: Block, library: Library) -> str:
    """The block's text with its entity's lock before it, unless it locks by itself."""
    if _LOCKS.search(block.text):
        return block.text
    name = "lock" if "seqs" in block.parameters else "lock_row" if "seq" in block.parameters else ""
    lock = library.entities[block.entity].blocks.get(name)
    if lock is None:
        advice = "give it a text of its own in queries/neo4j/, which locks the rows before it checks them"
        raise QueryFileError(block.file, block.line, f"block {block.name!r} can't be locked by seqs or seq: {advice}")
    ours, theirs = _FIRST_NODE.match(block.text), _FIRST_NODE.match(lock.text)
    if ours is None or theirs is None or ours.groups() != theirs.groups():
        raise QueryFileError(
            block.file, block.line, f"block {block.name!r} must begin with the node that {name!r} locks"
        )
    return f"{lock.text}\nWITH {theirs.group(1)}\n{block.text}"


def returned(text: str) -> list[str]:
    """The names of the columns that a statement returns, in order; empty where that can't be told from the text."""
    tokens = [token for token in tokenise(text) if token.kind != "comment"]
    start, depth = None, 0
    for at, token in enumerate(tokens):
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "mark" else 0
        if depth == 0 and token.name == "return" and is_keyword(tokens, at):
            start = at + 1
    return [] if start is None else _names(tokens[start:])


def _names(tokens: Sequence[Token]) -> list[str]:
    items: list[list[Token]] = [[]]
    depth = 0
    for at, token in enumerate(tokens):
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "mark" else 0
        if depth == 0 and token.name in _AFTER_RETURN and is_keyword(tokens, at):
            break
        if depth == 0 and token.text == ",":
            items.append([])
        elif not (at == 0 and token.name == "distinct"):
            items[-1].append(token)
    names = [_name(item) for item in items]
    return [] if "" in names else names


def _name(item: Sequence[Token]) -> str:
    alone = len(item) == 1
    renamed = len(item) > 2 and item[-2].name == "as"
    return item[-1].text if (alone or renamed) and item[-1].kind == "word" else ""
