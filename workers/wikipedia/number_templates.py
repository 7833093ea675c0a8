"""What templates of numbers show: powers, measures, fractions, dates, places, money.

A number is shown as it was given or not at all: nothing is computed but the spelling. Where the arguments are not of
the expected form, the answer is None, and the caller marks a gap.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from graphvine.workers.wikipedia.placeholders import SEAM, without_marks
from graphvine.workers.wikipedia.preprocess import Arguments

NumberRenderer = Callable[[Arguments], str | None]

_MINUS = "−"  # noqa: RUF001
_DASH = "–"  # noqa: RUF001
# As people write numbers: signs, groups, decimals, fractions, powers, an uncertainty in brackets.
_NUMBER = re.compile(
    r"[+~<>≈±\-−–]?\s*[$£€¥]?\s*(?:\d[\d.,'’٫٬ \u00a0\u2009\u202f]*(?:\(\d+\))?)"  # noqa: RUF001
    r"(?:\s*[+\-−–/⁄⅟]{1,2}\s*\d[\d.,]*)*(?:\s*[eE×x]\s*[+\-−]?\d+)?\s*"  # noqa: RUF001
)
_LONGEST_NUMBER = 80
_UNITS = {
    "C": "°C", "F": "°F", "K": "K", "R": "°R", "sqmi": "sq mi", "sqkm": "km²", "km2": "km²", "m2": "m²", "cm2": "cm²",
    "mm2": "mm²", "mi2": "sq mi", "ft2": "sq ft", "sqft": "sq ft", "sqm": "m²", "sqyd": "sq yd", "sqin": "sq in",
    "in2": "sq in", "m3": "m³", "cm3": "cm³", "km3": "km³", "mm3": "mm³", "cuft": "cu ft", "ft3": "cu ft",
    "cumi": "cu mi", "cuin": "cu in", "in3": "cu in", "cuyd": "cu yd", "cum": "m³", "cukm": "km³", "cc": "cc",
    "/sqmi": "per sq mi", "PD/sqmi": "per sq mi", "/sqkm": "per km²", "PD/sqkm": "per km²", "/km2": "per km²",
    "/ha": "per ha", "/acre": "per acre",
}  # fmt: skip
_POWERS = {"3": "thousand", "6": "million", "9": "billion", "12": "trillion"}
_POWER_OF_UNIT = re.compile(r"e(\d{1,2})(\S.*)")
_RANGES = {
    "-": "-", _DASH: _DASH, "–": _DASH, "—": "—", "to": "to", "to(-)": "to", "to about": "to about", "to.": "to",  # noqa: RUF001
    "and": "and", "and(-)": "and", "or": "or", "or(-)": "or", "x": "x", "xx": "x", "*": "x", "×": "x", "by": "by",  # noqa: RUF001
    "by(x)": "by", "+": "+", "plus": "+", ",": ",", ", and": ", and", ", or": ", or", "/": "/", "+/-": "±", "±": "±",
    "±+": "±", "over": "over", "then": "then", "til": "til", "and then": "and then", "to-": "to",
}  # fmt: skip
_BETWEEN = frozenset({*_RANGES, "à", "et", "ou", "a", "y", "o", "bis", "und", "e", "до", "и"})
# Units that stand behind one another in a single measure.
_COMPOUNDS = {
    "mi": ("yd", "ft", "furlong", "ch", "chain"), "furlong": ("ch", "yd", "ft"), "yd": ("ft", "in"), "ft": ("in",),
    "fathom": ("ft",), "st": ("lb",), "lb": ("oz",), "oz": ("dr", "drachm"), "cwt": ("lb", "qtr"), "qtr": ("lb",),
    "LT": ("cwt", "lb"), "lt": ("cwt", "lb"), "ST": ("lb",), "t": ("kg",), "ch": ("lk", "yd", "ft"), "km": ("m",),
    "m": ("cm",), "acre": ("rood", "perch"), "rood": ("perch",), "gal": ("qt", "pt"), "h": ("min",), "min": ("s",),
    "impgal": ("imppt",), "USgal": ("USpt",),
}  # fmt: skip
_SPELLINGS = {
    "foot": "ft", "feet": "ft", "'": "ft", "inch": "in", "inches": "in", '"': "in", "mile": "mi", "miles": "mi",
    "pound": "lb", "pounds": "lb", "lbs": "lb", "ounce": "oz", "ounces": "oz", "stone": "st", "yard": "yd",
    "yards": "yd", "chain": "ch", "chains": "ch", "furlongs": "furlong", "hr": "h", "fathoms": "fathom",
}  # fmt: skip
_YEAR, _MONTH_OR_DAY = re.compile(r"\d{3,4}"), re.compile(r"\d{1,2}")
_EXPONENT = re.compile(r"[-−]?\d")  # noqa: RUF001


def is_number(text: str) -> bool:
    """Whether this is one number, as people write them; what is longer than any of them is not looked at."""
    return len(text) <= _LONGEST_NUMBER and bool(_NUMBER.fullmatch(without_marks(text)))


def apart(text: str) -> str:
    """A number that must not run into digits before or behind it."""
    return f"{SEAM}{text}{SEAM}"


def convert(args: Arguments) -> str | None:
    """The measure as it was given, with its ranges and smaller units, without the converted one."""
    given = args.numbered()
    words = list[str]()
    place = 0
    while place < len(given):
        if not is_number(given[place]):
            return None
        words.append(_spelled(args.show(place + 1)))
        between = _RANGES.get(given[place + 1]) if place + 2 < len(given) else None
        place += 1
        if between is None:
            break
        words.append(between)
        place += 1
    unit = given[place] if place < len(given) else ""
    if not words or is_number(unit):
        return None
    words.append(_unit(args.show(place + 1)))
    # 6 ft 4 in is one measure; 6 ft to metres, to 4 digits, is another.
    while place + 2 < len(given) and is_number(given[place + 1]) and _is_part(given[place + 2], unit):
        unit = given[place + 2]
        words += [_spelled(args.show(place + 2)), _unit(args.show(place + 3))]
        place += 2
    text = " ".join(word for word in words if word)
    return apart(re.sub(rf" ([-{_DASH}/,]) ", lambda mark: mark[1] + (" " if mark[1] == "," else ""), text))


def _spelled(number: str) -> str:
    """5+1/2 and 5+1//2 are five and a half."""
    return re.sub(r"(\d)\+(\d+/)", r"\1 \2", number.strip().replace("//", "/"))


