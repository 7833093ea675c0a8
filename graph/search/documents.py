"""What goes into the index, and what comes out."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32] | Sequence[float]


@dataclass(frozen=True, slots=True)
class IndexFields:
    """The fields that documents may have: texts are searched, words are matched whole, numbers have ranges."""

    texts: tuple[str, ...] = ("title", "body")
    words: tuple[str, ...] = ("author", "type", "source", "topic", "site", "category", "article", "collection")
    numbers: tuple[str, ...] = ("score", "time", "depth", "comments", "story", "parent")


class Document(msgspec.Struct, frozen=True):  # made by the hundred thousand, in a third of the time of a dataclass
    """One searchable row: kind and id name it, and a later one of the same name replaces it.

    A word field may have several values. The vector need not be of length one; it is made so.
    """

    kind: str
    id: str
    seq: int
    texts: Mapping[str, str] = msgspec.field(default_factory=dict)
    filters: Mapping[str, str | int | Sequence[str]] = msgspec.field(default_factory=dict)
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """From and to, both included, either may be open."""

    minimum: int | None = None
    maximum: int | None = None


# A value, any of several values, or a range of numbers. The name `id` restricts to these ids.
Filters = Mapping[str, str | int | Range | Sequence[str] | Sequence[int]]
Kinds = str | Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text, and where in it the words of the query stand."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def html(self, tag: str = "mark") -> str:
        """The piece as safe HTML, its marks in this element."""
        parts: list[str] = []
        end = 0
        for start, stop in self.marks:
            parts += [html.escape(self.text[end:start]), f"<{tag}>", html.escape(self.text[start:stop]), f"</{tag}>"]
            end = stop
        return "".join([*parts, html.escape(self.text[end:])])


@dataclass(frozen=True, slots=True)
class Hit:
    """One document found. The score is BM25's, the cosine or the fused rank: comparable within one answer only."""

    kind: str
    id: str
    seq: int
    score: float
    snippet: Snippet | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """One page of hits. `total` counts all matches of a text search; the other searches have no such number.

    `relaxed` tells that no document had all of the words, and that these have some.
    """

    hits: tuple[Hit, ...]
    total: int | None = None
    relaxed: bool = False
