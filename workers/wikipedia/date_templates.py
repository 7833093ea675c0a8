"""What templates of dates, years and places show."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphvine.workers.wikipedia.number_templates import NumberRenderer, apart, is_number
from graphvine.workers.wikipedia.placeholders import SEAM
from graphvine.workers.wikipedia.preprocess import Arguments

_DASH = "–"  # noqa: RUF001
_YEAR, _MONTH_OR_DAY = re.compile(r"\d{3,4}"), re.compile(r"\d{1,2}")
_FORMATS = frozenset({"mdy", "dmy", "ymd", "iso", "my", "md", "dm"})


def date(args: Arguments) -> str | None:
    """Three numbers, the year first, as they are sorted; any other form as it stands."""
    given = args.show_all(1, min(args.count, 3))
    numbers = [part.strip() for part in given if part.strip().lower() not in _FORMATS]
    if len(numbers) > 1 and _YEAR.fullmatch(numbers[0]) and all(_MONTH_OR_DAY.fullmatch(part) for part in numbers[1:]):
        return apart("-".join(part.zfill(2) for part in numbers))
    return apart(("-" if all(part.isdigit() for part in numbers) else " ").join(numbers))


def as_of(args: Arguments) -> str | None:
    if args.look("alt"):
        return args.show("alt") + args.show("post")
    since = "since " if args.look("since") else "as of "
    shown = date(args)
    return (args.show("pre") + " " if args.look("pre") else "") + since + (shown or "") + args.show("post")


def circa(args: Arguments) -> str | None:
    return apart("c. " + f" {_DASH} c. ".join(args.show_all(1, min(args.count, 2))))


def years(word: str) -> NumberRenderer:
    """{{reign|1800|1810}}: from year to year."""
    return lambda args: apart(f"{word} " + _DASH.join(args.show_all(1, min(args.count, 2))))


def coordinates(args: Arguments) -> str | None:
    """Degrees, minutes and seconds, or decimals; nothing where they only stand in the title's corner."""
    where = args.look("display") or "inline"
    if "inline" not in where and where not in ("i", "it", "ti", "i,t", "t,i"):
        return SEAM
    given = args.numbered()
    while given and (":" in given[-1] or not given[-1]):
        given.pop()
    if len(given) == 2 and all(is_number(part) for part in given):
        return apart(f"{args.show(1)}, {args.show(2)}")
    halves = _halves(given)
    if halves is None:
        return None
    args.show_all(1, len(given))
    return apart(" ".join("".join(part + sign for part, sign in zip(half, "°′″", strict=False)) + way  # noqa: RUF001
                          for *half, way in halves))  # fmt: skip


def _halves(given: Sequence[str]) -> tuple[list[str], list[str]] | None:
    middle = len(given) // 2
    halves = list(given[:middle]), list(given[middle:])
    for half, ways in zip(halves, ("NS", "EWO"), strict=True):
        if not 2 <= len(half) <= 4 or half[-1].upper() not in ways or not all(map(is_number, half[:-1])):
            return None
    return halves if len(halves[0]) == len(halves[1]) else None
