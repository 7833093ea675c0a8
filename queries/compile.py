"""Blocks to statements, once for each dialect: the text that is sent, and how a call's parameters go into it.

What a rewrite needs to know stands in the block's head (`// by:`, `// table:`, `// literal:`, `// floor:`); a name
alone means nothing. docs/query-files.md says what each hint is for.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

from graphvine.queries.errors import QueryFileError
from graphvine.queries.model import Block, By, Library

_TABLE = re.compile(
    r"\s*UNWIND\s+\$(?P<list>\w+)\s+AS\s+(?P<row>\w+)\s+WITH\s+(?P<items>[^()]*?)\s*(?=\b(?:MATCH|MERGE|CREATE|WHERE|WITH)\b)"
)
# A name may stand in backticks, where an engine has the word for something else.
_FIELD = re.compile(r"(?P<row>\w+)\.`?(?P<field>\w+)`?\s+AS\s+(?P<name>\w+|`\w+`)")
_SET = re.compile(r"\bSET\b(.*?)(?:\bRETURN\b|\bMERGE\b|\bWITH\b|\bMATCH\b|$)", re.IGNORECASE | re.DOTALL)
_ON_CREATE = re.compile(
    r"\bON\s+CREATE\s+SET\b.*?(?=\bON\s+MATCH\b|\bSET\b|\bRETURN\b|\bMERGE\b|\bWITH\b|\bMATCH\b|\bCREATE\b|;|$)",
    re.IGNORECASE | re.DOTALL,
)
_ASSIGNED = re.compile(r"\b\w+\.\w+\s*=(?!=)")
# Lists of numbers, which Kuzu mixes up in a checkpoint: it keeps them as text, servers as they are.
_AS_TEXT = re.compile(r"\bas_text\((?P<value>\$?\w+(?:\.\w+)?), (?P<type>\w+\[\])\)")
_AS_LIST = re.compile(r"\bas_list\((?P<row>\w+)\.(?P<column>\w+), (?P<type>\w+\[\])\)")


@dataclass(frozen=True, slots=True)
class Template:
    """A text with places in it for values that are written out."""

    parts: tuple[str, ...]
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, names: tuple[str, ...]) -> Template:
        """The text with a place for each of these parameters, wherever it stands."""
        if not names:
            return cls((text,))
        pieces = re.split(rf"\$({'|'.join(names)})\b", text)
        return cls(tuple(pieces[::2]), tuple(pieces[1::2]))

    def filled(self, values: Mapping[str, str]) -> str:
        """The text; a parameter without a value stays one."""
        if not self.names:
            return self.parts[0]
        made = [self.parts[0]]
        for name, part in zip(self.names, self.parts[1:], strict=True):
            made += (values.get(name) or f"${name}", part)
        return "".join(made)


@dataclass(frozen=True, slots=True)
class Scan:
    """A statement that takes its rows from a table: the fields of a row, each with its name, and what follows them."""

    parameter: str
    fields: tuple[tuple[str, str], ...]
    rest: Template

    def text(self, known: Container[str], values: Mapping[str, str]) -> str:
        """The text, for a table that has these fields; the engine can't tell the type of one that holds nothing."""
        named = ((f"column_{field}" if field in known else "NULL", alias) for field, alias in self.fields)
        projected = ", ".join(f"{name} AS {alias}" for name, alias in named)
        return f"LOAD FROM ${self.parameter} WITH {projected}\n{self.rest.filled(values)}"


@dataclass(frozen=True, slots=True)
class Statement:
    """What is sent for a block."""

    name: str
    text: str
    # The names of the columns that it returns, in order; only where the engine needs them.
    columns: tuple[str, ...] = ()
    # How many columns it sets of rows that are there, and the parameter with one element for each row.
    columns_set: int = 0
    rows: str = ""
    # Whether these are row numbers.
    by_number: bool = False
    # Kuzu: the text with places for bounds and literals; the same where the numbers of the batch have no gap; its rows
    # as a table.
    batch: By | None = None
    literals: tuple[str, ...] = ()
    template: Template | None = None
    dense: Template | None = None
    scan: Scan | None = None


def compile_all(library: Library) -> dict[str, Statement]:
    """The statement of every block, by its full name."""
    blocks = (block for entity in library.entities.values() for block in entity.blocks.values())
    return {block.full_name: compile_block(block, library) for block in blocks}


