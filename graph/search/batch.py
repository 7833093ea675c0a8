"""One batch on its way into the index: everything but the commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import numpy as np

from graphvine.search.documents import Document, IndexFields, check_document, check_name, document_vector
from graphvine.search.text_index import TextIndex, document_key
from graphvine.search.vector_store import VectorStore

# So many documents are held, checked and looked up together.
_CHUNK = 500
Item = TypeVar("Item")


def write_batch(
    text: TextIndex,
    vectors: VectorStore,
    fields: IndexFields,
    dimension: int | None,
    number: int,
    documents: Iterable[Document],
    deletions: Iterable[tuple[str, str]],
    new_texts: Iterable[Document] = (),
) -> tuple[int, list[int]]:
    """Bring texts to the writer and vectors to the disk, numbered from `number` on.

    `new_texts` have no vectors and no namesakes, so nothing needs to be looked up for them.

    Returns the next free number, and the numbers of the vectors that are replaced or deleted.
    """
    dead: list[int] = []
    for names in _chunks(deletions):
        for kind, id in names:
            check_name(kind, id)
        keys = [document_key(kind, id) for kind, id in names]
        dead += text.numbers_of(keys)
        for key in keys:
            text.delete(key)
    new: dict[str, int] = {}
    for chunk in _chunks(documents):
        for document in chunk:
            check_document(document, fields)
        having = [position for position, document in enumerate(chunk) if document.vector is not None]
        numbers = {position: number + count for count, position in enumerate(having)}
        if having:
            rows = np.stack([document_vector(chunk[position], dimension) for position in having])
            vectors.append(np.array(list(numbers.values()), dtype=np.int64), rows)
            number += len(having)
        keys = [document_key(document.kind, document.id) for document in chunk]
        dead += text.numbers_of(keys)
        for position, (key, document) in enumerate(zip(keys, chunk, strict=True)):
            # A namesake in this very batch: the look-up above sees only what is committed.
            if key in new:
                dead.append(new.pop(key))
            if position in numbers:
                new[key] = numbers[position]
            text.add(document, numbers.get(position))
    for document in new_texts:
        if not text.add_plain(document):
            check_document(document, fields)
            text.add(document, None, new=True)
    vectors.sync()
    return number, dead


def _chunks(items: Iterable[Item]) -> Iterator[Sequence[Item]]:
    rest = iter(items)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk
