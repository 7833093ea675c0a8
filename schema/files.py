"""One schema file: an entity, what it comes after, and its versions with their statements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from graphvine.queries.errors import QueryFileError, shorten
from graphvine.queries.heads import Line, comment_line, read_line
from graphvine.queries.parse import IDENTIFIER
from graphvine.queries.tokens import Token, tokenise

_KEYS = ("entity", "after", "version")


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
        self.open: list[Token] = []

    def refuse(self, line: int, message: str) -> NoReturn:
        raise QueryFileError(self.file, line, message)

    def run(self) -> SchemaFile:
        for token in tokenise(self.text, self.file):
            comment = comment_line(self.text, token)
            if comment is not None:
                self.comment(read_line(comment, _KEYS), token.line)
            elif token.kind != "comment":
                self.part(token)
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

    def part(self, token: Token) -> None:
        if not self.versions:
            found = shorten(token.text)
            self.refuse(token.line, f"{found!r} stands outside a version: put `// version: 1` above it")
        if token.text != ";":
            self.open.append(token)
            return
        if not self.open:
            self.refuse(token.line, "`;` ends no statement here")
        line_end = self.text.find("\n", token.end)
        rest = self.text[token.end : line_end if line_end >= 0 else None]
        if rest.strip() and not rest.lstrip().startswith("//"):
            self.refuse(token.line, "`;` ends its line: begin the next statement on a line of its own")
        self.versions[-1][1].append(self.text[self.open[0].start : token.start].rstrip())
        self.open = []
