"""The piece of a document's text to show beside a hit."""

from __future__ import annotations

from typing import Any

from graphvine.search.documents import IndexFields, Snippet

DEFAULT_CHARACTERS = 200


class Snippets:
    """Cuts pieces around the words of one query; where none of them stands, the text's beginning."""

    def __init__(self, searcher: Any, schema: Any, fields: IndexFields, query: Any | None, characters: int) -> None:
        from tantivy import SnippetGenerator

        self._characters = characters
        # The last field is the long one: a piece of it says more than the title, which people see anyway.
        self._names = tuple(reversed(fields.texts))
        self._generators: list[Any] = []
        if query is not None:
            for name in self._names:
                generator = SnippetGenerator.create(searcher, query, schema, name)
                generator.set_max_num_chars(characters)
                self._generators.append(generator)

    def cut(self, document: Any) -> Snippet | None:
        """The piece of this document of tantivy's."""
        for generator in self._generators:
            found = generator.snippet_from_doc(document)
            marks = [(mark.start, mark.end) for mark in found.highlighted()]
            if marks:
                return _by_characters(found.fragment(), marks)
        for name in self._names:
            text = document.get_first(name)
            if text:
                return Snippet(_beginning(text, self._characters))
        return None


def _by_characters(fragment: str, marks: list[tuple[int, int]]) -> Snippet:
    """Tantivy counts bytes, and lists a phrase's words one by one, some of them twice."""
    joined: list[list[int]] = []
    for start, end in sorted(marks):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    if fragment.isascii():
        return Snippet(fragment, tuple((start, end) for start, end in joined))
    encoded = fragment.encode()
    by_character = [(len(encoded[:start].decode()), len(encoded[:end].decode())) for start, end in joined]
    return Snippet(fragment, tuple(by_character))


def _beginning(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    cut = text[:characters]
    # At a word's end, if one is near.
    space = cut.rfind(" ", characters // 2)
    return cut[:space] if space > 0 else cut
