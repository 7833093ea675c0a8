"""What somebody typed, taken apart into statements."""

from __future__ import annotations

from itertools import pairwise

from graphvine.errors import QueryError
from graphvine.queries import QueryFileError
from graphvine.queries.tokens import tokenise


def apart(text: str) -> list[str]:
    """The statements of a text, which end in semicolons."""
    try:
        ends = [token.start for token in tokenise(text) if token.text == ";"]
    except QueryFileError as error:
        raise QueryError(f"the statement can't be read: {error.message}") from None
    parts = [text[start:end].lstrip(";") for start, end in pairwise([0, *ends, len(text)])]
    return [part for part in parts if part.strip()] or [text]
