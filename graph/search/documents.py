"""Documents: what goes into the index, validated before anything is written, and what comes out."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from graphvine.search.errors import BadDocument, SearchError, UnknownField

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32] | Sequence[float]


@dataclass(frozen=True, slots=True)
class IndexFields:
    """The fields that documents may have: texts are searched, words are matched whole, numbers have ranges.

    What is stored is neither searched nor matched: it is given back as it came.
    """

    texts: tuple[str, ...] = ("title", "body")
    words: tuple[str, ...] = ("author", "type", "source", "topic", "site", "category", "article", "collection")
    numbers: tuple[str, ...] = ("score", "time", "depth", "comments", "story", "parent")
    facets: tuple[str, ...] = ("author", "type")  # words that can be counted by value
    stored: tuple[str, ...] = ()


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


# A value, any of several values, or a range of numbers. The name `id` restricts to these ids; `-name` excludes.
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
class Stored:
    """What the index keeps of a document, and the piece of it to show. `exact`: the texts are those that came."""

    texts: Mapping[str, str]
    snippet: Snippet | None
    exact: bool


class Hit(msgspec.Struct, frozen=True):  # hundreds for each question
    """One document found. The score is BM25's, the cosine or the fused rank: comparable within one answer only."""

    kind: str
    id: str
    seq: int
    score: float
    snippet: Snippet | None = None
    # The number of its vector in the index; None where it has none, or where a server keeps it.
    vector: int | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """One page of hits. `total` counts all matches of a text search; the other searches have no such number.

    `relaxed` says that no document has all of the words, and that these have some; `loose` are words that no document
    has, for which words like them were taken.
    """

    hits: tuple[Hit, ...]
    total: int | None = None
    relaxed: bool = False
    loose: tuple[str, ...] = ()


# Tantivy drops a term of more than 64 KB without a word, and a key that is not there is never replaced.
MAX_NAME_BYTES = 8192
INT64_BEYOND = 2**63
_INT64 = range(-INT64_BEYOND, INT64_BEYOND)


def check_name(kind: object, id: object) -> None:
    """Refuse a kind or an id that could not be found again."""
    for field, value in (("kind", kind), ("id", id)):
        reason = _bad_word(value)
        if reason is None and "\0" in str(value):
            reason = "holds a NUL"
        if reason is None and not value:
            reason = "is empty"
        if reason is not None:
            raise BadDocument(str(kind)[:100], str(id)[:100], field, reason)


def check_document(document: Document, fields: IndexFields) -> None:
    """Refuse what the index could not hold as it is."""
    if _is_usual(document, fields):
        return
    check_name(document.kind, document.id)

    def refuse(field: str, reason: str) -> BadDocument:
        return BadDocument(document.kind, document.id, field, reason)

    if type(document.seq) is not int or document.seq not in _INT64:
        raise refuse("seq", "is no number of 64 bits")
    for name, text in document.texts.items():
        if name not in fields.texts:
            raise UnknownField(name, fields.texts)
        if not isinstance(text, str):
            raise refuse(name, f"is no text but {type(text).__name__}")
    for name, value in document.filters.items():
        if name in fields.numbers:
            if type(value) is not int or value not in _INT64:
                raise refuse(name, "is no number of 64 bits")
        elif name in fields.stored:
            if not isinstance(value, str):
                raise refuse(name, f"is no text but {type(value).__name__}")
        elif name in fields.words:
            words = [value] if isinstance(value, str) else value
            reasons = [_bad_word(word) for word in words] if isinstance(words, Sequence) else ["is no text"]
            for reason in filter(None, reasons):
                raise refuse(name, reason)
        else:
            raise UnknownField(name, (*fields.words, *fields.numbers))


def _is_usual(document: Document, fields: IndexFields) -> bool:
    """Whether all of it is plainly sound: a third of the time of the thorough look, which says what is wrong."""
    for name in (document.kind, document.id):
        if not _is_plain(name) or not name or "\0" in name:
            return False
    if type(document.seq) is not int or not -INT64_BEYOND <= document.seq < INT64_BEYOND:
        return False
    for name, text in document.texts.items():
        if type(text) is not str or name not in fields.texts:
            return False
    for name, value in document.filters.items():
        if type(value) is int:
            if not -INT64_BEYOND <= value < INT64_BEYOND or name not in fields.numbers:
                return False
        elif not _is_plain(value) or name not in (*fields.words, *fields.stored):
            return False
    return True


def _is_plain(word: object) -> bool:
    return type(word) is str and len(word) <= MAX_NAME_BYTES and word.isascii()


def unit_vector(vector: Vector, dimension: int | None) -> NDArray[np.float32]:
    """The vector at length one, so that a dot product is the cosine; zero stays zero. ValueError says what is wrong."""
    if dimension is None:
        raise ValueError("has no place: the index was opened without a dimension")
    # In float64, where no float32 is too large to be squared.
    import numpy as np

    values = np.asarray(vector, dtype=np.float64)
    if values.shape != (dimension,):
        raise ValueError(f"has the shape {values.shape}, not ({dimension},)")
    length = float(np.linalg.norm(values))
    if not np.isfinite(length):
        raise ValueError("holds a value that is no finite number")
    return (values if length == 0 else values / length).astype(np.float32)


def document_vector(document: Document, dimension: int | None) -> NDArray[np.float32]:
    """The document's vector at length one."""
    assert document.vector is not None
    try:
        return unit_vector(document.vector, dimension)
    except (ValueError, TypeError) as error:
        raise BadDocument(document.kind, document.id, "vector", str(error)) from error


def query_vector(vector: Vector, dimension: int | None) -> NDArray[np.float32]:
    """A query's vector at length one."""
    try:
        return unit_vector(vector, dimension)
    except (ValueError, TypeError) as error:
        raise SearchError(f"the query's vector {error}") from error


_OWN_FIELDS = ("key", "kind", "id", "seq", "vec", "next", "exact")


def check_fields(fields: IndexFields) -> None:
    """Refuse names that would collide."""
    names = [*fields.texts, *fields.words, *fields.numbers, *fields.stored, *_OWN_FIELDS]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not fields.texts or not all(name.isidentifier() for name in names):
        raise SearchError(f"an index can't have the fields {fields}: {', '.join(twice) or 'a bad name'}")


def _bad_word(value: object) -> str | None:
    if not isinstance(value, str):
        return f"is no text but {type(value).__name__}"
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        return "holds a lone surrogate, which UTF-8 can't carry"
    return f"is longer than {MAX_NAME_BYTES} bytes" if size > MAX_NAME_BYTES else None
