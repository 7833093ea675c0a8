"""Parameters for any block, built from their names, and from the columns that they meet in the block's text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from graphvine.clock import NEVER, moment
from graphvine.queries import Block, Machine

NOW = 1_750_000_000_000
_FIELD = re.compile(r"\b(\w+)\.(\w+)")


@dataclass(frozen=True)
class Situation:
    """The row that a block is to meet, and what its caller believes."""

    key: Any
    seq: int
    token: int
    # A reaper that comes late finds every heartbeat too old; one that comes early finds none.
    late: bool = True
    # Whether the row has lost its workers too often.
    tired: bool = False
    # A worker whose clock is behind comes before the row is due.
    early: bool = False


def batch_of(key: Any) -> int:
    """The batch of a row: each has one of its own, so that a block that takes a whole batch meets one row."""
    return int(str(key).removeprefix("row "))


class Builder:
    """Knows the types of the columns of one entity."""

    def __init__(self, machine: Machine, columns: Mapping[str, str]) -> None:
        self._machine, self._columns = machine, columns

    def build(self, block: Block, row: Situation) -> dict[str, Any]:
        if "a.due > $now" in block.text:  # it is for rows that are not due yet
            row = replace(row, early=True)
        return {name: self._value(block, name, row) for name in block.parameters}

    def _value(self, block: Block, name: str, row: Situation) -> Any:
        if name == "rows":
            return [self._element(block, row)]
        known = self._known(row)
        if name in known:
            return known[name]
        return _sample(self._kind(block, rf"\${name}", name))

    def _known(self, row: Situation) -> dict[str, Any]:
        return {
            # The bounds take the neighbours in: only the list may decide.
            "seqs": [row.seq], "lo": row.seq - 1, "hi": row.seq + 1, "seq": row.seq,
            "key": row.key, self._machine.key: row.key, "keys": [row.key],
            "token": row.token, "tokens": [row.token], "worker": "a worker",
            "now": -1 if row.early else NOW, "at": moment(NOW), "at_ms": NOW, "due": NOW + 1_000, "never": NEVER,
            "cutoff": moment(NOW + 60_000 if row.late else NOW - 60_000),
            "max_lost": 1 if row.tired else 1_000, "counted": 1, "batch_seq": batch_of(row.key),
        }  # fmt: skip

    def _element(self, block: Block, row: Situation) -> dict[str, Any]:
        unwound = re.search(r"UNWIND\s+\$rows\s+AS\s+(\w+)", block.text)
        assert unwound, f"{block.full_name}: how does it use $rows?"
        fields = {field for name, field in _FIELD.findall(block.text) if name == unwound.group(1)}
        element = {}
        for field in sorted(fields):
            alias = re.search(rf"\b{unwound.group(1)}\.{field}\s+AS\s+(\w+)", block.text)
            used = alias.group(1) if alias else rf"{unwound.group(1)}\.{field}"
            element[field] = self._known(row).get(field, _sample(self._kind(block, used, field)))
        # Belongs to no claim, so that the unit does not leave it out; the engine fills the numbers.
        return element | {slot.field: 0 for slot in (*block.held, *block.number) if slot.field}

    def _kind(self, block: Block, value: str, name: str) -> str:
        """The type of a value: of the list that is kept as text, or of the column that it meets."""
        listed = re.search(rf"\bas_text\({value}, (\w+\[\])\)", block.text)
        return listed[1] if listed else self._columns.get(self._column_met(block, rf"{value}\b") or name, "STRING")

    def _column_met(self, block: Block, value: str) -> str | None:
        """The column that this value is set to, or compared with."""
        met = re.search(rf"\b\w+\.(\w+)\s*(?:=|<>|<=|>=|<|>|IN)\s*{value}", block.text)
        met = met or re.search(rf"\b(\w+):\s*{value}", block.text)
        return met.group(1) if met else None


def _sample(kind: str) -> Any:
    if kind.endswith("]"):
        return [_sample(kind[: kind.rindex("[")])]
    if kind.startswith(("INT", "UINT", "SERIAL")):
        return 1
    if kind.startswith(("DOUBLE", "FLOAT", "DECIMAL")):
        return 1.0
    if kind.startswith("TIMESTAMP"):
        return moment(NOW)
    return True if kind == "BOOL" else "text"
