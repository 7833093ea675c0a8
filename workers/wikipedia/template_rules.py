"""What templates show, for those that stand in the middle of a sentence; all others show nothing.

A template is a program of its wiki, and there are hundreds of thousands. The few below carry words or numbers that a
sentence would miss; infoboxes, navigation, notes and citations are left out on purpose. Where a template that is
neither of these stands beside a number, a gap is marked: what it showed may have been part of the number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from graphvine.workers.wikipedia import date_templates as dates
from graphvine.workers.wikipedia import number_templates as numbers
from graphvine.workers.wikipedia.other_languages import (
    HATNOTES,
    century_or_first,
    french_ordinal,
    hour,
    red_link,
    red_link_title,
)
from graphvine.workers.wikipedia.placeholders import GAP, NUMBER_GAP, SEAM, without_marks
from graphvine.workers.wikipedia.preprocess import Arguments
from graphvine.workers.wikipedia.silent_templates import is_silent
from graphvine.workers.wikipedia.site import TEMPLATE, SiteRules

# The wikitext that a template shows; None where its arguments are not what the rule knows.
Renderer = Callable[[Arguments], str | None]


def _first(args: Arguments) -> str | None:
    return args.show(1, "text")


def _second(args: Arguments) -> str | None:
    return args.show(2, 1, "text")


def _last(args: Arguments) -> str | None:
    return args.show(*range(args.count, 0, -1), "text")


def _joined(separator: str) -> Renderer:
    return lambda args: separator.join(args.show_all())


def _lines(args: Arguments) -> str | None:
    return "\n" + "\n".join(args.show_all()) + "\n"


def _constant(text: str) -> Renderer:
    return lambda _: text


def _quote(args: Arguments) -> str | None:
    return f"\n{args.show(1, 'text', 'quote')}\n"


def _around(before: str, after: str) -> Renderer:
    return lambda args: before + args.show(1) + after


def _name(args: Arguments) -> str | None:
    return " ".join(args.show_all(1, min(args.count, 2)))


def _unreadable(_: Arguments) -> str | None:
    """It computes: its number is not among its arguments."""
    return None


_BLANKS = re.compile(r"\s+")
_FRACTION = re.compile(r"\d{1,3}/\d{1,3}")
_MODIFIERS = ("subst:", "safesubst:", "msg:", "msgnw:", "raw:")
_SILENT_FUNCTIONS = ("defaultsort", "displaytitle", "#tag", "#seo", "#css", "#widget", "#set", "#subobject")

_RULES: dict[str, Renderer] = {}
for _names, _renderer in (
    ("abbr|tooltip|abbrlink|nowrap|nobr|big|larger|em|strong|strongbad|bold|italic|"
     "nihongo|nihongo krt|visible anchor|vanchor|ill|interlanguage link|sic|mvar|math|tmath|angbr|angle bracket|flag|"
     "flagu|flagcountry|keypress|kbd|code|mono|samp|var|tt|underline|smallcaps|sc|sclass|ship|text|"
     "nospell|lcl|script|noitalic|nobold|noinitalic|section link|slink|wikt|wiktionary-inline|linktext|okina word|"
     "zh|korean|chem name|species|small caps|1|nop|no wrap|nombre en lettres|unité non sécable|"
     "large|x-larger|normal|nonbold|bdi|bdo|rtl|ltr|align|center|centre|left|right|nbsp text|ruby|ruby-ja|読み仮名|"
     "読み仮名 ruby不使用|ふりがな|ルビ|abréviation|abrév|abreviatura|comment|hint|подсказка",
     _first),
    ("uss|hms|ss", numbers.ship), ("overline|overbar|vinculum", numbers.overlined),
    ("s|s-", century_or_first), ("heure", hour), ("n°|nº|numéro", _constant("n° ")),
    ("small|smaller|sm", _around(SEAM, SEAM)),
    ("lang|resize|font|color|font color|colored text|lcfirst|ucfirst|rp text|hover title|script/arabic|"
     "colour|couleur|background color|tooltip text|sortname text|hover", _second),
    ("sort", lambda args: numbers.apart(args.show(2, 1))),
    ("transliteration|transl|translit|langx|lang-x", _last),
    ("convert|cvt|conv|converted|convertir|umrechnen", numbers.convert),
    ("val|valor|vals", numbers.value),
    ("e|esp10|x10^|x10|×10^|e10", numbers.power_of_ten),  # noqa: RUF001
    ("10^|10e|tenpow|10puissance", numbers.ten_to),
    ("unité|unite|unidad|nb|nombre|unità|eenheid|quantidade|einheit", numbers.quantity),
    ("num|number|formatnum|nts|nts2|n.|zahl|число|liczba|fmtn|format number|fmt|formatprice|"
     "val2|numero|número|tal|antal|commas|digits", numbers.number),
    ("circa|c.|ca.|ca|circ.", dates.circa),
    ("reign|r.", dates.years("r.")), ("floruit|fl.|flourished", dates.years("fl.")),
    ("born in|b.|born-in", dates.years("b.")), ("died in|d.|died-in", dates.years("d.")),
    ("us$|usd|us dollar|us dollars", numbers.money("US$")), ("£|gbp sign|pound sterling|gbp|pound", numbers.money("£")),
    ("€|euro|eur", numbers.money("€")), ("a$|aud|au$", numbers.money("A$")), ("c$|cad|can$", numbers.money("C$")),
    ("nz$|nzd", numbers.money("NZ$")), ("¥|jpy|yen|cny|rmb", numbers.money("¥")), ("inr|rs.|₹|rs", numbers.money("₹")),
    ("chf", numbers.money("CHF ")), ("₽|rub", numbers.money("₽")), ("₩|krw", numbers.money("₩")),
    ("php|₱", numbers.money("₱")), ("inrconvert|inr convert", numbers.rupees),
    ("not a typo|nospace|proper name|not typo", lambda args: SEAM.join(args.show_all())),
    ("gaps|gapnum", numbers.grouped), ("chem|chem/sandbox", numbers.chemical), ("chem2|ce", _joined("")),
    ("sortname|sort name|hs name", _name),
    ("hlist|flatlist|cslist|hl|comma separated entries|csv", _joined(", ")),
    ("ubl|unbulleted list|plainlist|plain list|bulleted list|ordered list|blist|olist|div col list|columns-list|"
     "col-list|tree list|ublist|ulist|bulletlist", _lines),
    ("quote|blockquote|cquote|quotation|bquote|poemquote|poem quote|verse translation|centered pull quote|"
     "citation bloc|zitat|cita|citazione|citat", _quote),
    ("frac|fraction|sfrac|fract|mfrac|bruch|frac2", numbers.fraction),
    ("sup|superscript|exp|exposant|hochgestellt|smsup|s^", _around("<sup>", "</sup>")),
    ("sub|subscript|ind|indice|tiefgestellt|smsub", _around("<sub>", "</sub>")),
    ("su|sup sub|subsup", numbers.super_and_sub),
    ("sqrt|radic|radical", numbers.root), ("half", _constant(f"{SEAM}1/2")), ("ordinal|ord", numbers.ordinal),
    ("height", numbers.height), ("coord|coords|coordinate|coordinates", dates.coordinates),
    ("birth date|death date|start date|end date|film date|birth date and age|death date and age|start date and age|"
     "date|dts|bda|dda|birth-date|death-date|birth year and age|birth year|death year|dob|datum|data|"
     "end date and age|release date|date de naissance|date de décès|launch date|opdrts|date-", dates.date),
    ("birth-date and age|death-date and age", _first),
    ("as of|as-of", dates.as_of),
    ("percentage|pct|percent of|inflation|inflation-year|inflation/year|inflation-fn|inflation/fn|to usd|currency|age|"
     "age in years|age in days|age in years and days|#expr|ayd|currentyear|currentmonth|currentday|#time|#timel|"
     "numberofarticles|population|#property|wikidata|#statements|dollarsign|rounddown|decimals|rnd|round|"
     "edad|âge|alter|leeftijd|revisionyear|data rounding|nts computed|bruttosozialprodukt|fxconvert|changes",
     _unreadable),
    ("minus|−|neg|minus sign", _constant("−")), ("pm|±|+-|plus-minus|+/-|plusminus", numbers.uncertainty),  # noqa: RUF001
    ("times|×|x mark|multiply", _constant("×")), ("approx|≈|approximately", _constant("≈")),  # noqa: RUF001
    ("th", _constant("th")), ("nd", _constant("nd")), ("rd", _constant("rd")),
    ("~", _constant("~")), ("number sign|#", _constant("#")), ("sdot", _constant("⋅")),
    ("snd|spnd|spaced ndash|spaced en dash|ndash|en dash|endash|–|dash|spaced en dash space", _constant(" – ")),  # noqa: RUF001
    ("mdash|em dash|emdash|—|spaced mdash|snds", _constant("—")),
    ("nbsp|space|spaces|zwsp|thinsp|hair space|hsp|wbr|shy|gap|figure space|thin space|fsp|nnbsp|nbsp2|pad space|,",
     _constant(" ")),
    ("'|apostrophe|okina|hamza|`", _constant("'")), ('"|"\'', _constant('"')), ("=|equals", _constant("=")),
    ("!|pipe", _constant("|")), ("!!", _constant("||")), ("!-", _constant("|-")), ("(!", _constant("{|")),
    ("!)", _constant("|}")), ("((", _constant("{{")), ("))", _constant("}}")), ("(", _constant("{")),
    (")", _constant("}")), ("·|middot|dot|•|bullet|\\", _constant(" · ")), ("pi", _constant("π")),
    ("br|clear|crlf|break|-br-", _constant("\n")), ("percent", numbers.percent), ("degree|deg|degrees", _constant("°")),
):  # fmt: skip
    for _one in _names.split("|"):
        _RULES.setdefault(_one, _renderer)

# Templates that point to other pages, with the places of the titles among their arguments.
_HATNOTES: dict[str, slice] = {
    "main": slice(0, None), "main article": slice(0, None), "main articles": slice(0, None),
    "see also": slice(0, None), "see": slice(0, None), "seealso": slice(0, None), "further": slice(0, None),
    "further information": slice(0, None), "broader": slice(0, 1), "details": slice(0, None),
    "about": slice(2, None, 2), "for": slice(1, None), "redirect": slice(2, None, 2), "distinguish": slice(0, None),
    "other uses": slice(0, 1), "hatnote": slice(0, 0), "section link": slice(0, 1), "slink": slice(0, 1),
    "ill": slice(0, 1), "interlanguage link": slice(0, 1),
}  # fmt: skip


def template_name(raw: str, rules: SiteRules) -> str:
    """A template's name as it is looked up: in lower case, without the prefix of its namespace."""
    name = _BLANKS.sub(" ", without_marks(raw).replace("_", " ")).strip().lower()
    for word in _MODIFIERS:
        name = name.removeprefix(word).lstrip()
    prefix, colon, rest = name.partition(":")
    if colon and rules.namespace_number(prefix) == TEMPLATE:
        return rest.strip()
    return name


