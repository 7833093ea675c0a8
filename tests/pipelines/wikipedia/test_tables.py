"""Tables of every make: closed or not, in wikitext or in HTML, indented, nested, torn."""

from __future__ import annotations

import pytest

from tests.pipelines.wikipedia.pages import read, text_of


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("<table><tr><td>1<td>[[Link]]</table>", "1; Link"),
        ("<table><tr><th>Form<th>Stem<tr><td>Vine<td>long</table>", "Form: Vine; Stem: long"),
        ("<TABLE class='x'\nborder=1><TR>\n<TD>a</TD>\n<TD>b</TD></TR></TABLE>", "a; b"),
        ("<table><caption>C</caption><tbody><tr><td>a</td></tr></tbody></table>", "C\na"),
        ("<table><tr><td>a<table><tr><td>b<td>c</table><td>d</table>", "a b; c; d"),
        ("<table>loose<tr><td>a</td>and more</tr></table>", "looseand more\na"),
        ("<tr><td>no table</td></tr>", "no table"),
        (':{| class="wikitable"\n| a || b\n|}', "a; b"),
        ("::  {|\n! x !! y\n|-\n| 1 || 2\n|}\nafter", "x: 1; y: 2\n\nafter"),
        ('{| class="toccolours"\n| shown\n|}', "shown"),
        ('{| class="wikitable toccolours collapsible"\n| shown\n|}', "shown"),
        ("{|\n| a\n| b", "a; b"),
        ("{|\n|-\n|-\n| a\n|-\n|}", "a"),
        ("{|\n|+ Caption [[x]]\n| a\n|}", "Caption x\na"),
        ("{|\n| style='a' | b || c | d\n|}", "b; d"),
        ("{|\n| [[a|b]] || [[c|d]]\n|}", "b; d"),
        ("{|\n| a{{!}}b\n| c\n|}", "b; c"),
        ("{{(!}} class=x\n{{!}} a {{!!}} b\n{{!-}}\n{{!}} c\n{{!)}}", "a; b\nc"),
        ("{|\n| a\nsecond line\n* item\n| b\n|}", "a second line item; b"),
        ("{|\n| <ul><li>a<li>b</ul> || c\n|} tail", "a b; c\n\ntail"),
        ("{|\n| {{unknown|a\n| b}} || c\n|}", "; c"[2:]),
        ("{|\n| a\n</table>\nafter", "a\n\nafter"),
        ("| outside", "| outside"),
        ("! outside", "! outside"),
    ],
)  # fmt: skip
def test_a_table_is_read_as_mediawiki_reads_it(wikitext: str, text: str) -> None:
    assert text_of(wikitext) == text


@pytest.mark.parametrize(
    "row", ["<tr><td>cell %s", "<tr>\n<td>cell %s\n", "<tr><th>cell %s<td>[[Link %s]]", "<td>cell %s"]
)
def test_hundreds_of_cells_that_nobody_closes_cost_the_page_nothing(row: str) -> None:
    rows = "".join(row.replace("%s", str(number)) for number in range(400))
    parsed = read(
        f"<table>{rows}</table>\nAfter it [[stands]] '''text'''.\n== Next ==\n{{{{nowrap|more}}}} [[Category:Tables]]"
    )
    assert "cell 399" in parsed.lead.text
    assert parsed.lead.text.endswith("After it stands text.")
    assert parsed.sections[1].text == "more"
    assert parsed.links[-1] == "Stands"
    assert parsed.categories == ("Category:Tables",)
    assert len(parsed.links) == (401 if "Link" in row else 1)


@pytest.mark.parametrize("opening", ["{|\n| a", "<table><tr><td>a", "{|\n| a\n{|\n| b"])
def test_a_table_that_is_never_closed_does_not_swallow_the_sections_behind_it(opening: str) -> None:
    parsed = read(f"Lead.\n{opening}\n== One ==\n1 [[x]]\n== Two ==\n2")
    assert [(section.title, section.text) for section in parsed.sections[1:]] == [("One", "1 x"), ("Two", "2")]
    assert parsed.lead.text.startswith("Lead.\n\na")


def test_a_box_that_is_never_closed_is_shown() -> None:
    parsed = read('<div class="navbox">\nshown [[x]]\n== One ==\nmore')
    assert [section.text for section in parsed.sections] == ["shown x", "more"]
    assert text_of('{| class="infobox"\n| shown').strip() == "shown"


def test_tables_beyond_any_depth_still_show_their_text() -> None:
    parsed = read("{|\n| a\n" * 60 + "[[deep]]\n" + "|}\n" * 60 + "after")
    assert parsed.lead.text.endswith("after")
    assert parsed.links == ("Deep",)
