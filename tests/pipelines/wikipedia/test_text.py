"""What a reader would read: markup gone, words kept."""

from __future__ import annotations

import pytest

from tests.pipelines.wikipedia.pages import read, text_of


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("'''Vine''' is ''a'' plant.", "Vine is a plant."),
        ("''''four''''", "'four'"),
        ("l''''été'''", "l'été"),
        ("never '''closed\n[[Plant]]", "never closed\nPlant"),
        ("A [[plant]]s' [[Vitis vinifera|grape]].", "A plants' grape."),
        ("[[Vine#Uses]] and [[#Uses]]", "Vine#Uses and Uses"),
        ("[[:Category:Vines]] [[:fr:Vigne]] [[fr:Vigne]] [[wikt:vine]]", "Category:Vines Vigne vine"),
        ("a [[File:x.jpg|thumb|A [[leaf]]]] b", "a b"),
        ("[https://example.org the site] [https://example.org] https://example.org", "the site https://example.org"),
        ("one<ref>two</ref><ref name=a /> three<!-- four -->", "one three"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("CO<sub>2</sub> <small>tiny</small> <span style='display: none'>no</span>", "CO2 tiny"),
        ("&amp; &nbsp; &eacute; &#233; &lt;b&gt; &nosuch;", "& é é <b> &nosuch;"),
        ("<nowiki>[[no]] ''markup''</nowiki>", "[[no]] ''markup''"),
        ("<math>x^2</math> and <code>a [[b]]</code>", "x^2 and a b"),
        ("<syntaxhighlight lang=py>x = ''</syntaxhighlight>", "x = ''"),
        ("a\n\n\n\nb", "a\n\nb"),
        ("* one\n** two\n# three\n: four\n; term : meaning", "one\ntwo\nthree\nfour\nterm\nmeaning"),
        ("a\n----\nb", "a\n\nb"),
        ("{{unknown|a|b}}x {{{param|default}}}", "x default"),
        ("__NOTOC__ a __NOEDITSECTION__", "a"),
        ("<div class='navbox'>no</div><div>yes</div>", "yes"),
        ("[[a|]] [[~~~|shown]]", "a shown"),
        ("<includeonly>no</includeonly><noinclude>yes</noinclude>", "yes"),
        ("<gallery>\nFile:a.jpg|b\n</gallery>text", "text"),
        ("'''Vine''' ({{IPA|vain}}; {{lang|la|vitis}}) is", "Vine (vitis) is"),
        ("Vine ({{IPA|x}}), a plant", "Vine, a plant"),
        ("soft\u00adhyphen\u200b \ufeffzero", "soft\u00adhyphen zero"),
    ],
)  # fmt: skip
def test_markup_becomes_text(wikitext: str, text: str) -> None:
    assert text_of(wikitext) == text


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{convert|30|cm|in}}", "30 cm"),
        ("{{convert|2|to|5|cm|in|abbr=on}}", "2 to 5 cm"),
        ("{{cvt|10|-|12|C|F}}", "10-12 °C"),
        ("{{lang|fr|vigne}}", "vigne"),
        ("{{lang-de|Rebe}}", "Rebe"),
        ("{{langx|es|vid}}", "vid"),
        ("{{transl|ja|tsuru}}", "tsuru"),
        ("{{nowrap|not ''broken''}}", "not broken"),
        ("{{nowrap|1=with=equals}}", "with=equals"),
        ("{{circa|1800}}", "c. 1800"),
        ("{{frac|1|2}} {{frac|3}}", "1/2 1/3"),
        ("{{birth date|1809|2|12|df=y}}", "1809-02-12"),
        ("{{as of|2020}}", "as of 2020"),
        ("a{{snd}}b", "a – b"),  # noqa: RUF001
        ("{{hlist|a|[[b]]|c}}", "a, b, c"),
        ("{{ubl|a|b}}", "a\nb"),
        ("{{quote|Words.}}", "Words."),
        ("{{sortname|Jane|Doe}}", "Jane Doe"),
        ("{{Infobox plant|name=x}}{{Navbox vines}}{{Reflist|30em}}{{citation needed|date=May}}", ""),
        ("{{DEFAULTSORT:Vine}}{{#if:x|y|z}}{{formatnum:1000}}", "y 1000"),
        ("{{ nowrap | spaced }}", "spaced"),
        ("{{Template:Nowrap|a}}", "a"),
        ("{{nowrap|{{convert|1|m}} {{lang|la|x}}}}", "1 m x"),
    ],
)
def test_templates_that_carry_words_keep_them(template: str, text: str) -> None:
    assert text_of(template) == text


def test_tables_become_lines_under_their_headings() -> None:
    table = """before
{| class="wikitable"
|+ Growth ''forms''
! Form !! Stem
|-
| [[Tree]] || one trunk
|-
| Vine
| style="color: red" | long<ref>no</ref>
|}
after"""
    assert text_of(table) == ("before\n\nGrowth forms\nForm: Tree; Stem: one trunk\nForm: Vine; Stem: long\n\nafter")


def test_a_table_in_html_reads_the_same() -> None:
    table = "<table><tr><th>Form</th><th>Stem</th></tr><tr><td>Vine</td><td>long</td></tr></table>"
    assert text_of(table) == "Form: Vine; Stem: long"


def test_a_table_in_a_cell_stays_in_its_cell() -> None:
    assert text_of("{|\n| a\n|\n{|\n| b || c\n|}\n|-\n| d\n|}") == "a; b; c\nd"


@pytest.mark.parametrize("kind", ["infobox", "navbox", "sidebar", "metadata plainlinks"])
def test_boxes_beside_the_text_are_left_out_but_their_links_count(kind: str) -> None:
    parsed = read(f'{{| class="{kind}"\n| [[Plant]]\n|}}\nText.')
    assert parsed.lead.text == "Text."
    assert parsed.links == ("Plant",)