def template_text(name: str, raw: str, args: Arguments) -> str:
    """The wikitext that a template puts into its sentence; a mark where it shows nothing or can't be read."""
    renderer = _RULES.get(name)
    if renderer is None and _FRACTION.fullmatch(name):
        return numbers.apart(name)
    if renderer is None and name.startswith("lang-"):
        renderer = _first
    if renderer is not None:
        shown = renderer(args)
        return NUMBER_GAP if shown is None else shown
    shown = red_link(name, args) or french_ordinal(raw.strip(), args)
    if shown is not None:
        return shown
    function, colon, _ = name.partition(":")
    if colon:
        return _function(function, raw.partition(":")[2], args)
    return SEAM if is_silent(name) else _gap(args)


def _function(function: str, first: str, args: Arguments) -> str:
    """A parser function: its first argument stands behind a colon."""
    match function.strip():
        case "formatnum" | "#formatdate" | "#dateformat" | "formatdate":
            return numbers.apart(NUMBER_GAP if GAP in first or NUMBER_GAP in first else first)
        case "lc" | "uc" | "lcfirst" | "ucfirst":
            return first
        case "#if" if GAP not in first and NUMBER_GAP not in first:
            return numbers.apart(args.show(1) if without_marks(first).strip() else args.show(2))
        case "#ifeq" if not any(mark in first + args.look(1) for mark in (GAP, NUMBER_GAP)):
            return numbers.apart(args.show(2) if first.strip() == args.look(1) else args.show(3))
        case name if name in _RULES:  # those that compute
            return NUMBER_GAP
        case name:
            return SEAM if is_silent(name) or name.startswith(_SILENT_FUNCTIONS) else _gap(args)


def _gap(args: Arguments) -> str:
    return NUMBER_GAP if args.has_number else GAP


def linked_titles(name: str, args: Arguments) -> Iterable[str]:
    """The titles that a template links to by its arguments."""
    if name in HATNOTES:
        return [title for title in args.numbered() if title]
    if title := red_link_title(name, args):
        return [title]
    return [title for title in args.numbered()[_HATNOTES[name]] if title] if name in _HATNOTES else ()
