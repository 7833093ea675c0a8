"""Plain text out of markup: tidied, placeholders resolved by what stands around them, tables as lines of text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from graphvine.workers.wikipedia.placeholders import (
    GAP,
    NUMBER_GAP,
    RESERVED,
    SEAM,
    SUB,
    SUB_END,
    SUP,
    SUP_END,
    without_marks,
)

_APOSTROPHES = re.compile(r"'{2,}")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\u2060\ufeff]")
_OTHER_BLANKS = re.compile("[\t\u00a0\u2002-\u200a\u202f\u205f\u3000]")
# What is left of a remark in brackets when its templates are gone.
_EMPTY_BRACKETS = re.compile(r"(?: ?\([ ,;:]*\))+")
_BRACKET_START = re.compile(r"\( *[,;:] +")
_BRACKET_END = re.compile(r" *[,;:] *\)")
_SPACE_BEFORE_MARK = re.compile(r" +([,;.!?](?:\s|$))")
_SPACED_MARKS = (" ,", " ;", " .", " !", " ?")


def without_quotes(text: str) -> str:
    """Take off the marks of bold and italic; an apostrophe beyond them stays, as MediaWiki shows it."""
    return _APOSTROPHES.sub(_apostrophes, text) if "''" in text else text


def _apostrophes(match: re.Match[str]) -> str:
    count = len(match[0])
    return "'" * (1 if count == 4 else max(0, count - 5))


def clean_text(text: str) -> str:
    """Lines without blanks at their ends, paragraphs with one empty line between them, no placeholders."""
    if not text.isascii() and RESERVED.search(text):
        text = resolve(text)
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    # Plain replacements: an expression would stop at every blank of a text in which nearly all stand as they should.
    text = _repeated(_OTHER_BLANKS.sub(" ", text), "  ", " ")
    if "(" in text:
        text = _EMPTY_BRACKETS.sub(_without_brackets, text)
        text = _BRACKET_END.sub(")", _BRACKET_START.sub("(", text))
    if any(mark in text for mark in _SPACED_MARKS):
        text = _SPACE_BEFORE_MARK.sub(r"\1", text)
    text = _repeated(_repeated(text, " \n", "\n"), "\n ", "\n")
    return _repeated(text, "\n\n\n", "\n\n").strip()


def _repeated(text: str, old: str, new: str) -> str:
    """Replace until there is nothing left to replace."""
    while old in text:
        text = text.replace(old, new)
    return text


def _without_brackets(match: re.Match[str]) -> str:
    text, at, end = match.string, match.start() - 1, match.end()
    letters = text[at : at + 1].isalnum() and text[end : end + 1].isalnum()
    return " " if at >= 0 and (letters or _would_join(text, at, end)) else ""


def clean_line(text: str) -> str:
    """The same on a single line."""
    return re.sub(r"\s+", " ", clean_text(text))


# == Placeholders ==

_BLANK = " \t\u00a0"
_FRACTION = re.compile(f"{SUP}([0-9]{{1,9}}){SUP_END} ?[/\u2044] ?{SUB}([0-9]{{1,9}}){SUB_END}")
_RAISED = re.compile(f"([{SUP}{SUB}])([^{SUP}{SUP_END}{SUB}{SUB_END}]*)[{SUP_END}{SUB_END}]")
_LONE_EDGE = re.compile(f"[{SUP}{SUP_END}{SUB}{SUB_END}]")
_RUN = re.compile(f"[{SEAM}{GAP}{NUMBER_GAP}][{SEAM}{GAP}{NUMBER_GAP}{_BLANK}]*")
# Raised letters that belong to a number: 19th, 2e, 1º.
_ORDINALS = frozenset(
    [
        "st",
        "nd",
        "rd",
        "th",
        "e",
        "er",
        "re",
        "ère",
        "ème",
        "eme",
        "è",
        "é",
        "d",
        "de",
        "nd",
        "nde",
        "ª",
        "º",
        "o",
        "a",
        "os",
        "as",
        "te",
        "ste",
        "ter",
        "i",
        "ii",
        "n°",
        "°",
        "er",
    ]
)
_SIGNED = re.compile(r"[+\-−–±]?\d")  # noqa: RUF001
_OPERATORS = frozenset("×⋅·*^+−±≈~=$£€¥₹₽")  # noqa: RUF001
# Raised text inside raised text, deeper than anybody writes.
_NESTED = 3
# So many blanks and placeholders are looked over for the next character.
_FAR = 50


def resolve(text: str) -> str:
    """Give every placeholder the text that its surroundings ask for, so that no two numbers become one."""
    if _LONE_EDGE.search(text):
        text = _FRACTION.sub(rf"{SEAM}\1/\2{SEAM}", text)
        for _ in range(_NESTED):
            text, found = _RAISED.subn(_raised, text)
            if not found:
                break
        text = _LONE_EDGE.sub(_lone_edge, text)
    return without_marks(_RUN.sub(_run, text))


def _raised(match: re.Match[str]) -> str:
    """10 to the 6th is 10^6 and not 106; CO2 is CO2, but 10 to the base 2 is 10_2."""
    content, before = match[2].strip(), _visible_before(match.string, match.start())
    if not content:
        return SEAM
    first = without_marks(content)
    power = before.isdigit() and first.lower() not in _ORDINALS
    if match[1] == SUB:
        mark = "_" if before.isdigit() else ""
    else:
        mark = "^" if power or ((before.isalpha() or before in ")]}") and before and _SIGNED.match(first)) else ""
    if mark and re.search(r"\s", first):
        content = f"({content})"
    if mark == "^" and match.string[match.start() - 1] == SUB_END and not _has_base(match.string, match.start() - 1):
        mark = " ^"  # the mass of a nuclide, in front of which its charge stands: no power
    return mark + content + (SEAM if _starts_number(match.string, match.end()) else "")


def _lone_edge(match: re.Match[str]) -> str:
    """A tag without its other half: a number behind it is none with what stands before it."""
    before = _visible_before(match.string, match.start())
    opens = {SUP: "^", SUB: "_"}.get(match[0], "")
    return opens if opens and before.isdigit() and _starts_number(match.string, match.end()) else SEAM


def _has_base(text: str, end: int) -> bool:
    """Whether something stands before the lowered text that ends here."""
    before = text[max(0, text.rfind(SUB, 0, end)) - 1 : text.rfind(SUB, 0, end)]
    return before.isalnum() or before in tuple(")]}")


def _run(match: re.Match[str]) -> str:
    """What was taken out leaves a blank between digits, and a sign where it may have been a part of a number."""
    text, inside, end = match.string, match[0], match.end()
    at = match.start() - 1
    while at >= 0 and text[at] in _BLANK:
        at -= 1
    before = text[at] if at >= 0 and text[at] != "\n" else ""
    after = text[end] if end < len(text) and text[end] != "\n" else ""
    touches = at == match.start() - 1
    gaps = [place for place, mark in enumerate(inside) if mark in (GAP, NUMBER_GAP)]
    if gaps:
        lead, tail = inside[: gaps[0]], inside[gaps[-1] :]
        behind = " " if any(mark in _BLANK for mark in tail) else ""
        numeric = NUMBER_GAP in inside
        if (
            before.isdigit()
            or before in _OPERATORS
            or (before in "-–/" and before and touches and text[at - 1 : at].isdigit())  # noqa: RUF001
            or (after.isdigit() and (numeric or not behind))
            or (not behind and _starts_number(text, end))
            or after in tuple("%‰°")
            or (numeric and (before or after) and (not touches or before in ("", "(")))
        ):
            return (" " if any(mark in _BLANK for mark in lead) else "") + "…" + behind
    if any(mark in _BLANK for mark in inside):
        return " "
    return " " if touches and _would_join(text, at, end) else ""


def _would_join(text: str, at: int, end: int) -> bool:
    """Whether what stands at one place and from the other on would read as one number, or a number with a unit."""
    before, after = text[at : at + 1] if at >= 0 else "", text[end : end + 1]
    if before.isdigit() or after.isdigit():
        if before in tuple(".,"):
            return after.isdigit() and _marked(text, at - 1, -1).isdigit()
        return before.isalnum() and (after.isalnum() or _starts_number(text, end))
    return False


def _starts_number(text: str, at: int) -> bool:
    first = text[at : at + 1]
    return first.isdigit() or (first in tuple(".,") and _marked(text, at + 1, 1).isdigit())


def _marked(text: str, at: int, step: int) -> str:
    """The character at a place, or behind the placeholders that stand there."""
    for _ in range(_FAR):
        if not (0 <= at < len(text) and RESERVED.match(text[at])):
            break
        at += step
    return text[at] if 0 <= at < len(text) else ""


def _visible_before(text: str, start: int) -> str:
    """The last character before a place that a reader sees, on the same line."""
    at = start - 1
    for _ in range(_FAR):
        if at < 0 or not (text[at] in _BLANK or RESERVED.match(text[at])):
            break
        at -= 1
    return text[at] if at >= 0 and text[at] != "\n" else ""


# == Tables ==


@dataclass
class Row:
    """The cells of a row, each with whether it is a heading."""

    cells: list[tuple[str, bool]] = field(default_factory=list)

    def is_header(self) -> bool:
        return len(self.cells) > 1 and all(heading for _, heading in self.cells)


def table_lines(caption: str, rows: Sequence[Row]) -> list[str]:
    """The lines of a table; a first row of headings names the columns."""
    filled = [row for row in rows if any(text for text, _ in row.cells)]
    header: list[str] = []
    if filled and filled[0].is_header():
        header = [text for text, _ in filled[0].cells]
        filled = filled[1:]
    lines = [caption] if caption else []
    # Headings that name no column of any row still say something.
    if header and not any(len(row.cells) == len(header) for row in filled):
        lines.append("; ".join(text for text in header if text))
    for row in filled:
        names = header if len(header) == len(row.cells) else []
        cells = []
        for place, (text, _) in enumerate(row.cells):
            name = names[place] if names else ""
            if text:
                cells.append(f"{name}: {text}" if name else text)
        lines.append("; ".join(cells))
    return lines
