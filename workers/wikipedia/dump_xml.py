"""The pages of a dump's XML, one by one, with the place of each newest revision.

Each page is a document of its own for the XML parser. A page that is broken is named and left out, and the next
one is read as if nothing had happened; a document type, and with it any entity that grows, can't occur inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.parsers import expat

OPENING, CLOSING, FIRST, LAST = b"<page>", b"</page>", b"<mediawiki", b"</mediawiki>"
_SWITCH = b"__DISAMBIG__"
_TEMPLATE = "10"
_MAX_DEPTH = 30
_MAX_FIELD_CHARACTERS = 10_000
# The largest header: a wiki's list of namespaces is some kilobytes.
MAX_HEADER_BYTES = 4 * 1024 * 1024
_WANTED = {
    ("title",): "title", ("ns",): "ns", ("id",): "id", ("revision", "id"): "revision_id",
    ("revision", "timestamp"): "timestamp", ("revision", "model"): "model",
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A page of the dump; `start` and `length` are those of its newest revision, closing tag left off."""

    title: str
    namespace: int
    page_id: int
    revision_id: int
    timestamp: str
    model: str
    redirect: str
    start: int
    length: int
    hidden: bool = False
    stub: bool = False
    # A template whose text holds the switch that makes a page a list of meanings.
    disambiguates: bool = False


@dataclass(frozen=True)
class Broken:
    """A page that can't be read, with its title where that much is known."""

    position: int
    title: str
    reason: str


class PageCutter:
    """Takes the bytes of a dump as they come and gives an entry for every page in them."""

    def __init__(self, offset: int = 0) -> None:
        self._buffer, self._offset = b"", offset
        self._page: _Page | None = None
        self._last = ""
        self.header, self._in_header = b"", offset == 0
        # Whether the dump's own closing tag was the last that was seen: a file that was cut between two pages has none.
        # Of several dumps behind one another each begins anew.
        self.closed = False
        # Up to here everything has been handed on: a good place to go on from.
        self.done_until = offset

    def place(self) -> str:
        """Where the bytes have led so far, in words."""
        if self._page is not None:
            return f"in the middle of the page {self._page.title!r}" if self._page.title else "in the middle of a page"
        if not self._last:
            return "before the first page" if self.done_until == 0 else "between two pages"
        return f"behind the page {self._last!r}"

    def feed(self, piece: bytes) -> Iterator[Entry | Broken]:
        """The pages that end in this piece."""
        self._buffer += piece
        at = 0
        while True:
            at, result, more = self._outside(at) if self._page is None else self._inside(self._page, at)
            if result:
                yield result
            if not more:
                break
        self._buffer, self._offset = self._buffer[at:], self._offset + at

    def _outside(self, at: int) -> tuple[int, None, bool]:
        found = self._buffer.find(OPENING, at)
        # The tail may hold the beginning of a tag.
        upto = found if found >= 0 else max(at, len(self._buffer) - len(LAST) + 1)
        end = found if found >= 0 else len(self._buffer)
        begins, ends = self._buffer.rfind(FIRST, at, end), self._buffer.rfind(LAST, at, end)
        if found >= 0 or begins != ends:  # both are -1 where there is neither
            self.closed = found < 0 and ends > begins
        if self._in_header and len(self.header) < MAX_HEADER_BYTES:
            self.header += self._buffer[at:upto]
        if found >= 0:
            self._in_header = False
            self._page = _Page(self._offset + found)
            self._page.feed(OPENING)
            upto += len(OPENING)
        return upto, None, found >= 0

    def _inside(self, page: _Page, at: int) -> tuple[int, Entry | Broken | None, bool]:
        closing = self._buffer.find(CLOSING, at)
        opening = self._buffer.find(OPENING, at, closing if closing >= 0 else len(self._buffer))
        if opening >= 0:
            page.feed(self._buffer[at:opening])
            self._page = None
            return opening, page.broken("another page begins inside it"), True
        if closing < 0:
            upto = max(at, len(self._buffer) - len(CLOSING) + 1)
            page.feed(self._buffer[at:upto])
            return upto, None, False
        upto = closing + len(CLOSING)
        page.feed(self._buffer[at:upto])
        self._page, self._last, self.done_until = None, page.title, self._offset + upto
        return upto, page.entry(), True


class _Refused(Exception):
    """The XML is fine, and still no page."""


