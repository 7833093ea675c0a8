"""Files to pieces: what is a comment and what is code, and what one comment line says. Query and schema files alike."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import NamedTuple

from graphvine.queries.errors import QueryFileError, did_you_mean, nearest, shorten
from graphvine.queries.tokens import NEVER_CLOSED

MAX_BYTES = 1_000_000
IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)

# A whole statement is one piece. Possessive repeats: a quote that is never closed is found out in one pass.
_PIECE = re.compile(
    r"""
      (?P<comment>//[^\n]*+|/\*.*?\*/)
    | (?P<end>;)
    | (?P<code>(?:[^/;'"`]++|'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+"|`[^`]*+`|/(?![/*]))++)
    | (?P<open>.)
    """,
    re.VERBOSE | re.DOTALL,
)
# `key: value`, or `key about: value`. Not an address such as https://...
_KEY = re.compile(r"([A-Za-z][A-Za-z_]*+)(?: ([^:]{1,200}?))?\s*:(?!//)\s*(.*)", re.DOTALL)
_LONE_WORD = re.compile(r"[a-z_]+")
_RULER = re.compile(r"[\W_]*")


class Piece(NamedTuple):
    """A comment (`said` is what a `//` with the line to itself says, else None), a stretch of code, or `;`."""

    kind: str
    start: int
    end: int
    line: int
    said: str | None = None


@dataclass(slots=True)
class Line:
    """One comment line: a key with its value, a flag, or a sentence for people."""

    key: str = ""
    about: str = ""
    value: str = ""
    text: str = ""
    problem: str = ""


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


def pieces(text: str, file: str) -> Iterator[Piece]:
    """Take a file apart; space between the pieces is left out, and around code too."""
    line = 1
    for match in _PIECE.finditer(text):
        kind, part, start = match.lastgroup or "", match.group(), match.start()
        if kind == "open":
            raise QueryFileError(file, line, f"{NEVER_CLOSED[part]} opens here and is never closed")
        if kind == "code":
            stripped = part.strip()
            if stripped:
                lead = part[: part.index(stripped[0])]
                begins = start + len(lead)
                yield Piece(kind, begins, begins + len(stripped), line + lead.count("\n"))
        else:
            before = text[text.rfind("\n", 0, start) + 1 : start]
            alone = kind == "comment" and part.startswith("//") and not before.strip()
            yield Piece(kind, start, match.end(), line, part[2:].strip() if alone else None)
        line += part.count("\n")


def read_line(comment: str, keys: Collection[str], flags: Collection[str] = ()) -> Line:
    """Take one comment line apart; what is wrong with it is in `problem`.

    Keys are small words before a colon, so a sentence for people opens with a capital letter.
    """
    if comment in flags:
        return Line(key=comment)
    match = _KEY.fullmatch(comment)
    if match is None:
        if flags and _LONE_WORD.fullmatch(comment):
            hint = did_you_mean(comment, [*flags, *keys])
            return Line(text=comment, problem=f"`// {shorten(comment)}` means nothing here{hint}")
        return Line(text="" if _RULER.fullmatch(comment) else comment)
    key, about, value = match.group(1), (match.group(2) or "").strip(), match.group(3).strip()
    return _checked(Line(key, about, value, comment), keys, flags)


def _checked(line: Line, keys: Collection[str], flags: Collection[str]) -> Line:
    key, about = line.key, line.about
    if about and not (key == "beyond" and key in keys) and (key, about) != ("seen", "in"):
        near = nearest(key, [known for known in ("beyond", "seen") if known in keys], cutoff=0.8)
        problem = f"unknown key {shorten(f'{key} {about}')!r}, did you mean {near!r}?" if near else ""
        return Line(text=line.text, problem=problem)
    if key in flags:
        return Line(key, problem=f"`// {key}` stands alone, without a value")
    if key in keys:
        if not line.value:
            line.problem = f"`// {key}:` has no value"
        elif key == "seen" and not about:
            line.problem = "unknown key 'seen', did you mean 'seen in'?"
        elif key == "beyond" and not about and "states" in keys:
            line.problem = "`// beyond` in the head of a file names a state: `// beyond excluded: why`"
        return line
    if key.lower() in keys or key.lower() in flags:
        return Line(text=line.text, problem=f"write `// {key.lower()}` in small letters")
    if key.islower():
        near = nearest(key, [*keys, *flags])
        hint = f", did you mean {near!r}?" if near else ": a sentence for people opens with a capital letter"
        return Line(text=line.text, problem=f"unknown key {shorten(key)!r}{hint}")
    return Line(text=line.text)
