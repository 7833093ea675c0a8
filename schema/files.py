"""Schema files: each an entity, what it comes after, and its versions with their statements; and their order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NoReturn

from graphvine.queries.errors import QueryFileError, did_you_mean, shorten
from graphvine.queries.read import IDENTIFIER, Line, Piece, pieces, read_line

_KEYS = ("entity", "after", "version")
_FIRST_WORD = re.compile(r"\w+|.")
# The entity that every other builds on.
FIRST = "graph"


@dataclass(frozen=True, slots=True)
class Migration:
    """The statements that bring an entity from the version before to this one."""

    entity: str
    version: int
    statements: tuple[str, ...]
    file: str
    line: int


@dataclass(slots=True)
class SchemaFile:
    file: str
    entity: str = ""
    line: int = 1
    # The entities that must be there before this one, each with the line that says so.
    after: dict[str, int] = field(default_factory=dict)
    migrations: tuple[Migration, ...] = ()


def read_schema(text: str, file: str) -> SchemaFile:
    """Read one file; QueryFileError tells what does not hold."""
    return _Reader(text, file).run()


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.found = SchemaFile(file)
        # Per version: the line that opens it, and its statements.
        self.versions: list[tuple[int, list[str]]] = []
        self.open: list[Piece] = []

    def refuse(self, line: int, message: str) -> NoReturn:
        raise QueryFileError(self.file, line, message)

    def run(self) -> SchemaFile:
        for piece in pieces(self.text, self.file):
            if piece.said is not None:
                self.comment(read_line(piece.said, _KEYS), piece.line)
            elif piece.kind != "comment":
                self.part(piece)
        if self.open:
            self.refuse(self.open[0].line, "the statement that begins here does not end in `;`")
        if not self.found.entity:
            self.refuse(1, "the file does not say what it is of: add `// entity: name` on top")
        if not self.versions:
            self.refuse(1, "the file has no version: put `// version: 1` above its first statements")
        self.end_version()
        self.found.migrations = tuple(
            Migration(self.found.entity, number, tuple(statements), self.file, line)
            for number, (line, statements) in enumerate(self.versions, start=1)
        )
        return self.found

    def comment(self, said: Line, line: int) -> None:
        if self.open:
            # A note inside a statement is for people; a version there means that the statement was not ended.
            if said.key in _KEYS:
                start = self.open[0].line
                self.refuse(line, f"`// {said.key}:` stands inside the statement of line {start}: end it with `;`")
            return
        if said.problem:
            self.refuse(line, said.problem)
        if said.key == "version":
            self.begin_version(said.value, line)
        elif said.key and self.versions:
            self.refuse(line, f"`// {said.key}:` belongs to the head of the file, above `// version: 1`")
        elif said.key == "entity":
            if self.found.entity:
                self.refuse(line, "`// entity:` is there twice: one file holds one entity")
            if not IDENTIFIER.fullmatch(said.value):
                name = shorten(said.value)
                self.refuse(line, f"{name!r} is no name for an entity: use letters, digits and `_`")
            self.found.entity, self.found.line = said.value, line
        elif said.key == "after":
            for other in said.value.split(","):
                self.found.after.setdefault(other.strip(), line)

    def begin_version(self, value: str, line: int) -> None:
        self.end_version()
        expected = len(self.versions) + 1
        if value != str(expected):
            found = shorten(value)
            self.refuse(line, f"version {found!r} stands where {expected} is due: versions are 1, 2, 3 and so on")
        self.versions.append((line, []))

    def end_version(self) -> None:
        if self.versions and not self.versions[-1][1]:
            self.refuse(self.versions[-1][0], f"version {len(self.versions)} has no statement")

    def part(self, piece: Piece) -> None:
        if not self.versions:
            found = _FIRST_WORD.match(self.text, piece.start)
            word = shorten(found.group() if found else "")
            self.refuse(piece.line, f"{word!r} stands outside a version: put `// version: 1` above it")
        if piece.kind != "end":
            self.open.append(piece)
            return
        if not self.open:
            self.refuse(piece.line, "`;` ends no statement here")
        line_end = self.text.find("\n", piece.end)
        rest = self.text[piece.end : line_end if line_end >= 0 else None]
        if rest.strip() and not rest.lstrip().startswith("//"):
            self.refuse(piece.line, "`;` ends its line: begin the next statement on a line of its own")
        self.versions[-1][1].append(self.text[self.open[0].start : piece.start].rstrip())
        self.open = []


def in_order(files: Iterable[SchemaFile]) -> list[SchemaFile]:
    """Sort files; QueryFileError when an entity is there twice, waits for a stranger, or for itself."""
    known: dict[str, SchemaFile] = {}
    for file in files:
        if file.entity in known:
            other = known[file.entity].file
            raise QueryFileError(file.file, file.line, f"entity {file.entity!r} has a file already: {other}")
        known[file.entity] = file
    for file in known.values():
        for other, line in file.after.items():
            if other not in known:
                hint = did_you_mean(other, known)
                raise QueryFileError(file.file, line, f"`// after: {shorten(other)}` names no entity{hint}")
    waiting = sorted(known.values(), key=lambda file: (file.entity != FIRST, file.entity))
    done: dict[str, SchemaFile] = {}
    while waiting:
        free = next((file for file in waiting if file.after.keys() <= done.keys()), None)
        if free is None:
            stuck = waiting[0]
            circle = ", ".join(file.entity for file in waiting)
            line = max(stuck.after.values())
            message = f"these entities wait for each other: {circle}; take out an `// after:`"
            raise QueryFileError(stuck.file, line, message)
        waiting.remove(free)
        done[free.entity] = free
    return list(done.values())