class _Page:
    """One page while it is read."""

    def __init__(self, position: int) -> None:
        self._position, self._reason = position, ""
        self._path: list[str] = []
        self._field = ""
        self._fields: dict[str, str] = {}
        self._redirect = ""
        self._tail, self._disambiguates = b"", False
        self._start, self._hidden, self._stub = 0, False, False
        # Timestamp, number, where it begins and ends, content model, hidden, stub.
        self._newest: tuple[str, int, int, int, str, bool, bool] | None = None
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._finish

    @property
    def title(self) -> str:
        return self._fields.get("title", "")

    def feed(self, piece: bytes) -> None:
        """Read on, unless the page is known to be broken."""
        if self._reason or not piece:
            return
        try:
            self._parser.Parse(piece, False)
            self._look_for_switch(piece)
        except expat.ExpatError as error:
            self._reason = f"its XML is broken: {error}"
        except _Refused as error:
            self._reason = str(error)

    def _look_for_switch(self, piece: bytes) -> None:
        if self._fields.get("ns") == _TEMPLATE:
            piece = self._tail + piece
            self._disambiguates = self._disambiguates or _SWITCH in piece
            self._tail = piece[1 - len(_SWITCH) :]

    def entry(self) -> Entry | Broken:
        """What was read, once the page has ended."""
        fields = self._fields
        if not self._reason and "title" not in fields:
            self._reason = "it has no title"
        if not self._reason and self._newest is None:
            self._reason = "it has no revision"
        if self._reason or self._newest is None:
            return self.broken(self._reason)
        timestamp, revision_id, start, end, model, hidden, stub = self._newest
        return Entry(
            title=fields["title"].replace("_", " ").strip(),
            namespace=_number(fields.get("ns", "")),
            page_id=_number(fields.get("id", "")),
            revision_id=revision_id,
            timestamp=timestamp,
            model=model,
            redirect=self._redirect,
            start=start,
            length=end - start,
            hidden=hidden,
            stub=stub,
            disambiguates=self._disambiguates,
        )

    def broken(self, reason: str) -> Broken:
        """The page as one to be left out."""
        return Broken(self._position, self._fields.get("title", ""), self._reason or reason)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        if len(self._path) > _MAX_DEPTH:
            raise _Refused(f"its XML is nested more than {_MAX_DEPTH} deep")
        path = tuple(self._path[1:])
        if path == ("revision",):
            self._start, self._hidden, self._stub = self._position + self._parser.CurrentByteIndex, False, False
            for field in ("revision_id", "timestamp", "model"):
                self._fields.pop(field, None)
        elif path == ("revision", "text"):
            self._hidden = "deleted" in attributes
            self._stub = "location" in attributes
        elif path == ("redirect",):
            self._redirect = attributes.get("title", "")
        self._field = _WANTED.get(path, "")
        if self._field:
            self._fields[self._field] = ""
            self._parser.CharacterDataHandler = self._characters

    def _characters(self, text: str) -> None:
        value = self._fields[self._field] + text
        if len(value) > _MAX_FIELD_CHARACTERS:
            raise _Refused(f"its {self._field} is longer than {_MAX_FIELD_CHARACTERS:,} characters")
        self._fields[self._field] = value

    def _finish(self, name: str) -> None:
        # Only the few short fields are collected: the text of a page is never held while indexing.
        self._field, self._parser.CharacterDataHandler = "", None
        if self._path[1:] == ["revision"]:
            number, stamp = _number(self._fields.get("revision_id", "")), self._fields.get("timestamp", "")
            end = self._position + self._parser.CurrentByteIndex
            model = self._fields.get("model") or "wikitext"
            if self._newest is None or (stamp, number) >= self._newest[:2]:
                self._newest = (stamp, number, self._start, end, model, self._hidden, self._stub)
        self._path.pop()


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        return 0


def revision_text(xml: bytes) -> str:
    """The wikitext in a revision, as the bytes that an entry points to. Raises ExpatError."""
    parts: list[str] = []
    path: list[str] = []
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True

    def begin(name: str, _: dict[str, str]) -> None:
        path.append(name)
        parser.CharacterDataHandler = parts.append if path == ["revision", "text"] else None

    def finish(_: str) -> None:
        path.pop()
        parser.CharacterDataHandler = None

    parser.StartElementHandler = begin
    parser.EndElementHandler = finish
    parser.Parse(xml + b"</revision>", True)
    return "".join(parts)