def _unit(code: str) -> str:
    code = code.strip()
    power = _POWER_OF_UNIT.fullmatch(code)
    if power:
        return f"{_POWERS.get(power[1]) or _power(power[1]).lstrip()} {_unit(power[2])}"
    return _UNITS.get(code, code)


def _is_part(unit: str, of: str) -> bool:
    return _SPELLINGS.get(unit, unit) in _COMPOUNDS.get(_SPELLINGS.get(of, of), ())


def _power(exponent: str) -> str:
    return f"×10<sup>{exponent.strip()}</sup>"  # noqa: RUF001


def power_of_ten(args: Arguments) -> str | None:
    """{{e|24}}: times ten to this power."""
    return _power(args.show(1)) + SEAM if args.look(1) else None


def ten_to(args: Arguments) -> str | None:
    return apart(f"10<sup>{args.show(1)}</sup>") if args.look(1) else None


def value(args: Arguments) -> str | None:
    """{{val}}: a number with its uncertainty, power and unit."""
    number, above, below = args.look(1), args.look(2), args.look(3)
    if any(
        given and not is_number(given.strip("()") if given[0] == "(" else given) for given in (number, above, below)
    ):
        return None
    exponent, unit, per = args.show("e"), args.show("u", "ul"), args.show("up", "upl")
    if not number and not exponent and not unit:
        return None
    text = args.show("p") + args.show(1)
    if above and below:
        text += f" +{args.show(2).strip().lstrip('+')} {_MINUS}{args.show(3).strip().lstrip('-−')}"  # noqa: RUF001
    elif above:
        text += args.show(2) if above.startswith("(") else f" ± {args.show(2)}"
    text += _power(exponent) if exponent else ""
    unit = unit.strip() + (f"/{per.strip()}" if per else "")
    joined = "" if unit.startswith(("%", "°", "'", '"')) and not unit.startswith(("°C", "°F")) else " "
    return apart(text + (joined + unit if unit else "") + args.show("s"))