def compile_block(block: Block, library: Library) -> Statement:
    """The statement of a block for the library's dialect."""
    block = replace(block, text=with_lists(block.text, library.dialect))
    if library.dialect != "neo4j":
        return compile_kuzu(block)
    from graphvine.queries.compile_neo4j import compile_neo4j

    return compile_neo4j(block, library)


def with_lists(text: str, dialect: str) -> str:
    """The text with as_text(value, type) and as_list(row.column, type) as the dialect keeps lists of numbers.

    `old_<column>` has the lists of graphs that were made when Kuzu kept them as lists.
    """
    if dialect == "neo4j":
        return _AS_LIST.sub(r"\g<row>.\g<column>", _AS_TEXT.sub(r"\g<value>", text))
    text = _AS_TEXT.sub(r"coalesce(CAST(CAST(\g<value> AS \g<type>) AS STRING), '[]')", text)
    return _AS_LIST.sub(r"coalesce(CAST(\g<row>.\g<column> AS \g<type>), \g<row>.old_\g<column>)", text)


def refuse(block: Block, message: str) -> NoReturn:
    raise QueryFileError(block.file, block.line, f"block {block.name!r} {message}")


def compile_kuzu(block: Block) -> Statement:
    """The statement of a block for the embedded engines."""
    batch, text = block.batch, block.text
    bounds = (batch.lo, batch.hi) if batch is not None else ()
    for name in (*bounds, *block.literals):
        if f"${name}" not in text:
            refuse(block, f"has a hint for ${name}, which is not in its text")
    scan = _scan(block, bounds) if block.table else None
    hinted = bool(bounds or block.literals)
    return Statement(
        name=block.full_name,
        text=text,
        columns_set=columns_set(text) if block.writes else 0,
        rows=batch.parameter if batch is not None else block.unwound,
        by_number=batch is not None and f"IN ${batch.parameter}" in text,
        batch=batch,
        literals=block.literals,
        template=Template.of(text, (*bounds, *block.literals)) if hinted else None,
        dense=_dense(text, batch),
        scan=scan,
    )


def compile_text(text: str, *literals: str) -> Statement:
    """A statement that is no block; its literals are written out."""
    return Statement("", text, literals=literals, template=Template.of(text, literals) if literals else None)


def columns_set(text: str) -> int:
    """How many columns a statement sets of rows that are there; new rows come at the end, all in one stretch."""
    return sum(len(_ASSIGNED.findall(part)) for part in _SET.findall(_ON_CREATE.sub("", text)))


def _dense(text: str, batch: By | None) -> Template | None:
    """The text that compares numbers without a gap with their ends, where its list stands for nothing else."""
    if batch is None:
        return None
    listed = rf"\b(\w+)\.seq IN \${batch.parameter}\b"
    ends = rf"\1.seq >= ${batch.parameter}_first AND \1.seq <= ${batch.parameter}_last"
    by_ends, found = re.subn(listed, ends, text)
    if not found or re.search(rf"\${batch.parameter}\b", by_ends):
        return None
    return Template.of(by_ends, (batch.lo, batch.hi))


def _scan(block: Block, bounds: tuple[str, ...]) -> Scan:
    shape = table_shape(block.text)
    if shape is None or shape[0] != block.table:
        advice = f"begin with UNWIND ${block.table} AS r WITH r.a AS a, ... and use r and the list nowhere else"
        refuse(block, f"can't take ${block.table} as a table: {advice}")
    return Scan(shape[0], shape[1], Template.of(shape[2], bounds))


def table_shape(text: str) -> tuple[str, tuple[tuple[str, str], ...], str] | None:
    """The list's name, (field, name) of each projected value, and the rest; None for any other statement."""
    head = _TABLE.match(text)
    if head is None:
        return None
    items = [_FIELD.fullmatch(item.strip()) for item in head["items"].split(",")]
    rest = text[head.end() :]
    if re.search(rf"\b{head['row']}\.|\${head['list']}\b", rest):
        return None
    fields = tuple((item["field"], item["name"]) for item in items if item is not None and item["row"] == head["row"])
    return (head["list"], fields, rest) if len(fields) == len(items) else None
