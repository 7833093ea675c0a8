"""A number may be left out of a text, but never changed: what stands around a template or a tag does not join up."""

# ruff: noqa: RUF001
from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pipelines.wikipedia.pages import read, text_of


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("5.98{{e|24}} kg", "5.98×10^24 kg"),
        ("5.98{{E|-24}} kg", "5.98×10^-24 kg"),
        ("6.0{{x10^|23}}", "6.0×10^23"),
        ("{{10^|6}} volts", "10^6 volts"),
        ("a charge of {{val|6.241|e=18}}", "a charge of 6.241×10^18"),
        ("{{val|1.234|0.005|e=-3|u=kg}}", "(1.234 ± 0.005)×10^-3 kg"),
        ("{{val|12.5|+0.3|-0.2|ul=km|up=h}}", "12.5 +0.3 −0.2 km/h"),
        ("{{val|1.602(3)|s=x|p=~}}", "~1.602(3)x"),
        ("{{val|abc}} metres", "… metres"),
        ("{{convert|6|ft|4|in}} tall", "6 ft 4 in tall"),
        ("{{convert|6|ft|4|in|m|2}} tall", "6 ft 4 in tall"),
        ("{{convert|8|st|7|lb|kg|0}}", "8 st 7 lb"),
        ("{{convert|100|km|mi|1}}", "100 km"),
        ("{{convert|100|km|0}}", "100 km"),
        ("{{convert|10|x|20|x|30|cm|in}}", "10 x 20 x 30 cm"),
        ("{{convert|5+1/2|ft|m}}", "5 1/2 ft"),
        ("{{convert|5+1//2|ft|7|in}}", "5 1/2 ft 7 in"),
        ("{{convert|12|e6km2|sqmi}}", "12 million km²"),
        ("{{convert|12|e5USgal}}", "12 ×10^5 USgal"),
        ("{{convert|1,234.5|+/-|10|m}}", "1,234.5 ± 10 m"),
        ("about {{convert|{{#expr:2*3}}|km}} long", "about … long"),
        ("{{cvt|-5|C|F}}", "-5 °C"),
        ("{{height|ft=6|in=2}}", "6 ft 2 in"),
        ("5{{frac|1|2}} in", "5 1/2 in"),
        ("{{frac|3|1|2}} and {{frac|4}} and {{1/3}}", "3 1/2 and 1/4 and 1/3"),
        ("3<sup>1</sup>/<sub>2</sub>", "3 1/2"),
        ("10<sup>6</sup> years", "10^6 years"),
        ("10 <sup>6</sup>", "10 ^6"),
        ("10<sup>−6</sup>5", "10^−6 5"),
        ("2<sup>n</sup> and e<sup>x + 1</sup>5", "2^n and ex + 1 5"),
        ("10{{sup|6}} and [[ten|10]]<sup>6</sup> and '''10'''<sup>6</sup>", "10^6 and 10^6 and 10^6"),
        ("km<sup>2</sup>, Ca<sup>2+</sup>, H<sup>+</sup>", "km^2, Ca^2+, H+"),
        ("the 19<sup>th</sup>, 2<sup>e</sup>, <sup>14</sup>C", "the 19th, 2e, 14C"),
        ("CO<sub>2</sub>, C<sub>6</sub>H<sub>12</sub>O<sub>6</sub>", "CO2, C6H12O6"),
        ("101<sub>2</sub> is 5<sub>10</sub>, log<sub>10</sub>7", "101_2 is 5_10, log10 7"),
        ("{{chem|SO|4|2-}} and {{chem|H|2|O}}", "SO4^2- and H2O"),
        ("5{{su|p=+3|b=-2}} and 5{{±|3}} and 5 {{±|3|2}}", "5 +3 −2 and 5±3 and 5 +3 −2"),
        ("{{su|p=14|b=6}}C, <sub>6</sub><sup>14</sup>C, x<sub>6</sub><sup>14</sup>", "14_6C, 6 ^14C, x6^14"),
        ("{{val|12|-|15|u=m}}, {{val|1|,|2|and|3|e=5}}", "12-15 m, (1, 2 and 3)×10^5"),
        ("{{val|e=5|u=m}} and {{val|3.14|end=...}}", "10^5 m and 3.14..."),
        ("{{gaps|1|234|e=9|u=m}}", "1 234×10^9 m"),
        ("{{nts|12|suffix=%}} {{nts|5|prefix=$}}", "12% $5"),
        ("{{US$|5|2010}}, {{₹|5|crore}}, {{€|5|-}}", "US$5, ₹5 crore, …"),
        ("3 {{convert|3|mi|km|disp=unit}}, {{convert|3|mi|km|disp=number}} km", "3 …, … km"),
        ("0.1{{overline|6}} and 0.1<span style='text-decoration: overline'>6</span>5", "0.1… and 0.1 6 5"),
        ("{{overline|AB}} and {{HMS|Victory}} at {{hms|5|6|7}}", "AB and Victory at …"),
        ("{{percent|5|20}}, 5{{percent}}", "…, 5%"),
        ("10<span style='vertical-align:super'><span>6</span></span>5<span>7</span>", "10 6 57"),
        ("10<sup>6 years", "10^6 years"),
        ("10<sup>6</sup></sup>7 and 1</sub>2", "10^6 7 and 1 2"),
        ("1</sup>2 alone", "1 2 alone"),
        ("{{nowrap begin}}5{{nowrap end}} {{date|1999-05-06|mdy}} 4{{th}}", "5 1999-05-06 4th"),
        ("1{{gaps|234|567}}", "1 234 567"),
        ("{{formatnum:1234567}}", "1234567"),
        ("worth ${{formatnum:{{Inflation|US|100|1990}}}} today", "worth $… today"),
        ("{{formatnum:{{Inflation|US|100|1990|r=-3}}}} dollars", "… dollars"),
        ("aged {{age|1950|1|2}} years", "aged … years"),
        ("{{percentage|30|40}} of all", "… of all"),
        ("{{circa|1800|1850}}", "c. 1800 – c. 1850"),
        ("{{reign|1800|1810}}", "r. 1800–1810"),
        ("{{dts|2001|May|3}} {{date|14|juillet|1789}}", "2001 May 3 14 juillet 1789"),
        ("{{as of|2020|5|1}}, {{as of|2020|alt=in May}}", "as of 2020-05-01, in May"),
        ("{{coord|57|18|22|N|4|27|32|W}}", "57°18′22″N 4°27′32″W"),
        ("{{coord|44.112|-87.913|display=inline,title|type:city}}", "44.112, -87.913"),
        ("{{coord|44.1|N|87.9|W|display=title}}x", "x"),
        ("{{US$|5.5 million}}, {{€|7}}, {{INRConvert|5|c}}", "US$5.5 million, €7, ₹5 crore"),
        ("the {{ordinal|3}}, {{ordinal|12}}, {{ordinal|21}}", "the 3rd, 12th, 21st"),
        ("{{unité|100|km|2}} et {{unité|3|e=8|m|s|-1}}", "100 km^2 et 3×10^8 m s^-1"),
        ("{{unité|5|à|9|km}}", "5 à 9 km"),
        ("{{radic|2|3}}", "√[3]2"),
        ("{{0}}5 {{minus}}5 {{pm}}3", "5 −5 ±3"),
        ("10{{nbsp}}000 and 10&nbsp;000", "10 000 and 10 000"),
    ],
)  # fmt: skip
def test_templates_and_tags_of_numbers(wikitext: str, text: str) -> None:
    assert text_of(wikitext) == text


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("5.98{{unheard of|24}} kg", "5.98… kg"),
        ("5.98 {{unheard of}} kg", "5.98 … kg"),
        ("{{unheard of}}24 kg", "…24 kg"),
        ("about {{unheard of|5}} km", "about … km"),
        ("10^{{unheard of}}", "10^…"),
        ("1990–{{unheard of}}", "1990–…"),
        ("${{unheard of}} paid", "$… paid"),
        ("{{unheard of|5}} of 6", "… of 6"),
        ("{{unheard of}} % of all", "… % of all"),
        ("a {{unheard of}} word", "a word"),
        ("{{unheard of|in|words}}x", "x"),
        ("born in 1999.{{unheard of|note}} Then", "born in 1999. Then"),
        ("in 1999{{citation needed|date=May}} and 2000{{sfn|Doe|1999|p=3}}.", "in 1999 and 2000."),
        ("{{Unheard box|5}}\nText.", "Text."),
        ("10<ref>x</ref>6", "10 6"),
        ("10{{sfn|a}}6", "10 6"),
        ("10[[File:a.jpg]]6", "10 6"),
        ("5({{IPA|x}})6", "5 6"),
        ("5<ref/>.6", "5 .6"),
        ("1<small>50</small>", "1 50"),
        ("12<!-- a comment -->34", "1234"),
        ("3.14'''159'''", "3.14159"),
        ("{{nowrap|1{{small|5}}0}}", "1 5 0"),
        ("{{{rate|5}}}6", "56"),
        ("5{{{rate}}}6", "5 6"),
        ("5__NOTOC__6", "5 6"),
        ("5<math>10^{6}</math>", "5 10^{6}"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_leaves_a_gap_and_what_says_nothing_leaves_none(wikitext: str, text: str) -> None:
    assert text_of(wikitext) == text


NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
WORDS = [
    "of",
    "about",
    "km",
    "kg",
    "and",
    "(",
    ")",
    ",",
    ".",
    ";",
    "the",
    "×",
    "-",
    "–",
    "=",
    "$",
    "%",
    "\n",
    "\n* ",
    "°",
]
# What stands between two numbers, and shows nothing or something of its own.
BETWEEN = [
    "<ref>note</ref>", "<ref name=a />", "{{sfn|x}}", "{{unheard of}}", "{{unheard of|a}}", "{{DEFAULTSORT:x}}", "{{{p}}}",
    "[[File:a.jpg]]", "[[File:a.jpg|thumb|text]]", "[[Category:x]]", "[[fr:x]]", "__NOTOC__", "<gallery>\nFile:a\n</gallery>",
    "<references/>", "[http://example.org]", "<br>", "<div class=navbox>x</div>", "({{IPA|x}})", "<small>", "</small>",
    "{{#if:|a|b}}", "{{#switch:a|b=c}}", "{{snd}}", "{{nbsp}}", "<s>", "</s>", "<templatestyles src=x />", "{{-}}",
]  # fmt: skip
# What holds one number and shows it, or not.
AROUND = [
    "%s", "{{unheard of|%s}}", "{{val|%s}}", "{{val|%s|u=kg}}", "{{convert|%s|km|mi}}", "{{formatnum:%s}}",
    "{{frac|%s|7}}", "<sup>%s</sup>", "<sub>%s</sub>", "{{sup|%s}}", "{{e|%s}}", "{{val|3|e=%s}}",
    "<small>%s</small>", "{{small|%s}}", "{{circa|%s}}", "{{as of|%s}}",
    "{{US$|%s}}", "{{percentage|%s|9}}", "{{age|%s}}", "{{coord|%s|N|3|E}}", "{{cite web|year=%s}}", "<ref>%s</ref>",
    "{{Infobox|a=%s}}", "{{convert|7|ft|%s|in}}", "{{convert|7|to|%s|km}}", "{{convert|%s|e6km}}", "{{gaps|%s|3}}",
    "{{chem|SO|%s|3-}}", "{{dts|%s|May|3}}", "{{sort|3|%s}}", "{{nts|%s}}", "{{inflation|US|%s|3}}", "{{#expr:%s*3}}",
    "{{val|%s|3|e=3}}", "{{val|3|to|%s|u=m}}", "{{±|%s|3}}", "{{su|p=%s|b=3}}", "{{overline|%s}}", "{{gaps|3|e=%s}}", "<sup>%s",
    "<span style='vertical-align:super'>%s</span>", "<span style='text-decoration:overline'>%s</span>", "%s</sup>", "<sub>%s",
    "{{nts|%s|suffix=%%}}", "{{hms|%s|3}}", "{{percent|%s}}", "{{formatnum:{{inflation|US|%s|3}}}}", "<math>%s</math>", "{{unité|%s|km|3}}", "{{radic|%s}}",
    "\n{|\n| %s\n|}\n", "<table><tr><td>%s<td>3</table>", "{{ordinal|%s}}", "{{#if:%s|3|9}}", "<s>%s</s>", "{{height|m=%s}}",
]  # fmt: skip
# Formatting, which a reader does not see: digits on both sides of it would be one number to him too.
INVISIBLE = [
    " {{nowrap|%s}} ", " [[a|%s]] ", " '''%s''' ", " <span>%s</span> ", " {{abbr|%s|x}} ", " {{lang|fr|%s}} ",
    " <nowiki>%s</nowiki> ", " <!-- x -->%s<!-- x --> ", " {{color|red|%s}} ",
]  # fmt: skip
NUMBERS = st.from_regex(r"[1-9][0-9]{0,4}(\.[0-9]{1,3}|,[0-9]{3})?", fullmatch=True)
PIECES = st.one_of(
    st.sampled_from(WORDS), st.sampled_from(BETWEEN), st.sampled_from([" ", " ", " "]),
    st.tuples(st.sampled_from(AROUND + INVISIBLE), NUMBERS).map(lambda pair: pair[0] % pair[1]),
)  # fmt: skip


def whole_numbers(text: str) -> set[str]:
    """The numbers of a text; leading zeros make no difference."""
    return {number.lstrip("0") or "0" for number in NUMBER.findall(text)}


@given(st.lists(PIECES, max_size=14).map("".join))
def test_no_number_is_made_up(wikitext: str) -> None:
    """Every number of the output is a whole number of the input.

    The rules that we implement add two: the ten of a power of ten, and the one of a fraction.
    """
    known = whole_numbers(wikitext) | {"10", "1"}
    for section in read(wikitext).sections:
        assert whole_numbers(section.text) <= known, section.text
