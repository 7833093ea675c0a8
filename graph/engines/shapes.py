"""What an embedded engine is given and what it says, in the shapes that the rest wants."""

from __future__ import annotations

from typing import Any


def sentence(error: BaseException) -> str:
    """What the engine says, without the lists of signatures that it likes to add."""
    return " ".join(str(error).splitlines()[:2])[:500].rstrip(". ")


def arrow(columns: Any) -> Any:
    """Columns as an Arrow table, which is what COPY reads."""
    import importlib.util  # noqa: F401  Kuzu's scan of an Arrow table needs it loaded under Python 3.11

    import pyarrow

    return columns if isinstance(columns, pyarrow.Table) else pyarrow.table(dict(columns))
