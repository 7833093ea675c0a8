"""Answers in a size that an assistant can read: long texts are cut, vectors left out, rows counted."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

_LONGEST_TEXT = 2_000
# Longer lists of numbers are vectors, which tell a reader nothing.
_LONGEST_NUMBERS = 16
# Of one answer, in characters, roughly.
MOST_CHARACTERS = 100_000


def shaped(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}… ({len(value)} characters)"
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(name): shaped(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        if len(value) > _LONGEST_NUMBERS and all(isinstance(one, int | float) for one in value):
            return f"({len(value)} numbers)"
        return [shaped(inner) for inner in value]
    return str(value)


def fitting(rows: Iterable[Any]) -> tuple[list[Any], bool]:
    """As many rows as fit into one answer, shaped, and whether some did not."""
    kept: list[Any] = []
    left = MOST_CHARACTERS
    for row in rows:
        made = shaped(row)
        left -= len(repr(made))
        if left < 0 and kept:
            return kept, True
        kept.append(made)
    return kept, False
