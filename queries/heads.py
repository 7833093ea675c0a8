"""What one comment line says: a key with its value, a flag, or a sentence for people."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from graphvine.queries.errors import did_you_mean, nearest, shorten
from graphvine.queries.tokens import Token

FILE_KEYS = ("name", "machine", "key", "pipeline", "states", "document", "seen", "beyond")
BLOCK_KEYS = ("name", "move", "role", "transition", "processors", "criteria", "beyond", "held", "number")
REPEATED = ("move", "held", "number")
FLAGS = ("guard", "ready", "manual")

# `key: value`, or `key about: value`. Not an address such as https://...
_KEY = re.compile(r"([A-Za-z][A-Za-z_]*+)(?: ([^:]{1,200}?))?\s*:(?!//)\s*(.*)", re.DOTALL)
_LONE_WORD = re.compile(r"[a-z_]+")
_RULER = re.compile(r"[\W_]*")


@dataclass(slots=True)
class Line:
    key: str = ""
    about: str = ""
    value: str = ""
    text: str = ""
    problem: str = ""


def comment_line(text: str, token: Token) -> str | None:
    """What a `//` comment says that has its line to itself."""
    if token.kind != "comment" or not token.text.startswith("//"):
        return None
    before = text[text.rfind("\n", 0, token.start) + 1 : token.start]
    return None if before.strip() else token.text[2:].strip()


def read_line(comment: str, keys: Collection[str], flags: Collection[str] = ()) -> Line:
    """Take one comment line apart; what is wrong with it is told in `problem`.

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
