"""Text of a query file to raw blocks: who says what on which line. Nothing is proved here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.abc import Traversable
from typing import NoReturn

from graphvine.queries.errors import QueryFileError, shorten
from graphvine.queries.heads import BLOCK_KEYS, FILE_KEYS, FLAGS, REPEATED, Line, comment_line, read_line
from graphvine.queries.tokens import Token, tokenise

MAX_BYTES = 1_000_000

_NAME = re.compile(r"([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?", re.ASCII)
IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(slots=True)
class Said:
    """One value of the file and the line that it stands on."""

    value: str
    line: int


@dataclass(slots=True)
class RawBlock:
    name: str
    parameters: tuple[str, ...]
    line: int
    values: dict[str, list[Said]] = field(default_factory=dict)
    # `beyond a -> b: why` gives the reason for one of several moves.
    beyond_moves: dict[str, Said] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    purpose: list[str] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    text: str = ""

    def first(self, key: str) -> str:
        return self.values[key][0].value if key in self.values else ""


@dataclass(slots=True)
class RawFile:
    file: str
    name: str
    header: dict[str, Said] = field(default_factory=dict)
    beyond_states: dict[str, Said] = field(default_factory=dict)
    blocks: dict[str, RawBlock] = field(default_factory=dict)


def decode(content: bytes, file: str) -> str:
    """The text of a file, with one kind of line end."""
    if len(content) > MAX_BYTES:
        raise QueryFileError(file, 1, f"the file is larger than {MAX_BYTES:,} bytes: split it")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise QueryFileError(file, line, "the file is not UTF-8 text: save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_files(folder: Traversable, shown: str) -> Iterator[tuple[str, str, str]]:
    """The .cypher files of a folder by name: (name without ending, name to show, text)."""
    if not folder.is_dir():
        return
    for source in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if source.name.endswith(".cypher") and source.is_file():
            file = f"{shown}/{source.name}"
            yield source.name.removesuffix(".cypher"), file, decode(source.read_bytes(), file)


def parse(text: str, file: str, name: str) -> RawFile:
    """Read one file; `name` is what it is called without its ending."""
    return _Parser(text, file, name).run()


class _Parser:
    def __init__(self, text: str, file: str, name: str) -> None:
        self.text, self.file = text, file
        self.raw = RawFile(file, name)
        # The block being read: None in the header, and after a section line.
        self.block: RawBlock | None = None

    def refuse(self, line: int, message: str) -> NoReturn:
        raise QueryFileError(self.file, line, message)

    def run(self) -> RawFile:
        for token in tokenise(self.text, self.file):
            comment = comment_line(self.text, token)
            if comment is not None:
                self.comment(comment, token.line)
            elif token.kind != "comment":
                if self.block is None:
                    text = shorten(token.text)
                    self.refuse(token.line, f"{text!r} stands outside a block: put `// name:` above it")
                self.block.tokens.append(token)
        self.end_block()
        return self.raw

    def comment(self, comment: str, line: int) -> None:
        if comment.startswith("=="):
            self.end_block()
            return
        in_header = self.block is None and not self.raw.blocks
        in_head = self.block is not None and not self.block.tokens
        said = read_line(comment, FILE_KEYS if in_header else BLOCK_KEYS, () if in_header else FLAGS)
        if said.key == "name":
            self.end_block()
            self.begin_block(said.value, line)
        elif in_header:
            self.header_line(said, line)
        elif in_head and self.block is not None:
            self.head_line(self.block, said, line)
        elif said.key in BLOCK_KEYS or said.key in FLAGS:
            advice = "put it between `// name:` and the statement"
            self.refuse(line, f"`// {said.key}` stands outside a block's head: {advice}")

    def begin_block(self, value: str, line: int) -> None:
        match = _NAME.fullmatch(value)
        if not match:
            advice = "write a name with its parameters, such as claim(seqs, token)"
            self.refuse(line, f"`// name: {shorten(value)}` names no block: {advice}")
        name = match.group(1)
        inside = (match.group(2) or "").strip()
        parameters = tuple(part.strip() for part in inside.split(",")) if inside else ()
        seen: set[str] = set()
        for parameter in parameters:
            if not IDENTIFIER.fullmatch(parameter):
                self.refuse(line, f"block {name!r} declares {shorten(parameter)!r}, which is no parameter's name")
            if parameter in seen:
                self.refuse(line, f"block {name!r} declares ${parameter} twice")
            seen.add(parameter)
        if name in self.raw.blocks:
            first = self.raw.blocks[name].line
            self.refuse(line, f"block {name!r} is there already, on line {first}: rename one of the two")
        self.block = self.raw.blocks[name] = RawBlock(name, parameters, line)

    def end_block(self) -> None:
        block, self.block = self.block, None
        if block is None:
            return
        if not block.tokens or block.tokens[0].text == ";":
            self.refuse(block.line, f"block {block.name!r} has no statement")
        ends = [at for at, token in enumerate(block.tokens) if token.text == ";"]
        if not ends:
            self.refuse(block.tokens[-1].line, f"block {block.name!r} does not end in `;`")
        if ends[0] != len(block.tokens) - 1:
            line = block.tokens[ends[0] + 1].line
            advice = "give the second a `// name:` of its own"
            self.refuse(line, f"block {block.name!r} holds more than one statement: {advice}")
        last = block.tokens.pop()
        block.text = self.text[block.tokens[0].start : last.start].rstrip()
        if not block.purpose:
            advice = "add a comment line with one sentence"
            self.refuse(block.line, f"block {block.name!r} does not say its purpose: {advice}")

    def header_line(self, said: Line, line: int) -> None:
        if said.problem:
            self.refuse(line, said.problem)
        if said.key == "beyond":
            if said.about in self.raw.beyond_states:
                self.refuse(line, f"`// beyond {said.about}:` is there twice")
            self.raw.beyond_states[said.about] = Said(said.value, line)
        elif said.key:
            key = "document" if said.key == "seen" else said.key
            if key in self.raw.header:
                self.refuse(line, f"`// {key}:` is there twice, first on line {self.raw.header[key].line}")
            self.raw.header[key] = Said(said.value, line)

    def head_line(self, block: RawBlock, said: Line, line: int) -> None:
        if said.problem:
            self.refuse(line, said.problem)
        if said.key in FLAGS:
            block.flags.add(said.key)
        elif said.key == "beyond" and said.about:
            block.beyond_moves[said.about] = Said(said.value, line)
        elif said.key:
            if said.key in block.values and said.key not in REPEATED:
                self.refuse(line, f"block {block.name!r} says `// {said.key}:` twice")
            block.values.setdefault(said.key, []).append(Said(said.value, line))
        elif said.text:
            block.purpose.append(said.text)
