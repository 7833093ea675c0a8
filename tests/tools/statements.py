"""What the engines are sent, as one hash for each block and dialect: `python -m tests.tools.statements`.

Each block is called with a few rows, with row numbers that have no gap, with many rows, and with a row that lacks a
value: all that a text depends on. Space is not counted.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from graphvine.engines.kuzu.session import Session
from graphvine.queries import Block, library
from graphvine.queries.compile import Statement
from graphvine.schema.tables import tables

KEPT = Path(__file__).parents[1] / "unit" / "statements.txt"
CASES = ("few", "without a gap", "many", "with a NULL")

_UNWOUND = re.compile(r"UNWIND\s+\$(\w+)\s+AS\s+(\w+)")
_KEYED = re.compile(r"\(\w*:(\w+) \{(\w+): \$(\w+)\}")
_LISTS = ("keys", "ids", "tokens", "titles")


class Recorder:
    """Stands in for an embedded engine's driver: keeps what it is sent, and answers nothing."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def Connection(self, database: Any, num_threads: int) -> Recorder:
        return self

    def prepare(self, text: str) -> Any:
        return SimpleNamespace(text=text, is_success=lambda: True)

    def execute(self, statement: Any, given: dict[str, Any] | None = None) -> Any:
        once = isinstance(statement, str)
        kinds = {name: "table" if hasattr(value, "column_names") else type(value).__name__ for name, value in
                 (given or {}).items()}  # fmt: skip
        self.sent.append([once, " ".join((statement if once else statement.text).split()), sorted(kinds.items())])
        return SimpleNamespace(
            get_column_names=list, get_column_data_types=lambda: ["NODE"], has_next=lambda: False, close=lambda: None
        )


def parameters(block: Block, statement: Statement, case: str) -> dict[str, Any]:
    """Values of the right kinds for a call."""
    unwound = dict(_UNWOUND.findall(block.text))
    fields = {name: sorted(set(re.findall(rf"\b{row}\.`?(\w+)`?", block.text))) for name, row in unwound.items()}
    texts_ = {
        parameter
        for label, column, parameter in _KEYED.findall(block.text)
        if label in tables() and not tables()[label].columns.get(column, "INT64").startswith("INT")
    }
    known: dict[str, Any] = {"lo": 20_003, "hi": 20_005}
    known["seqs"] = [20_003, 20_004, 20_005] if case == "without a gap" else [20_003, 20_005]
    given: dict[str, Any] = {}
    for name in block.parameters:
        if fields.get(name):
            rows = [dict.fromkeys(fields[name], number) for number in range(1, 41 if case == "many" else 3)]
            given[name] = rows
            for row in rows:
                row.update({field: [1.0] for field in statement.packs})  # type: ignore[misc]
            if case == "with a NULL":
                rows[0][fields[name][0]] = None  # type: ignore[assignment]
        elif name in _LISTS or name in unwound:
            given[name] = [1, 2]
        else:
            given[name] = known.get(name, "text" if name in texts_ else 7)
    return given


def sent() -> Iterator[tuple[str, Any]]:
    """The name of each block, behind its dialect, and all that is sent for it."""
    for entity in library().entities.values():
        for block in entity.blocks.values():
            recorder = Recorder()
            for case in CASES:
                statement = library().statement(block)
                Session(recorder, None, 1).rows(statement, parameters(block, statement, case))
            yield f"kuzu {block.full_name}", recorder.sent
    for name, statement in library("neo4j").statements.items():
        yield f"neo4j {name}", [" ".join(statement.text.split()), list(statement.columns)]


def lines() -> list[str]:
    found = ((name, hashlib.sha256(json.dumps(said).encode()).hexdigest()[:12]) for name, said in sent())
    return sorted(f"{name} {digest}" for name, digest in found)


if __name__ == "__main__":
    KEPT.write_text("\n".join(lines()) + "\n", encoding="utf-8")
