"""The derived search index beside an embedded graph. The graph is the truth; this is a cache of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from graphvine.search.documents import Document, Filters, Hit, IndexFields, Range, Results, Snippet, Stored
from graphvine.search.errors import (
    BadDocument,
    IndexBusy,
    IndexClosed,
    OtherVersion,
    RebuildNeeded,
    SearchError,
    SearchPartsMissing,
    StampWentBack,
    UnknownField,
)
from graphvine.search.ranking import fuse

if TYPE_CHECKING:
    from graphvine.search.index import SearchIndex

__all__ = [
    "BadDocument", "Document", "Filters", "Hit", "IndexBusy", "IndexClosed", "IndexFields", "OtherVersion", "Range",
    "RebuildNeeded", "Results", "SearchError", "SearchPartsMissing", "Snippet", "StampWentBack", "Stored",
    "UnknownField", "fuse", "open_index", "remove_index",
]  # fmt: skip


def open_index(
    folder: Path, dimension: int | None = None, *, fields: IndexFields | None = None, background: bool = True,
    own_numbers: bool = False, named_by_number: str = "",
) -> SearchIndex:  # fmt: skip
    """Open or create the index in this folder; RebuildNeeded says that it must be removed first.

    Without `fields` it is opened with those that it has. `own_numbers`, `named_by_number`: see SearchIndex.
    """
    # Its libraries are heavy, and most commands never search.
    try:
        import numpy  # noqa: F401
        import tantivy  # noqa: F401
        import usearch  # noqa: F401
    except ImportError as error:
        raise SearchPartsMissing(error.name or "tantivy") from error
    from graphvine.search import index_folder as index_folder
    from graphvine.search.index import SearchIndex

    return SearchIndex(
        folder, dimension, fields=fields or index_folder.fields_of(folder), background=background,
        own_numbers=own_numbers, named_by_number=named_by_number,
    )  # fmt: skip


def remove_index(folder: Path) -> None:
    """Remove an index that is not open, whatever its state. What is not the index's own stays."""
    from graphvine.search import index_folder as index_folder

    index_folder.remove(folder)
