"""What an embedded engine is given and what it says, in the shapes that the rest wants."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphvine.engines.session import Session


def sentence(error: BaseException) -> str:
    """What the engine says, without the lists of signatures that it likes to add."""
    said = " ".join(str(error).splitlines()[:2])[:500].rstrip(". ")
    return f"{said} (give it more with the setting buffer_pool_mb)" if is_out_of_memory(error) else said


def is_out_of_memory(error: BaseException) -> bool:
    return "buffer pool is full" in str(error)


def arrow(columns: Any) -> Any:
    """Columns as an Arrow table, which is what COPY reads."""
    import importlib.util  # noqa: F401  Kuzu's scan of an Arrow table needs it loaded under Python 3.11

    import pyarrow

    return columns if isinstance(columns, pyarrow.Table) else pyarrow.table(dict(columns))


def copy_in(session: Session, table: str, parts: Iterable[Any], progress: Callable[[int], None] | None) -> int:
    """Load a table from columns, part by part; how many rows there were."""
    loaded = 0
    for part in parts:
        rows = arrow(part)
        names = "" if "from" in rows.column_names else f"({', '.join(rows.column_names)})"
        session.run(f"COPY {table}{names} FROM $rows", {"rows": rows})
        loaded += rows.num_rows
        if progress is not None:
            progress(loaded)
    return loaded
