"""What templates show, for those that stand in the middle of a sentence; all others show nothing.

A template is a program of its wiki, and there are hundreds of thousands. The few below carry words that a
sentence would miss; infoboxes, navigation, notes and citations are left out on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

Renderer = Callable[[Sequence[str], Mapping[str, str]], str]

_UNITS = {
    "C": "°C",
    "F": "°F",
    "sqmi": "sq mi",
    "sqkm": "km²",
    "km2": "km²",
    "m2": "m²",
    "mi2": "sq mi",
    "cuft": "cu ft",
}
_RANGES = {"-", "–", "to", "and", "or", "x", "by", "to about", "+/-", "±", "and(-)"}  # noqa: RUF001


def _first(args: Sequence[str], named: Mapping[str, str]) -> str:
    return _at(args, 0) or named.get("1", "") or named.get("text", "")


def _second(args: Sequence[str], named: Mapping[str, str]) -> str:
    return _at(args, 1) or named.get("2", "") or _first(args, named)


def _last(args: Sequence[str], named: Mapping[str, str]) -> str:
    return next((arg for arg in reversed(args) if arg), "") or named.get("text", "")


def _at(args: Sequence[str], place: int) -> str:
    return args[place] if place < len(args) else ""


def _joined(separator: str) -> Renderer:
    return lambda args, _: separator.join(arg for arg in args if arg)


def _lines(args: Sequence[str], _: Mapping[str, str]) -> str:
    return "\n" + "\n".join(arg for arg in args if arg) + "\n"


def _before(word: str) -> Renderer:
    return lambda args, _: word + _at(args, 0)


def _constant(text: str) -> Renderer:
    return lambda _args, _named: text


def _convert(args: Sequence[str], _: Mapping[str, str]) -> str:
    """The measure as it was given, ranges with it, without the converted one."""
    words = list[str]()
    for place, arg in enumerate(args):
        is_number = place % 2 == 0
        if not is_number and arg not in _RANGES:
            words.append(_UNITS.get(arg, arg))
            break
        words.append(arg)
    text = " ".join(word for word in words if word)
    return re.sub(r" ([-–]) ", r"\1", text)  # noqa: RUF001


def _date(args: Sequence[str], _: Mapping[str, str]) -> str:
    numbers = [arg for arg in args[:3] if arg.isdigit()]
    return "-".join(number.zfill(2) for number in numbers) or _at(args, 0)


def _fraction(args: Sequence[str], _: Mapping[str, str]) -> str:
    if len(args) == 1:
        return f"1/{args[0]}"
    return f"{args[0]}/{args[1]}" if len(args) == 2 else f"{_at(args, 0)} {_at(args, 1)}/{_at(args, 2)}"


def _quote(args: Sequence[str], named: Mapping[str, str]) -> str:
    return f"\n{_first(args, named) or named.get('quote', '')}\n"


_RULES: dict[str, Renderer] = {}
for _names, _renderer in (
    ("abbr|tooltip|abbrlink|nowrap|nobr|small|smaller|big|larger|em|strong|strongbad|bold|italic|val|num|formatnum|"
     "nihongo|nihongo krt|visible anchor|vanchor|ill|interlanguage link|sic|mvar|math|angbr|angle bracket|flag|flagu|"
     "flagcountry|keypress|kbd|code|mono|samp|var|tt|sub|sup|overline|underline|smallcaps|sc|sclass|ship|text|"
     "nospell|lcl|script|noitalic|nobold|noinitalic|section link|slink|wikt|wiktionary-inline|linktext|okina word|"
     "uss|hms|ss|zh|korean|chem name|species|small caps|1|inflation-year|percentage|ordinal|ord|usd|gbp|eur",
     _first),
    ("lang|resize|font|color|font color|colored text|lcfirst|ucfirst|rp text|hover title|script/arabic", _second),
    ("transliteration|transl|translit|langx", _last),
    ("convert|cvt|conv", _convert),
    ("circa|c.|ca.", _before("c. ")),
    ("us$", _before("US$")), ("£|gbp sign|pound sterling", _before("£")), ("€|euro", _before("€")),
    ("not a typo|gaps|chem|chem2|chem/sandbox|nospace", _joined("")),
    ("sortname", lambda args, _: " ".join(arg for arg in args[:2] if arg)),
    ("hlist|flatlist|cslist", _joined(", ")),
    ("ubl|unbulleted list|plainlist|plain list|bulleted list|ordered list|blist|olist|div col list|columns-list|"
     "col-list|tree list", _lines),
    ("quote|blockquote|cquote|quotation|bquote|poemquote|poem quote|verse translation|centered pull quote", _quote),
    ("frac|fraction|sfrac", _fraction),
    ("sqrt|radic|radical", _before("√")),
    ("birth date|death date|start date|end date|film date|birth date and age|death date and age|start date and age|"
     "date|dts", _date),
    ("as of", lambda args, named: ("since " if "since" in named else "as of ") + "-".join(args[:3])),
    ("snd|spnd|spaced ndash|spaced en dash|ndash|en dash|–|dash", _constant(" – ")),  # noqa: RUF001
    ("mdash|em dash|—|spaced mdash|snds", _constant("—")),
    ("nbsp|space|spaces|zwsp|thinsp|hair space|wbr|shy", _constant(" ")),
    ("'|apostrophe|okina|hamza", _constant("'")), ('"|"\'', _constant('"')), ("=|equals", _constant("=")),
    ("!|pipe", _constant("|")), ("·|middot|dot|•|bullet|\\", _constant(" · ")), ("pi", _constant("π")),
    ("br|clear|crlf|break", _constant("\n")), ("percent", _constant("%")), ("degree|deg", _constant("°")),
):  # fmt: skip
    for _name in _names.split("|"):
        _RULES.setdefault(_name, _renderer)

# Templates that point to other pages, with the places of the titles among their arguments.
_HATNOTES: dict[str, slice] = {
    "main": slice(0, None), "main article": slice(0, None), "main articles": slice(0, None),
    "see also": slice(0, None), "see": slice(0, None), "seealso": slice(0, None), "further": slice(0, None),
    "further information": slice(0, None), "broader": slice(0, 1), "details": slice(0, None),
    "about": slice(2, None, 2), "for": slice(1, None), "redirect": slice(2, None, 2), "distinguish": slice(0, None),
    "other uses": slice(0, 1), "hatnote": slice(0, 0), "section link": slice(0, 1), "slink": slice(0, 1),
    "ill": slice(0, 1), "interlanguage link": slice(0, 1),
}  # fmt: skip

_DISAMBIGUATION = frozenset(
    {
        "dab", "disam", "disamb", "disambig", "disambiguation", "disambiguation page", "disambiguation cleanup",
        "hndis", "geodis", "geo-dis", "numberdis", "letter-number combination disambiguation", "schooldis", "mathdab",
        "begriffsklärung", "bkl", "homonymie", "paronymie", "desambiguación", "desambig", "desambiguação", "disambigua",
        "doorverwijspagina", "dp", "förgrening", "flertydig", "peker", "täsmennyssivu", "ujednoznacznienie",
        "rozcestník", "egyért", "dezambiguizare", "anlam ayr\u0131m\u0131", "неоднозначность", "багатозначність",
        "пояснение", "aimai",
        "曖昧さ回避", "消歧义", "消歧義", "disambig2", "동음이의", "توضيح",
        "ابهام‌زدایی", "פירושונים",
        "trang định hướng", "disambiguasi", "apartigilo", "surname disambiguation", "place name disambiguation",
    }
)  # fmt: skip
# What ends like the mark of a list of meanings and is a remark in the text.
_NOT_DISAMBIGUATION = ("needed", "inline", "for other")


def template_name(raw: str) -> str:
    """A template's name as it is looked up."""
    name = re.sub(r"\s+", " ", raw.replace("_", " ")).strip().lower()
    return name.removeprefix("template:").removeprefix("subst:").strip()


def shown_text(name: str, args: Sequence[str], named: Mapping[str, str]) -> str:
    """The words that a template puts into its sentence."""
    if ":" in name:
        # A parser function takes its first argument after a colon.
        function, _, argument = name.partition(":")
        return argument if function in ("formatnum", "lc", "uc", "lcfirst", "ucfirst") else ""
    renderer = _RULES.get(name)
    if renderer is None and name.startswith("lang-"):
        renderer = _first
    return renderer(args, named) if renderer else ""


def linked_titles(name: str, args: Sequence[str]) -> Sequence[str]:
    """The titles that a template links to by its arguments."""
    return [arg for arg in args[_HATNOTES[name]] if arg] if name in _HATNOTES else ()


def marks_disambiguation(name: str) -> bool:
    """Whether a page with this template is a list of meanings."""
    if name in _DISAMBIGUATION:
        return True
    return name.endswith(" disambiguation") and not name.startswith(_NOT_DISAMBIGUATION)