def quantity(args: Arguments) -> str | None:
    """A number, its unit, and perhaps the unit's power: the templates of several languages."""
    given = args.numbered()
    if not given or not is_number(given[0]):
        return None
    exponent = args.show("e", "10e")
    words = args.show(1).strip() + (_power(exponent) if exponent else "")
    place = 1
    while place < len(given) and given[place]:
        word = args.show(place + 1).strip()
        words += f" {word}"
        place += 1
        if place < len(given) and word.lower() not in _BETWEEN and _EXPONENT.fullmatch(given[place]):
            words += f"<sup>{args.show(place + 1).strip()}</sup>"
            place += 1
    return apart(words)


def number(args: Arguments) -> str | None:
    """A number that is only set in another form."""
    return apart(args.show(1)) if args.look(1) else None


def fraction(args: Arguments) -> str | None:
    given = args.show_all()
    if not 1 <= len(given) <= 3:
        return None
    if len(given) == 1:
        return apart(f"1/{given[0].strip()}")
    whole = f"{given[0].strip()} " if len(given) == 3 else ""
    return apart(f"{whole}{given[-2].strip()}/{given[-1].strip()}")


def root(args: Arguments) -> str | None:
    degree = args.show(2)
    return apart(f"√[{degree}]{args.show(1)}" if degree else f"√{args.show(1)}")


def grouped(args: Arguments) -> str | None:
    """{{gaps|1|234|567}}: one number in groups, as it is printed."""
    return apart(" ".join(args.show_all()))


def chemical(args: Arguments) -> str | None:
    """{{chem|SO|4|2-}}: a number behind a number is a charge."""
    text = ""
    for part in (value.strip() for value in args.show_all()):
        text += ("^" if text[-1:].isdigit() and part[:1].isdigit() else "") + part
    return apart(text)


def date(args: Arguments) -> str | None:
    """Three numbers, the year first, as they are sorted; any other form as it stands."""
    given = args.show_all(1, min(args.count, 3))
    numbers = [part.strip() for part in given]
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


def money(sign: str) -> NumberRenderer:
    def shown(args: Arguments) -> str | None:
        return apart(sign + args.show(1)) if args.look(1) else sign

    return shown


def rupees(args: Arguments) -> str | None:
    """{{INRConvert|5|c}}: crore, lakh and the larger words."""
    words = {"": "", "k": " thousand", "l": " lakh", "m": " million", "c": " crore", "b": " billion",
             "lc": " lakh crore", "t": " trillion"}  # fmt: skip
    scale = words.get(args.look(2))
    return None if scale is None or not is_number(args.look(1)) else apart(f"₹{args.show(1)}{scale}")


def ordinal(args: Arguments) -> str | None:
    given = args.look(1)
    if not given.isdecimal():
        return None
    args.show(1)
    teen = len(given) > 1 and given[-2] == "1"
    return apart(given + ("th" if teen else {"1": "st", "2": "nd", "3": "rd"}.get(given[-1], "th")))


def height(args: Arguments) -> str | None:
    units = [(args.show(name), name) for name in ("m", "cm", "ft", "in")]
    frac = args.show("frac")
    text = " ".join(f"{value.strip()} {name}" for value, name in units if value)
    return apart(text) if text and not frac else None


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
