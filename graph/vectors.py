"""Vectors as the embedded engines keep them: a short text of base64, of 16 bits a number where that loses nothing.

As a list Kuzu would mix them up in a checkpoint (docs/kill-safety.md). Written out as digits a vector of 384 numbers
takes 4 KB, and a checkpoint, which holds the texts of up to 131,072 rows in memory, fails at some 70,000 sections with
a pool of 1 GB. This takes 1 KB.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from graphvine.table import Table, column

_HALF, _SINGLE = "h", "f"


def as_stored(vectors: Any) -> list[list[float]]:
    """Vectors rounded to 16 bits a number, which changes likeness by less than a thousandth."""
    if not len(vectors):
        return []
    import numpy as np

    rounded: list[list[float]] = np.asarray(vectors, np.float16).astype(np.float32).tolist()
    return rounded


def pack(numbers: Sequence[float] | None) -> str | None:
    """A vector as text; without a loss, in 32 bits a number at most."""
    import numpy as np

    if numbers is None or not len(numbers):
        return None if numbers is None else ""
    single = np.asarray(numbers, "<f4")
    with np.errstate(over="ignore"):
        half = single.astype("<f2")
    exact = np.array_equal(half.astype("<f4"), single, equal_nan=True)
    kept, kind = (half, _HALF) if exact else (single, _SINGLE)
    return kind + base64.b64encode(kept.tobytes()).decode("ascii")


def unpack(text: str | None) -> list[float] | None:
    """The numbers of a packed vector, or of a list that an engine has written as text."""
    import numpy as np

    if not text:
        return None if text is None else []
    if text[0] == "[":
        return [float(number) for number in text[1:-1].split(",") if number]
    numbers = np.frombuffer(base64.b64decode(text[1:]), "<f2" if text[0] == _HALF else "<f4")
    unpacked: list[float] = numbers.astype(np.float32).tolist()
    return unpacked


def packed(parameters: Mapping[str, Any], rows: str, fields: Sequence[str]) -> Mapping[str, Any]:
    """Parameters with the vectors in these fields of their rows as text."""
    given = parameters[rows]
    if isinstance(given, Table):
        for field in fields:
            given = given.having(field, list(map(pack, column(given, field))))
    else:
        given = [{**row, **{field: pack(row[field]) for field in fields}} for row in given]
    return {**parameters, rows: given}
