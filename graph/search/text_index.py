"""Tantivy's side: documents, their texts and filters, and the stamp, all in one commit."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from graphvine.search.documents import INT64_BEYOND, MAX_NAME_BYTES, Document, IndexFields
from graphvine.search.errors import IndexBusy, RebuildNeeded
from graphvine.search.query_parser import ANALYZER, BOOKKEEPING, MAX_TEXT_CHARACTERS, Analysis, Asking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# One thread, so that 60 MB is all that waits in memory; tantivy flushes a segment when it is full.
_WRITER_BYTES = 60_000_000
_LOOK_UP = 1000
# Merges run beside the writer and end with it; what a dropped one has written stays on the disk until the next commit.
# Closing waits for them, some seconds at most; where it would be longer, only with so many segments.
_DOCUMENTS_WAITED_FOR, _SEGMENTS_LEFT = 1_000_000, 32


def document_key(kind: str, id: str) -> str:
    """What makes a document one: neither part may hold a NUL."""
    return f"{kind}\0{id}"


class TextIndex:
    """An index of tantivy's, open for writing."""

    def __init__(self, folder: Path, fields: IndexFields) -> None:
        import tantivy

        self._folder, self._fields = folder, fields
        self._texts = frozenset(fields.texts)
        self._filters = frozenset((*fields.words, *fields.numbers))
        self.analysis = Analysis()
        self.schema = _schema(fields)
        self.asking = Asking(self.schema, fields)
        self._plain = _plain_entry(fields)
        self._encode = msgspec.json.Encoder().encode
        with self.trouble():
            writing: Any = tantivy.Index(self.schema, path=str(folder), reuse=True)
            writing.register_tokenizer(ANALYZER, self.analysis.plain)
            writing.config_reader("manual")
            self._writer: Any = writing.writer(heap_size=_WRITER_BYTES, num_threads=1)
            # A second handle for reading: snippets are cut with the splitter that can do every script.
            self._index: Any = tantivy.Index.open(str(folder))
            self._index.register_tokenizer(ANALYZER, self.analysis.thorough)
            self._index.config_reader("manual")
        self.refresh()

    def searcher(self) -> Any:
        """What is committed now, unchanged by later commits."""
        return self._index.searcher()

    def bookkeeping(self) -> tuple[int, int]:
        """The stamp of the last commit, and the number for the next vector. An empty index is at 0."""
        import tantivy

        searcher = self.searcher()
        with self.trouble():
            found = searcher.search(tantivy.Query.term_query(self.schema, "key", BOOKKEEPING), limit=2).hits
            if not found and searcher.num_docs == 0:
                return 0, 0
            if len(found) != 1:
                raise RebuildNeeded(str(self._folder.parent), f"it has {len(found)} stamps")
            document = searcher.doc(found[0][1])
            return int(document.get_first("seq")), int(document.get_first("next"))

    def vector_numbers(self, searcher: Any, query: Any, limit: int) -> NDArray[np.int64]:
        """The numbers of the vectors of up to so many documents that the query finds; in no order."""
        import numpy as np

        with self.trouble():
            found = searcher.search(query, limit=max(1, limit), count=False).hits
            values = searcher.fast_field_values("vec", [address for _, address in found])
        return np.array([value for value in values if value is not None], dtype=np.int64)

    def live_numbers(self) -> NDArray[np.int64]:
        """The numbers of the vectors of all documents."""
        import tantivy

        searcher = self.searcher()
        return self.vector_numbers(searcher, tantivy.Query.exists_query("vec"), searcher.num_docs)

    def numbers_of(self, keys: Sequence[str]) -> list[int]:
        """The numbers of the vectors that these documents have now."""
        import tantivy

        searcher, numbers = self.searcher(), list[int]()
        for start in range(0, len(keys), _LOOK_UP):
            part = list(keys[start : start + _LOOK_UP])
            query = tantivy.Query.term_set_query(self.schema, "key", part)
            numbers += self.vector_numbers(searcher, query, len(part)).tolist()
        return numbers

    def delete(self, key: str) -> None:
        """Take the document away at the next commit."""
        self._writer.delete_documents_by_term("key", key)

    def add(self, document: Document, vector_number: int | None, *, new: bool = False) -> None:
        """Put the document in at the next commit, in place of its namesake; a new one has none."""
        import tantivy

        key = document_key(document.kind, document.id)
        if not new:
            self.delete(key)
        entry = tantivy.Document()
        for field, word in (("key", key), ("kind", document.kind), ("id", document.id)):
            entry.add_text(field, word)
        entry.add_integer("seq", document.seq)
        if vector_number is not None:
            entry.add_integer("vec", vector_number)
        exact = True
        for name, text in document.texts.items():
            exact &= self.analysis.add_text(entry, name, text)
        if self._fields.stored:
            entry.add_integer("exact", int(exact))
        for name, value in document.filters.items():
            if name in self._fields.stored:
                entry.add_text(name, str(value))
            elif isinstance(value, int):
                entry.add_integer(name, value)
            else:
                for word in [value] if isinstance(value, str) else value:
                    entry.add_text(name, word)
        self._writer.add_document(entry)

    def add_plain(self, document: Document) -> bool:
        """Put a new document without a vector in, in two thirds of the time; False where it needs a closer look.

        Compiled code checks it and hands it over as JSON: all of it is ASCII, and no word has more than one value.
        """
        texts, filters = document.texts, document.filters
        if self._fields.stored or not (texts.keys() <= self._texts and filters.keys() <= self._filters):
            return False
        key = document_key(document.kind, document.id)
        named = {"key": key, "kind": document.kind, "id": document.id, "seq": document.seq, **texts, **filters}
        try:
            entry = self._encode(msgspec.convert(named, self._plain))
        except (msgspec.ValidationError, UnicodeEncodeError):
            return False
        if not entry.isascii() or key.count("\0") > 1:
            return False
        self._writer.add_json(entry.decode())
        return True

    def delete_everything(self) -> None:
        """Take all documents away at the next commit."""
        self._writer.delete_all_documents()

    def commit(self, stamp: int, next_number: int) -> None:
        """Make all of this, and the stamp with it, true at once."""
        import tantivy

        self.delete(BOOKKEEPING)
        entry = tantivy.Document()
        entry.add_text("key", BOOKKEEPING)
        entry.add_text("kind", BOOKKEEPING)
        entry.add_integer("seq", stamp)
        entry.add_integer("next", next_number)
        self._writer.add_document(entry)
        with self.trouble():
            self._writer.commit()

    def refresh(self) -> None:
        """Let new searchers see the last commit."""
        with self.trouble():
            self._index.reload()

    def rollback(self) -> None:
        """Forget what was added or deleted since the last commit."""
        with self.trouble():
            self._writer.rollback()

    def close(self) -> None:
        """Let go of the lock. Merges that are under way are waited for; in a large index they are dropped, which loses
        nothing, unless too many were."""
        searcher = self.searcher() if self._writer is not None else None
        large = searcher is not None and searcher.num_docs > _DOCUMENTS_WAITED_FOR
        if searcher is not None and (not large or searcher.num_segments > _SEGMENTS_LEFT):
            with suppress(RebuildNeeded), self.trouble():
                self._writer.wait_merging_threads()
        self._writer = self._index = None
        gc.collect()

    @contextmanager
    def trouble(self) -> Iterator[None]:
        """What tantivy raises over files, as the one thing that a caller can do something about."""
        try:
            yield
        except (ValueError, OSError) as error:
            if "LockBusy" in str(error):
                raise IndexBusy(str(self._folder.parent)) from error
            raise RebuildNeeded(str(self._folder.parent), f"tantivy says: {error}") from error
        except BaseException as error:
            # A panic inside of tantivy: not an Exception, but no reason to end the process either.
            if type(error).__name__ != "PanicException":
                raise
            raise RebuildNeeded(str(self._folder.parent), f"tantivy broke off: {error}") from error


