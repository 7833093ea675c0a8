"""Blocks to statements, once for each dialect: the text that is sent, and how a call's parameters go into it.

What a rewrite needs to know stands in the block's head (`// by:`, `// table:`, `// literal:`, `// floor:`); a name
alone means nothing. docs/query-files.md says what each hint is for.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
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
_ONE_NODE = re.compile(r"\s*MATCH \((\w+):\w+\)\s+WHERE\b")
_CLAUSES = re.compile(
    r"\b(MATCH|OPTIONAL|WHERE|WITH|UNWIND|SET|MERGE|CREATE|DELETE|REMOVE|RETURN|ORDER|SKIP|LIMIT|CALL|UNION|DISTINCT)\b"
)
_AGGREGATES = re.compile(r"\b(count|collect|sum|avg|min|max)\(", re.IGNORECASE)
# Lists of numbers, which Kuzu mixes up in a checkpoint: it keeps them as text, servers as they are. Those of FLOAT are
# vectors, whose text the engine's session packs and unpacks (graph/vectors.py).
_AS_TEXT = re.compile(r"\bas_text\((?P<value>\$?\w+(?:\.\w+)?), (?P<type>\w+\[\])\)")
_AS_LIST = re.compile(r"\bas_list\((?P<row>\w+)\.(?P<column>\w+), (?P<type>\w+\[\])\)")
_VECTOR = "FLOAT[]"
_PACKS = re.compile(r"\bas_text\((?P<name>\w+), FLOAT\[\]\)")
_UNPACKS = re.compile(r"\bas_list\(\w+\.\w+, FLOAT\[\]\)\s+AS\s+(\w+)")


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
    # Kuzu: the fields of its rows, and the columns of its answer, that hold vectors.
    packs: tuple[str, ...] = ()
    unpacks: tuple[str, ...] = ()
    # Whether several units may share one run of it, each of its rows with the values of its own unit.
    shared: bool = False


class Statements(Mapping[str, "Statement"]):
    """The statement of every block of a library, by its full name, each compiled when it is first asked for.

    Those of this package are proved by its tests. Those of other folders are compiled at once: who writes a hint that
    does not hold is told when the library is loaded.
    """

    def __init__(self, library: Library) -> None:
        self._library, self._compiled = library, dict[str, Statement]()
        self._blocks = {
            block.full_name: block for entity in library.entities.values() for block in entity.blocks.values()
        }
        for name, block in self._blocks.items():
            if not block.file.startswith("queries/"):
                self[name]

    def __getitem__(self, name: str) -> Statement:
        statement = self._compiled.get(name)
        if statement is None:
            statement = self._compiled[name] = compile_block(self._blocks[name], self._library)
        return statement

    def __iter__(self) -> Iterator[str]:
        return iter(self._blocks)

    def __len__(self) -> int:
        return len(self._blocks)


def compile_block(block: Block, library: Library) -> Statement:
    """The statement of a block for the library's dialect."""
    written, block = block.text, replace(block, text=with_lists(block.text, library.dialect))
    if library.dialect != "neo4j":
        return replace(compile_kuzu(block), packs=_packs(block, written), unpacks=tuple(_UNPACKS.findall(written)))
    from graphvine.queries.compile_neo4j import compile_neo4j

    return compile_neo4j(block, library)


def with_lists(text: str, dialect: str) -> str:
    """The text with as_text(value, type) and as_list(row.column, type) as the dialect keeps lists of numbers.

    `old_<column>` has the lists of graphs that were made when Kuzu kept them as lists.
    """
    if dialect == "neo4j":
        return _AS_LIST.sub(r"\g<row>.\g<column>", _AS_TEXT.sub(r"\g<value>", text))
    return _AS_LIST.sub(_read_as_text, _AS_TEXT.sub(_kept_as_text, text))


def _kept_as_text(found: re.Match[str]) -> str:
    value, kind = found["value"], found["type"]
    if kind == _VECTOR:
        return "''" if value == "NULL" else f"coalesce({value}, '')"
    return f"coalesce(CAST(CAST({value} AS {kind}) AS STRING), '[]')"


def _read_as_text(found: re.Match[str]) -> str:
    now, before = f"{found['row']}.{found['column']}", f"{found['row']}.old_{found['column']}"
    if found["type"] == _VECTOR:
        return f"coalesce({now}, CAST({before} AS STRING))"
    return f"coalesce(CAST({now} AS {found['type']}), {before})"


def _packs(block: Block, text: str) -> tuple[str, ...]:
    """The fields of the block's rows that it keeps as vectors."""
    names = {name for name in _PACKS.findall(text) if name != "NULL"}
    fields = tuple(found["field"] for found in _FIELD.finditer(text) if found["name"].strip("`") in names)
    if len(fields) != len(names) or (names and not block.unwound):
        refuse(block, "keeps a vector with as_text(name, FLOAT[]) whose name is not a field of its rows")
    return fields


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
        shared=_can_be_shared(block),
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


def _can_be_shared(block: Block) -> bool:
    """Whether what it does to a row depends on that row and its parameters alone: it guards, or claims, row by row."""
    batch, row = block.batch, _ONE_NODE.match(block.text)
    if batch is None or row is None or block.literals or _AGGREGATES.search(block.text):
        return False
    if _CLAUSES.findall(block.text) != ["MATCH", "WHERE", "SET", "RETURN"]:
        return False
    where, _, changes = block.text.partition("SET ")
    token_at = where if block.guard else changes
    once = all(len(re.findall(rf"\${name}\b", block.text)) == 1 for name in (batch.parameter, "token"))
    return once and f"{row[1]}.seq IN ${batch.parameter}" in where and f"{row[1]}.lease = $token" in token_at


@cache
def shared_template(text: str, batch: By, *, guard: bool, workers: bool, dense: bool) -> Template:
    """The text for rows of several units: a guard with the tokens of all of them, a claim maybe by several workers.

    Their numbers are compared with the first and the last before they are looked up in the list, which costs half with
    256 of them; where they are `dense`, without a gap, there is no list.

    A row is ours where the sum of its token and its number is among `$sums`: each is the token of one row's own claim,
    drawn from 2^61, and its number. A list of tokens looked up for each row costs four times as much, and no list at
    all would let the claim of one unit pass for another's. `$workers` has one name for each row and one in front, for
    rows between the bounds that are not of the batch; without the cast, numbers of another width are found nowhere.
    """
    row = _ONE_NODE.match(text)
    assert row is not None, "not a statement that can be shared"
    if guard:
        text = text.replace(f"{row[1]}.lease = $token", f"({row[1]}.lease + {row[1]}.seq) IN $sums")
    number = f"{row[1]}.seq"
    listed = f"{number} IN ${batch.parameter}"
    between = f"{number} >= ${batch.parameter}_first AND {number} <= ${batch.parameter}_last"
    text = text.replace(listed, between if dense else f"{between} AND {listed}")
    if workers:
        place = f"1 + list_position(CAST(${batch.parameter} AS INT64[]), {row[1]}.seq)"
        text = re.sub(r"\$worker\b", f"list_extract($workers, {place})", text)
    return Template.of(text, (batch.lo, batch.hi))


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
