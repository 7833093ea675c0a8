"""Text from the graph for a terminal: it may hold anything, and must not steer the terminal."""

from __future__ import annotations

import re

# Control characters, line ends and tabs aside, and those that turn the direction of writing.
_STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The same text with every character that could steer a terminal written out."""
    return _STEERS.sub(_written_out, text)


def is_text(text: str) -> bool:
    """Whether it can be stored and sent: bytes that were no text have become lone surrogates."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def one_line(text: str, longest: int | None = None) -> str:
    """The text on one line, shortened where it is long."""
    looked_at = text if longest is None else text[: 4 * longest]
    flat = printable(" ".join(looked_at.split()))
    if longest is not None and (len(flat) > longest or len(looked_at) < len(text)):
        return flat[: longest - 1] + "…"
    return flat


def plural(count: int, noun: str, several: str | None = None) -> str:
    """As people count: 1 row, 2 rows."""
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def _written_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
