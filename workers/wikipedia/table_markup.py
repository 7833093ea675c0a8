"""Tables, in wikitext and in HTML: both open and close the same elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graphvine.workers.wikipedia.html_tags import is_box
from graphvine.workers.wikipedia.open_elements import OpenElements

TABLE_OPEN = re.compile(r"[:\s]*\{\|")
_EDGES = re.compile(r"^[: \t]*(\{\|)|^[ \t]*(\|\})|<(/?)table\b", re.MULTILINE | re.IGNORECASE)


class TableMarkup:
    """Reads the marks of tables; what stands in a cell is read by `inline`."""

    def __init__(self, inline: Callable[[str], None]) -> None:
        self._inline = inline
        # Whether the tables that are still to come in this text are never closed, the next one last.
        self._unclosed: list[bool] = []

    @contextmanager
    def of(self, text: str) -> Iterator[None]:
        """Look ahead over a text that is about to be read: which tables in it are never closed."""
        outer, self._unclosed = self._unclosed, _unclosed_tables(text)
        yield
        self._unclosed = outer

    def open(self, opened: OpenElements, attributes: str, *, is_wiki: bool) -> None:
        unclosed = self._unclosed.pop() if self._unclosed else False
        opened.open_table(is_wiki=is_wiki, is_box=is_box(attributes), unclosed=unclosed)

    def tag(self, opened: OpenElements, name: str, closing: bool, attributes: str) -> None:
        """A tag of HTML. A cell, a row or a table that is open ends with the next, closed or not."""
        place = opened.nearest_table()
        if name == "table" and not closing:
            self.open(opened, attributes, is_wiki=False)
        elif place is None:
            opened.out.append("\n")
        elif name == "table" and opened.skipped_tables:
            opened.skipped_tables -= 1
        elif name == "table":
            opened.close_table(place)
        elif name in ("td", "th", "caption") and not closing:
            opened.open_cell(place, header=name == "th", caption=name == "caption")
        elif name == "tr" and not closing:
            opened.open_row(place)
        else:
            opened.unwind(place)

    def line(self, opened: OpenElements, line: str, place: int) -> None:
        """A line of wikitext that begins with a bar or an exclamation mark, in the table at this place."""
        if opened.skipped_tables:
            opened.skipped_tables -= line.startswith("|}")
            self._inline(line.lstrip("|!}-+"))
        elif line.startswith("|}"):
            opened.close_table(place)
            self._inline(line[2:])
        elif line.startswith("|-"):
            opened.open_row(place)
        elif line.startswith("|+"):
            opened.open_cell(place, caption=True)
            self._inline(_without_attributes(line[2:]))
        else:
            header = line[0] == "!"
            cells = line[1:].replace("!!", "||") if header else line[1:]
            for cell in cells.split("||"):
                opened.open_cell(place, header=header)
                self._inline(_without_attributes(cell))


def _without_attributes(cell: str) -> str:
    """What a cell shows: `style="..." | text`, unless the bar belongs to a link."""
    before, bar, after = cell.partition("|")
    return after if bar and "[[" not in before else cell


def _unclosed_tables(text: str) -> list[bool]:
    """For every table, in order from the last to the first, whether it is never closed."""
    if "{|" not in text and ("<" not in text or "<table" not in text.lower()):
        return []
    unclosed: list[bool] = []
    wiki: list[int] = []
    tags: list[int] = []
    for edge in _EDGES.finditer(text):
        stack = tags if edge[3] is not None else wiki
        if edge[1] or edge[3] == "":
            stack.append(len(unclosed))
            unclosed.append(True)
        elif stack:
            unclosed[stack.pop()] = False
    return unclosed[::-1]
