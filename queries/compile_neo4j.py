"""Blocks for Neo4j: casts by their names there, a lock before every guard, the answer as one list.

A CAST tells the embedded engines the type of a value that they can't see. Here a value brings its type along: a cast to
a text or a number is a function, any other is left out. A floor, which lets them pass over rows, is left out too, so
that nothing is planned by it.

A record costs the driver about thirty times what an element of a list does (33 us against 1 us), so the rows of a
named statement travel as one record.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphvine.queries.compile import Statement, refuse
from graphvine.queries.model import Block, Library
from graphvine.queries.tokens import NO_CODE, WRITES, Token, blank, code, is_keyword

_FIRST_NODE = re.compile(r"MATCH\s*\((\w+):(\w+)", re.IGNORECASE)
_LOCKS = re.compile(r"\bSET\s+\w+\.lock\s*=", re.IGNORECASE)
_CAST = re.compile(r"\bCAST\((?P<value>(?:[^()]|\([^()]*\))+?) AS (?P<type>\w+(?:\[\d*\])?)\)")
# What was deleted can't be asked any more.
_DELETED = re.compile(r"\bDELETE (?P<row>\w+)\s+RETURN (?P=row)\.(?P<column>\w+) AS (?P<name>\w+)\s*$")
_CONVERTS = {"STRING": "toString", "INT64": "toInteger", "DOUBLE": "toFloat", "FLOAT": "toFloat"}
_RETURN = re.compile(r"(?<![.:$\w])RETURN\b(?!\s*[:.])", re.IGNORECASE)
_BRACKET = re.compile(r"[()\[\]{}]")
_AFTER_RETURN = {"order", "skip", "limit", "union"}


def compile_neo4j(block: Block, blocks: Library) -> Statement:
    """The statement of a block for a server."""
    text = behind_lock(block, blocks) if needs_lock(block) else block.text
    for floor in block.floors:
        text = _without(block, text, floor)
    text = read_before_deleted(without_casts(text))
    columns = tuple(returned(block.text))
    if columns:
        listed = ", ".join(f"`{name}`" for name in columns)
        text = f"CALL () {{\n{text}\n}}\nRETURN collect([{listed}]) AS rows"
    return Statement(block.full_name, text, columns)


def without_casts(text: str) -> str:
    """The text with each CAST(value AS type) as Neo4j writes it."""
    return _CAST.sub(lambda cast: f"{_CONVERTS.get(cast['type'], '')}({cast['value']})", text)


def _without(block: Block, text: str, floor: str) -> str:
    """The text without this lower bound on what is compared for equality: here an index finds it."""
    made, found = re.subn(rf"\b(\w+\.\w+) >= \${floor} AND (?=\1 = )", "", text)
    if not found:
        refuse(block, f"has ${floor} for a floor, but nothing like `a.id >= ${floor} AND a.id = id`")
    return made


def read_before_deleted(text: str) -> str:
    """The text with what it tells of the rows that it deletes read before it does."""
    return _DELETED.sub(r"WITH \g<row>, \g<row>.\g<column> AS \g<name>\nDELETE \g<row>\nRETURN \g<name>", text)


def needs_lock(block: Block) -> bool:
    """Whether a check of this block must not be overtaken: it guards, or moves rows that are there."""
    moves_rows = any(source is not None for move in block.moves for source in move.sources)
    return block.writes and (moves_rows or block.guard or block.name.startswith("align_"))


def locks_itself(block: Block) -> bool:
    return _LOCKS.search(block.text) is not None


def behind_lock(block: Block, blocks: Library) -> str:
    """The block's text with a lock on its rows before it, unless it locks by itself.

    Rows that a parameter names (`// by:`) are locked by it, and nothing else of them is read before. Any others are
    looked for as the block does, locked, and then looked at again by the whole of its text.
    """
    if locks_itself(block):
        return block.text
    locks = blocks.entities[block.entity].locks
    found = [locks[by.parameter] for by in block.by if by.parameter in locks]
    if found:
        steps = zip(found, [*found[1:], block], strict=True)
        return "\n".join([*(f"{lock.text}\nWITH {_passed_on(lock, then)}" for lock, then in steps), block.text])
    row, head = _search(block)
    hold = blocks.block("graph.hold").text.replace("`row`", row)
    # Under a new name for the server: what it has read of the row before the lock is not used after it.
    again = f"UNWIND held AS id\nMATCH ({row})\nWHERE elementId({row}) = id\nWITH {row}"
    return f"CALL () {{\n{head}\n{hold}\n}}\n{again}\n{block.text}"


def _passed_on(lock: Block, block: Block) -> str:
    """The locked row itself where the block begins with it (a quarter quicker); otherwise the block begins afresh."""
    locked, first = _FIRST_NODE.match(lock.text), _FIRST_NODE.match(block.text)
    alike = locked is not None and first is not None and locked.groups() == first.groups()
    return locked.group(1) if alike and locked is not None else "count(*) AS locked"


def _search(block: Block) -> tuple[str, str]:
    """The row that a block begins with and sets, and what it reads before it does."""
    tokens = code(block.text)
    first = _FIRST_NODE.match(block.text)
    at = next((at for at, token in enumerate(tokens) if token.name in WRITES and is_keyword(tokens, at)), None)
    if at is None or first is None or tokens[at].name != "set" or tokens[at + 1].text != first.group(1):
        advice = "give it a text of its own in queries/neo4j/, which locks the rows before it checks them"
        refuse(block, f"does not begin with what it sets: {advice}")
    return first.group(1), block.text[: tokens[at].start].rstrip()


def returned(text: str) -> list[str]:
    """The names of the columns that a statement returns, in order; empty where the text does not say."""
    bare = NO_CODE.sub(blank, text)
    for found in reversed(list(_RETURN.finditer(bare))):
        # Behind the RETURN of a sub-query, brackets are closed that it did not open.
        if _is_whole(bare, found.end()):
            return _names(code(text[found.end() :]))
    return []


def _is_whole(bare: str, start: int) -> bool:
    depth = 0
    for bracket in _BRACKET.finditer(bare, start):
        depth += 1 if bracket[0] in "([{" else -1
        if depth < 0:
            return False
    return True


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
    return item[-1].text.strip("`") if (alone or renamed) and item[-1].kind in ("word", "quoted") else ""
