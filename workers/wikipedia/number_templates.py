"""What templates of numbers show: powers, measures, fractions, money; dates and places are in date_templates.

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
_YEAR = re.compile(r"\d{3,4}")
_EXPONENT = re.compile(r"[-−]?\d")  # noqa: RUF001


def is_number(text: str) -> bool:
    """Whether this is one number, as people write them; what is longer than any of them is not looked at."""
    return len(text) <= _LONGEST_NUMBER and bool(_NUMBER.fullmatch(without_marks(text)))


def apart(text: str) -> str:
    """A number that must not run into digits before or behind it."""
    return f"{SEAM}{text}{SEAM}"


def convert(args: Arguments) -> str | None:
    """The measure as it was given, with its ranges and smaller units, without the converted one."""
    if args.look("disp") in ("number", "unit", "unit2", "unit or text"):
        return None  # the other half of the measure stands beside the template
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
    return apart(_tight(" ".join(word for word in words if word)))


def _tight(text: str) -> str:
    """Without the blanks around what joins the ends of a range."""
    return re.sub(rf" ([-{_DASH}/,]) ", lambda mark: mark[1] + (" " if mark[1] == "," else ""), text)


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
    """{{val}}: a number or a range, with its uncertainty, power and unit."""
    given = args.numbered()
    exponent, unit, per = args.show("e"), args.show("u", "ul"), args.show("up", "upl")
    ranged = len(given) > 2 and given[1] in _RANGES
    text = _range(args, given) if ranged else _uncertain(args, *(args.look(place) for place in (1, 2, 3)))
    if text is None or (not text and not exponent and not unit):
        return None
    if exponent and " " in text:
        text = f"({text})"  # the power is that of all of it
    text += _power(exponent) if text and exponent else f"10<sup>{exponent.strip()}</sup>" if exponent else ""
    unit = unit.strip() + (f"/{per.strip()}" if per else "")
    joined = "" if unit.startswith(("%", "°", "'", '"')) and not unit.startswith(("°C", "°F")) else " "
    return apart(args.show("p") + text + args.show("end") + (joined + unit if unit else "") + args.show("s"))


def _range(args: Arguments, given: Sequence[str]) -> str | None:
    words = [args.show(place + 1).strip() if place % 2 == 0 else _RANGES.get(one) for place, one in enumerate(given)]
    known = all(words) and len(words) % 2 and all(is_number(one) for one in given[::2])
    return _tight(" ".join(map(str, words))) if known else None


def _uncertain(args: Arguments, number: str, above: str, below: str) -> str | None:
    if any(
        given and not is_number(given.strip("()") if given[0] == "(" else given) for given in (number, above, below)
    ):
        return None
    if above and below:
        return f"{args.show(1)} {_plus_minus(args.show(2), args.show(3))}"
    if above:
        return args.show(1) + (args.show(2) if above.startswith("(") else f" ± {args.show(2)}")
    return args.show(1)


def _plus_minus(above: str, below: str) -> str:
    return f"+{above.strip().lstrip('+')} {_MINUS}{below.strip().lstrip('-−')}"  # noqa: RUF001


def uncertainty(args: Arguments) -> str | None:
    """{{±|5}}, {{±|5|7}}: what a number may be off by; the sign alone without one."""
    if not args.look(1):
        return "±"
    return apart(f"±{args.show(1).strip()}" if not args.look(2) else f" {_plus_minus(args.show(1), args.show(2))}")


def super_and_sub(args: Arguments) -> str | None:
    """{{su|p=above|b=below}}: two bounds of a number, or marks above and below a letter."""
    above, below = args.look("p") or args.look(1), args.look("b") or args.look(2)
    if above[:1] == "+" and below[:1] in ("-", _MINUS) and is_number(above) and is_number(below):
        return apart(f" {_plus_minus(args.show('p', 1), args.show('b', 2))}")
    above, below = args.show("p", 1), args.show("b", 2)
    return (f"<sup>{above}</sup>" if above else "") + (f"<sub>{below}</sub>" if below else "")


def overlined(args: Arguments) -> str | None:
    """A line above digits says that they repeat without end: 0.16 would be another number."""
    return None if any(one.isdigit() for one in args.look(1)) else args.show(1)


def percent(args: Arguments) -> str | None:
    """The sign; with numbers it computes."""
    return None if args.look(1) else "%"


def ship(args: Arguments) -> str | None:
    """{{HMS|Victory}}; {{hms|5|6|7}} is a time."""
    return None if is_number(args.look(1)) else args.show(1, "text")


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
    return apart(args.show("prefix") + args.show(1) + args.show("suffix")) if args.look(1) else None


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
    """{{gaps|1|234|567|e=3|u=km}}: one number in groups, as it is printed."""
    exponent, unit, base = args.show("e"), args.show("u", "ul"), args.look("base")
    if base:
        return None
    text = " ".join(args.show_all()) + (_power(exponent) if exponent else "")
    return apart(args.show("lhs") + text + (f" {unit.strip()}" if unit else ""))


def chemical(args: Arguments) -> str | None:
    """{{chem|SO|4|2-}}: a number behind a number is a charge."""
    text = ""
    for part in (value.strip() for value in args.show_all()):
        text += ("^" if text[-1:].isdigit() and part[:1].isdigit() else "") + part
    return apart(text)


def money(sign: str) -> NumberRenderer:
    def shown(args: Arguments) -> str | None:
        if not args.look(1):
            return sign
        scale = args.look(2)
        if not scale or _YEAR.fullmatch(scale):  # the year whose money it is
            return apart(sign + args.show(1))
        return apart(f"{sign}{args.show(1)} {args.show(2)}") if scale.isalpha() else None

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
