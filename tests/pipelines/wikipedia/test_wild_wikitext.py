"""Whatever the text: a parsed page or a named failure, never a crash, and the same from the other process."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphvine.workers.wikipedia.parse_page import Limits, parse_page
from graphvine.workers.wikipedia.parsed import Malformed, ParsedPage
from graphvine.workers.wikipedia.placeholders import RESERVED
from graphvine.workers.wikipedia.titles import InvalidTitle, parse_title
from tests.pipelines.wikipedia.pages import RULES, a_page, refused

PIECES = [
    "{{", "}}", "{{{", "}}}", "[[", "]]", "[", "]", "|", "||", "{|", "|}", "\n|-\n", "\n| ", "\n! ", "!!",
    "=", "==", "\n== A ==\n", "''", "'''", "'''''", "<ref>", "</ref>", "<ref />", "<br>", "<div class='x'>",
    "</div>", "<nowiki>", "</nowiki>", "<!--", "-->", "<math>", "</math>", "\n* ", "\n# ", "\n: ", "\n; ",
    "\n----\n", "&amp;", "&#0;", "&#xffffff;", "&", "https://example.org ", "[https://a b]", "Category:X",
    "File:y.jpg", "fr:z", "#REDIRECT ", "__DISAMBIG__", "convert|1|m", "lang|fr|mot", "Main|Wine", "word",
    "\n", " ", "é", "葡萄", "\x00", "\u2028", "<", ">", "~~~~", "-{", "}-", "===", "<table><tr><td>",
    "</td></tr></table>", "<pre>", "</pre>", "<b", "<span style=display:none>", "</span>",
]  # fmt: skip
WIKITEXT = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=200)


@given(WIKITEXT)
def test_any_text_ends_in_a_page_or_in_a_named_failure(wikitext: str) -> None:
    parsed = parse_page(a_page(wikitext), RULES)
    if isinstance(parsed, Malformed):
        assert parsed.reason
        return
    assert parsed.sections[0].position == 0
    assert [section.position for section in parsed.sections] == list(range(len(parsed.sections)))
    for section in parsed.sections[1:]:
        assert section.path[-1] == section.title
    for link in parsed.links:
        assert parse_title(link, RULES).full == link
        assert link != "Vine"
    for category in parsed.categories:
        assert category.startswith("Category:")
    for section in parsed.sections:
        assert section.text == section.text.strip()
        assert not re.search(r"\n{3}|<!--.*-->|[\x00-\x08]", section.text)
    assert ParsedPage.from_json(parsed.as_json()) == parsed


@given(st.text(max_size=100))
def test_a_link_is_found_if_its_title_can_be_one(title: str) -> None:
    assume(not RESERVED.search(title))  # code points that are no characters: none is in a page's title
    try:
        read = parse_title(title, RULES)
    except InvalidTitle:
        return
    # What looks like an address, a fragment, an escape or a switch (__TOC__) is read otherwise.
    if (
        read.namespace
        or read.interwiki
        or not read.full
        or read.full == "Vine"
        or set(title) & set("\n%#:/")
        or "__" in title
    ):
        return
    parsed = parse_page(a_page(f"See [[{title}|this]]."), RULES)
    assert isinstance(parsed, ParsedPage)
    assert parsed.links == (read.full,)
    assert parsed.lead.text == "See this."


def test_a_text_that_is_too_large_is_refused_at_once() -> None:
    assert "characters" in refused("x" * 100, Limits(max_characters=99)).reason


# Each would take a parser hours that goes back and tries again.
TORN = {
    "templates": "{{a|", "links": "[[a|", "files": "[[File:a|", "tables": "{|\n|-\n|\n", "tags": "<div>",
    "boxes": "<div class=navbox>", "addresses": "[http://a ", "quotes in templates": "{{''a|", "braces": "{{",
    "everything": "{{a|[[b|<div>{|\n|", "closing braces": "}}", "notes": "<ref name=a>x", "open notes": "<ref ",
    "comments": "<!--", "html tables": "<table><tr><td>", "raised": "<sup></sup>", "headings": "=\n", "equals": "=",
    "entities": "&amp", "brackets": "( ,", "empty brackets": "({{IPA|x}})", "terms": ";a", "switches": "__A",
    "open tags": "<div class=\"", "blanks": " ", "gaps": "5{{x}} ", "galleries": "<gallery>", "parameters": "{{{a|",
    "numbers": "{{convert|1" + " " * 30 + "x|m}}", "attributes": "{|\n| a | ", "asides": "<ref>{{a|[[b]]}}</ref>",
}  # fmt: skip
NESTED = {
    "templates": ("{{a|", "}}"), "shown templates": ("{{nowrap|x", "}}"), "tables": ("{|\n|a\n", "\n|}\n"),
    "html tables": ("<table><tr><td>", "</table>"), "files": ("[[File:a|b", "]]"), "raised": ("<sup>2", "</sup>"),
    "boxes": ("<div class=navbox>", "</div>"), "parameters": ("{{{a|", "}}}"), "notes": ("<ref><gallery>", "</gallery></ref>"),
}  # fmt: skip


def cpu_seconds(wikitext: str) -> float:
    began = time.process_time()
    assert isinstance(parse_page(a_page(wikitext), RULES), ParsedPage)
    return time.process_time() - began


def assert_proportional(make: Callable[[int], str]) -> None:
    """Sixteen times the text costs some sixteen times as much; a parser that goes back pays 256 times.

    The dearest of some small runs and the cheapest of some large ones: a busy machine may double either.
    """
    small = max(0.001, *(cpu_seconds(make(8_000)) for _ in range(3)))
    assert min(cpu_seconds(make(16 * 8_000)) for _ in range(3)) < 100 * small


@pytest.mark.parametrize("kind", TORN)
def test_the_cost_of_a_torn_text_is_proportional_to_its_length(kind: str) -> None:
    assert_proportional(lambda size: TORN[kind] * (size // len(TORN[kind])))


@pytest.mark.parametrize("kind", NESTED)
def test_the_cost_of_a_nested_text_is_proportional_to_its_length(kind: str) -> None:
    opening, closing = NESTED[kind]
    assert_proportional(
        lambda size: f"{opening * (size // len(opening + closing))}x{closing * (size // len(opening + closing))}"
    )


@pytest.mark.parametrize("kind", NESTED)
def test_behind_a_nested_text_the_page_goes_on(kind: str) -> None:
    opening, closing = NESTED[kind]
    parsed = parse_page(a_page(f"{opening * 5_000}x{closing * 5_000}\n[[Z end]]"), RULES)
    assert isinstance(parsed, ParsedPage)
    assert "Z end" in parsed.links


@pytest.mark.parametrize(
    "wikitext",
    ["{{a}}" * 5_000, "[[a]]" * 5_000, "<ref name=x />" * 5_000, "<br>" * 5_000, "\n{|\n| a\n|}" * 1_000,
     "<div>" * 500 + "</div>" * 500, "}}" * 5_000],
)  # fmt: skip
def test_much_of_the_usual_is_no_trouble(wikitext: str) -> None:
    parsed = parse_page(a_page(f"{wikitext}\n[[Z end]]"), RULES)
    assert isinstance(parsed, ParsedPage)
    assert parsed.links[-1] == "Z end"
