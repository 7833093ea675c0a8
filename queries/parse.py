"""Text of a query file to raw blocks: who says what on which line. Nothing is proved here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

from graphvine.queries.errors import QueryFileError, did_you_mean, shorten
from graphvine.queries.read import IDENTIFIER, Line, Piece, pieces, read_line
from graphvine.queries.tokens import NO_CODE, blank, may_write

FILE_KEYS = (
    "name", "machine", "key", "pipeline", "states", "document", "seen", "beyond", "order", "retry_count", "failed_at",
    "searched", "defaults", "done",
)  # fmt: skip
BLOCK_KEYS = (
    "name", "move", "stays", "role", "transition", "processors", "criteria", "beyond", "held", "number", "if", "unless",
    "by", "table", "literal", "floor", "locks", "unlocked", "readies",
)  # fmt: skip
_REPEATED = ("move", "stays", "held", "number", "by", "if", "unless")
FLAGS = ("guard", "ready", "manual")

_NAME = re.compile(r"([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?", re.ASCII)
_FIRST_WORD = re.compile(r"\w+|.")
_PARAMETER = re.compile(r"\$(\w+)")


@dataclass(slots=True)
class Said:
    """One value of the file and the line that it stands on."""

    value: str
    line: int


@dataclass
class RawBlock:
    file: str
    name: str
    parameters: tuple[str, ...]
    line: int
    values: dict[str, list[Said]] = field(default_factory=dict)
    # `beyond a -> b: why` gives the reason for one of several moves.
    beyond_moves: dict[str, Said] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    purpose: list[str] = field(default_factory=list)
    text: str = ""
    # The line that the statement begins on.
    text_line: int = 0

    def first(self, key: str) -> str:
        return self.values[key][0].value if key in self.values else ""

    @cached_property
    def bare(self) -> str:
        """The text without its comments, strings empty."""
        return NO_CODE.sub("''", self.text)

    @property
    def writes(self) -> bool:
        return may_write(self.bare)

    def check_parameters(self) -> None:
        """Refuse a block whose text does not use exactly the parameters that it declares."""
        used = set(_PARAMETER.findall(self.bare))
        if used == set(self.parameters):
            return
        for found in _PARAMETER.finditer(NO_CODE.sub(blank, self.text)):
            if found[1] not in self.parameters:
                line = self.text_line + self.text.count("\n", 0, found.start())
                hint = did_you_mean(found[1], self.parameters)
                self.refuse(line, f"uses ${shorten(found[1])} without declaring it{hint}")
        for name in self.parameters:
            if name not in used:
                advice = "use it in the text, or take it out of `// name:`"
                self.refuse(self.line, f"declares ${name} and never uses it: {advice}")

    def refuse(self, line: int, message: str) -> NoReturn:
        raise QueryFileError(self.file, line, f"block {self.name!r} {message}")


@dataclass(slots=True)
class RawFile:
    file: str
    name: str
    header: dict[str, Said] = field(default_factory=dict)
    beyond_states: dict[str, Said] = field(default_factory=dict)
    blocks: dict[str, RawBlock] = field(default_factory=dict)
    # Blocks of claimable.cypher of which an entity has the one or the other.
    variants: list[RawBlock] = field(default_factory=list)


def parse(text: str, file: str, name: str, *, shared: bool = False) -> RawFile:
    """Read one file; `name` is what it is called without its ending. Only shared blocks may have conditions."""
    return _Parser(text, file, name, shared).run()


class _Parser:
    def __init__(self, text: str, file: str, name: str, shared: bool) -> None:
        self.text, self.file, self.shared = text, file, shared
        self.raw = RawFile(file, name)
        # The block being read: None in the header, and after a section line.
        self.block: RawBlock | None = None
        self.code: list[Piece] = []
        self.begun = False

    def refuse(self, line: int, message: str) -> NoReturn:
        raise QueryFileError(self.file, line, message)

    def run(self) -> RawFile:
        for piece in pieces(self.text, self.file):
            if piece.said is not None:
                self.comment(piece.said, piece.line)
            elif piece.kind != "comment":
                if self.block is None:
                    text = shorten(_FIRST_WORD.match(self.text, piece.start).group())  # type: ignore[union-attr]
                    self.refuse(piece.line, f"{text!r} stands outside a block: put `// name:` above it")
                self.code.append(piece)
        self.end_block()
        return self.raw

    def comment(self, comment: str, line: int) -> None:
        if comment.startswith("=="):
            self.end_block()
            return
        in_header = self.block is None and not self.begun
        in_head = self.block is not None and not self.code
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
        self.block, self.begun = RawBlock(self.file, name, parameters, line), True

    def end_block(self) -> None:
        block, self.block = self.block, None
        code, self.code = self.code, []
        if block is None:
            return
        if not code or code[0].kind == "end":
            self.refuse(block.line, f"block {block.name!r} has no statement")
        ends = [at for at, piece in enumerate(code) if piece.kind == "end"]
        if not ends:
            last = code[-1]
            line = last.line + self.text.count("\n", last.start, last.end)
            self.refuse(line, f"block {block.name!r} does not end in `;`")
        if ends[0] != len(code) - 1:
            advice = "give the second a `// name:` of its own"
            self.refuse(code[ends[0] + 1].line, f"block {block.name!r} holds more than one statement: {advice}")
        block.text, block.text_line = self.text[code[0].start : code[-1].start].rstrip(), code[0].line
        if not block.purpose:
            advice = "add a comment line with one sentence"
            self.refuse(block.line, f"block {block.name!r} does not say its purpose: {advice}")
        self.keep(block)

    def keep(self, block: RawBlock) -> None:
        conditions = [said for key in ("if", "unless") for said in block.values.get(key, ())]
        if conditions and not self.shared:
            self.refuse(conditions[0].line, "only the blocks of claimable.cypher have conditions")
        if conditions:
            self.raw.variants.append(block)
            return
        if block.name in self.raw.blocks:
            first = self.raw.blocks[block.name].line
            self.refuse(block.line, f"block {block.name!r} is there already, on line {first}: rename one of the two")
        self.raw.blocks[block.name] = block

    def header_line(self, said: Line, line: int) -> None:
        if said.problem:
            self.refuse(line, said.problem)
        if said.key == "beyond":
            if said.about in self.raw.beyond_states:
                self.refuse(line, f"`// beyond {said.about}:` is there twice")
            self.raw.beyond_states[said.about] = Said(said.value, line)
        elif said.key:
            key = "document" if said.key == "seen" else said.key
            known = self.raw.header.get(key)
            if known is not None and key == "defaults":
                known.value += f", {said.value}"
                return
            if known is not None:
                self.refuse(line, f"`// {key}:` is there twice, first on line {known.line}")
            self.raw.header[key] = Said(said.value, line)

    def head_line(self, block: RawBlock, said: Line, line: int) -> None:
        if said.problem:
            self.refuse(line, said.problem)
        if said.key in FLAGS:
            block.flags.add(said.key)
        elif said.key == "beyond" and said.about:
            block.beyond_moves[said.about] = Said(said.value, line)
        elif said.key:
            if said.key in block.values and said.key not in _REPEATED:
                self.refuse(line, f"block {block.name!r} says `// {said.key}:` twice")
            block.values.setdefault(said.key, []).append(Said(said.value, line))
        elif said.text:
            block.purpose.append(said.text)
