"""The hints that a block needs: without one it would run, but slowly, or with a dearer lock, and nobody would know."""

from __future__ import annotations

import re
from collections.abc import Mapping

from graphvine.queries.compile import compile_block, table_shape
from graphvine.queries.compile_neo4j import locks_itself, needs_lock
from graphvine.queries.model import Block, By, Entity, Library
from graphvine.queries.proof.blocks import refuse
from graphvine.queries.tokens import NO_CODE

_BATCH = re.compile(
    r"\b(?P<column>\w+\.seq) >= \$(?P<lo>\w+) AND (?P=column) <= \$(?P<hi>\w+) AND (?P=column) "
    r"(?:IN \$(?P<list>\w+)|= (?P<value>\w+)\b)"
)
_ROW = re.compile(r"\b(?P<column>\w+\.seq) (?:= \$(?P<row>\w+)|>= \$(?P<lo>\w+) AND (?P=column) <= \$(?P=lo)\b)")
_FLOOR = re.compile(r"\b(?P<column>\w+\.\w+) >= \$(?P<floor>\w+) AND (?=(?P=column) = )")
_KEYED = re.compile(r"\(\w*:(?P<label>\w+) \{(?P<column>\w+): \$(?P<name>\w+)\}")
_RANGE = re.compile(r"\b(\w+)\.(?P<column>\w+) >= \$(?P<least>\w+) AND \1\.(?P=column) <= \$(?P<most>\w+)")
_CAST = re.compile(r"\b(\w+)\.(?P<column>\w+) = CAST\(\$(?P<name>\w+) AS INT64\)")
_NODE = re.compile(r"\((\w+):(\w+)")

# The kind of each column, by table.
Columns = Mapping[str, Mapping[str, str]]


def prove_hints(block: Block, library: Library, columns: Columns) -> None:
    """Raise QueryFileError where the text has a shape that a hint is for, and the head lacks it; or can't bear one."""
    text = NO_CODE.sub("''", block.text)
    _by(block, text)
    for found in _FLOOR.finditer(text):
        if found["floor"] not in block.floors:
            why = "an engine with an index plans better without it"
            refuse(block, block.line, f"has a lower bound beside an equality: say `// floor: {found['floor']}`, {why}")
    if library.dialect == "neo4j":
        _locks(block, library.entities[block.entity])
    else:
        shape = table_shape(block.text)
        if shape is not None and not block.table:
            why = "a long list goes as columns, in a tenth of the time"
            refuse(block, block.line, f"unwinds rows: say `// table: {shape[0]}`, {why}")
        _literals(block, text, columns)
    compile_block(block, library)


def _by(block: Block, text: str) -> None:
    for found in _BATCH.finditer(text):
        named = found["list"] or block.unwound
        # One number, twice, bounds one row.
        if found["lo"] != found["hi"] and By(named, found["lo"], found["hi"]) not in block.by:
            hint = f"`// by: {named} between {found['lo']} and {found['hi']}`"
            refuse(block, block.line, f"finds a batch of rows: say {hint}, so that bounds are literals and rows locked")
    row = _ROW.search(text)
    if row is not None and needs_lock(block) and not block.by:
        name = row["row"] or row["lo"]
        refuse(block, block.line, f"checks one row by its number: say `// by: {name}`, so that it can be locked")


def _locks(block: Block, entity: Entity) -> None:
    """A server locks rows by the parameters that name them."""
    if needs_lock(block) and not locks_itself(block):
        for name, lock in entity.locks.items():
            if name in block.parameters and all(by.parameter != name for by in block.by):
                refuse(block, block.line, f"has ${name}, by which {lock.name!r} locks rows: say `// by: {name}`")


def _literals(block: Block, text: str, columns: Columns) -> None:
    labels = dict(_NODE.findall(text))
    needed = [found["name"] for found in _KEYED.finditer(text) if _is_number(columns, found["label"], found["column"])]
    bounds = {name for by in block.by for name in (by.lo, by.hi)}  # those are literals already
    for found in _RANGE.finditer(text):
        ends = {found["least"], found["most"]}
        if not ends <= bounds and _is_number(columns, labels.get(found[1], ""), found["column"]):
            needed += [found["least"], found["most"]]
    if not needed and (cast := _CAST.search(text)) and _is_number(columns, labels.get(cast[1], ""), cast["column"]):
        needed.append(cast["name"])
    for name in needed:
        if name not in block.literals:
            why = "Kuzu sees the index of a number, and skips rows by it, only where it is written out"
            refuse(block, block.line, f"looks rows up by the number ${name}: say `// literal: {name}`, {why}")


def _is_number(columns: Columns, label: str, column: str) -> bool:
    return columns.get(label, {}).get(column, "").startswith("INT")