def _plain_entry(fields: IndexFields) -> Any:
    """The entry of a document as a struct, whose fields compiled code can check."""
    name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME_BYTES)]
    word = Annotated[str, msgspec.Meta(max_length=MAX_NAME_BYTES)]
    text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT_CHARACTERS)]
    number = Annotated[int, msgspec.Meta(ge=-INT64_BEYOND, le=INT64_BEYOND - 1)]
    kinds: dict[str, Any] = {**dict.fromkeys(fields.texts, text), **dict.fromkeys(fields.words, word)}
    kinds |= dict.fromkeys(fields.numbers, number)
    needed: list[Any] = [("key", str), ("kind", name), ("id", name), ("seq", number)]
    optional = [(field, kind, None) for field, kind in kinds.items()]
    return msgspec.defstruct("PlainEntry", [*needed, *optional], omit_defaults=True)


def _schema(fields: IndexFields) -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    for name in ("key", "kind", "id"):
        builder.add_text_field(name, stored=name != "key", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("seq", stored=True, indexed=True, fast=True)
    builder.add_integer_field("vec", indexed=True, fast=True)
    builder.add_integer_field("next", stored=True)
    for name in fields.texts:
        builder.add_text_field(name, stored=True, tokenizer_name=ANALYZER)
    for name in fields.words:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=name in fields.facets)
    for name in fields.numbers:
        builder.add_integer_field(name, indexed=True, fast=True)
    for name in fields.stored:
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    if fields.stored:
        builder.add_integer_field("exact", stored=True)
    return builder.build()
