"""What a block's text becomes on Neo4j: casts by their names there, the lock before the guard, the answer as one list.

A CAST tells the embedded engines the type of a value that they can't see. Here a value brings its type along: a cast to
a text or a number is a function, any other is left out. A bound that lets them pass over rows is left out too, so that
nothing is planned by it.

A record costs the driver about thirty times what an element of a list does (33 us against 1 us), so the rows of a
named statement travel as one record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from graphvine.queries import Block, Library, QueryFileError, library
from graphvine.queries.tokens import Token, is_keyword, tokenise
from graphvine.queries.words import WRITES
from graphvine.schema import migrations

_FIRST_NODE = re.compile(r"MATCH\s*\((\w+):(\w+)", re.IGNORECASE)
_LOCKS = re.compile(r"\bSET\s+\w+\.lock\s*=", re.IGNORECASE)
# A parameter by which a block names its rows, or what they belong to, and the block that locks them by it; in the order
# in which they are locked.
_LOCK_BY = {"batch": "lock_batch", "seqs": "lock", "seq": "lock_row", "rows": "lock_rows"}
_CAST = re.compile(r"\bCAST\((?P<value>(?:[^()]|\([^()]*\))+?) AS (?P<type>\w+(?:\[\d*\])?)\)")
_BOUND = re.compile(r"\b(\w+\.\w+) >= \$\w+ AND (?=\1 = )")
# What was deleted can't be asked any more.
_DELETED = re.compile(r"\bDELETE (?P<row>\w+)\s+RETURN (?P=row)\.(?P<column>\w+) AS (?P<name>\w+)\s*$")
_CONVERTS = {"STRING": "toString", "INT64": "toInteger", "DOUBLE": "toFloat", "FLOAT": "toFloat"}
_AFTER_RETURN = {"order", "skip", "limit", "union"}


def ported() -> Library:
    """The entities that have their constraints in schema/neo4j/: without these two workers could make a row twice."""
    whole = library("neo4j")
    bare = {entity for entity, steps in migrations("neo4j").items() if not steps[0].file.startswith("schema/neo4j/")}
    return Library(whole.dialect, {name: entity for name, entity in whole.entities.items() if name not in bare})


@cache
def texts() -> Mapping[str, Text]:
    """The statement of every block that is ported, by its full name."""
    blocks = ported()
    found = [block for entity in blocks.entities.values() for block in entity.blocks.values()]
    return {block.full_name: text_of(block, blocks) for block in found}


@dataclass(frozen=True, slots=True)
class Text:
    """A statement, and the names of its columns (none where it returns nothing)."""

    statement: str
    names: list[str]


def text_of(block: Block, blocks: Library) -> Text:
    """The statement to run for a block."""
    statement = behind_lock(block, blocks) if needs_lock(block) else block.text
    statement = read_before_deleted(without_bounds(without_casts(statement)))
    names = returned(block.text)
    if names:
        listed = ", ".join(f"`{name}`" for name in names)
        statement = f"CALL () {{\n{statement}\n}}\nRETURN collect([{listed}]) AS rows"
    return Text(statement, names)


def without_casts(text: str) -> str:
    """The text with each CAST(value AS type) as Neo4j writes it."""
    return _CAST.sub(lambda cast: f"{_CONVERTS.get(cast['type'], '')}({cast['value']})", text)


def without_bounds(text: str) -> str:
    """The text without a lower bound on what is compared for equality: here an index finds it."""
    return _BOUND.sub("", text)


def read_before_deleted(text: str) -> str:
    """The text with what it tells of the rows that it deletes read before it does."""
    return _DELETED.sub(r"WITH \g<row>, \g<row>.\g<column> AS \g<name>\nDELETE \g<row>\nRETURN \g<name>", text)


def needs_lock(block: Block) -> bool:
    """Whether a check of this block must not be overtaken: it guards, or moves rows that are there."""
    moves_rows = any(source is not None for move in block.moves for source in move.sources)
    return block.writes and (moves_rows or block.guard or block.name.startswith("align_"))


def behind_lock(block: Block, blocks: Library) -> str:
    """The block's text with a lock on its rows before it, unless it locks by itself.

    Rows that are named by their numbers are locked by them, and nothing else of them is read before. Any others are
    looked for as the block does, locked, and then looked at again by the whole of its text.
    """
    if _LOCKS.search(block.text):
        return block.text
    locks = blocks.entities[block.entity].blocks
    found = [locks[name] for by, name in _LOCK_BY.items() if by in block.parameters and name in locks]
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
    tokens = _tokens(block.text)
    first = _FIRST_NODE.match(block.text)
    at = next((at for at, token in enumerate(tokens) if token.name in WRITES and is_keyword(tokens, at)), None)
    if at is None or first is None or tokens[at].name != "set" or tokens[at + 1].text != first.group(1):
        advice = "give it a text of its own in queries/neo4j/, which locks the rows before it checks them"
        raise QueryFileError(block.file, block.line, f"block {block.name!r} does not begin with what it sets: {advice}")
    return first.group(1), block.text[: tokens[at].start].rstrip()


def returned(text: str) -> list[str]:
    """The names of the columns that a statement returns, in order; empty where that can't be told from the text."""
    tokens = _tokens(text)
    start, depth = None, 0
    for at, token in enumerate(tokens):
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "mark" else 0
        if depth == 0 and token.name == "return" and is_keyword(tokens, at):
            start = at + 1
    return [] if start is None else _names(tokens[start:])


def _tokens(text: str) -> list[Token]:
    return [token for token in tokenise(text) if token.kind != "comment"]


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
