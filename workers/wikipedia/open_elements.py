"""What is open while wikitext is read: links, boxes, tables and their cells, one inside the other.

An element that is closed becomes text of the one around it. One that is never closed ends with the one around it: cells
and tables as if they had been closed, links and boxes as plain text.
"""

from __future__ import annotations

from typing import Literal

from graphvine.workers.wikipedia.text_cleanup import Row, clean_line, clean_text, table_lines
from graphvine.workers.wikipedia.titles import Title

# More than real pages have. What is nested deeper is read as if it stood one level higher.
MAX_TABLES, MAX_BOXES, MAX_LINKS = 10, 20, 20

Kind = Literal["text", "link", "box", "table", "cell", "aside"]


class Element:
    """Something that is open, and what stands in it so far."""

    __slots__ = (
        "caption", "count", "header", "is_box", "is_caption", "is_wiki", "kind", "name", "out", "rows", "title",
        "unclosed",
    )  # fmt: skip

    def __init__(self, kind: Kind, name: str = "", title: Title | None = None) -> None:
        self.kind = kind
        self.name, self.title = name, title  # of a link its target, of a box its tag
        self.out: list[str] = []
        self.count = 1  # of a box: how many tags of its name are open
        self.is_box = self.is_wiki = self.unclosed = False  # of a table
        self.caption = ""
        self.rows: list[Row] = []
        self.header = self.is_caption = False  # of a cell


class OpenElements:
    """A stack of them. `out` is where text goes: into the innermost."""

    def __init__(self) -> None:
        self._stack = [Element("text")]
        self.out = self._stack[0].out
        self.tables = self.boxes = self.links = 0
        # Tables beyond the limit, whose ends must not end others.
        self.skipped_tables = 0

    def push(self, element: Element) -> None:
        self._stack.append(element)
        self.out = element.out
        self._count(element, 1)

    def pop(self) -> Element:
        element = self._stack.pop()
        self.out = self._stack[-1].out
        self._count(element, -1)
        return element

    def __getitem__(self, place: int) -> Element:
        return self._stack[place]

    def __len__(self) -> int:
        return len(self._stack)

    def nearest(self, kind: Kind) -> int | None:
        """The place of the innermost one of a kind, within the same cell; never 0."""
        for place in range(len(self._stack) - 1, 0, -1):
            found = self._stack[place].kind
            if found == kind:
                return place
            if found in ("aside", "cell", "table"):
                return None
        return None

    def nearest_table(self, *, wiki: bool = False) -> int | None:
        """The place of the innermost table; with `wiki`, of the innermost that is written in wikitext."""
        for place in range(len(self._stack) - 1, 0, -1):
            element = self._stack[place]
            if element.kind == "aside":
                return None
            if element.kind == "table" and (element.is_wiki or not wiki):
                return place
        return None

    @property
    def in_section(self) -> bool:
        """Whether nothing is open that a heading could not end."""
        return all(element.kind in ("text", "link", "box") for element in self._stack)

    def unwind(self, place: int) -> None:
        """End everything above a place."""
        while len(self._stack) - 1 > place:
            element = self.pop()
            match element.kind:
                case "cell":
                    self._end_cell(element)
                case "table":
                    self._end_table(element)
                case "link":
                    self.out.append(f"[[{element.name}|")
                    self.out += element.out
                case _:
                    self.out += element.out

    def drop_links(self) -> None:
        """Links that are open here are none."""
        while self.links and (place := self.nearest("link")):
            self.unwind(place - 1)

    def open_table(self, *, is_wiki: bool, is_box: bool, unclosed: bool) -> None:
        self.drop_links()
        if self.tables >= MAX_TABLES:
            self.skipped_tables += not unclosed
            return
        table = Element("table")
        table.is_wiki, table.is_box, table.unclosed = is_wiki, is_box, unclosed
        table.rows.append(Row())
        self.push(table)

    def open_row(self, place: int) -> None:
        self.unwind(place)
        self._stack[place].rows.append(Row())

    def open_cell(self, place: int, *, header: bool = False, caption: bool = False) -> None:
        self.unwind(place)
        cell = Element("cell")
        cell.header, cell.is_caption = header, caption
        self.push(cell)

    def close_table(self, place: int) -> None:
        self.unwind(place)
        table = self.pop()
        if table.is_box:
            self.out.append("\n")
        else:
            self._end_table(table)

    def _end_cell(self, cell: Element) -> None:
        text, table = clean_line("".join(cell.out)), self._stack[-1]
        if cell.is_caption:
            table.caption = text
        else:
            table.rows[-1].cells.append((text, cell.header))

    def _end_table(self, table: Element) -> None:
        # What stands in no cell is shown before the table, as a browser does.
        loose = clean_text("".join(table.out))
        lines = table_lines(table.caption, table.rows)
        self.out.append("\n\n" + "\n".join([loose, *lines] if loose else lines) + "\n\n")

    def _count(self, element: Element, by: int) -> None:
        match element.kind:
            case "table":
                self.tables += by
            case "box":
                self.boxes += by
            case "link":
                self.links += by
