"""Whatever the text: a parsed page or a named failure, never a crash, and the same from the other process."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.workers.wikipedia.parsed import Malformed, ParsedPage
from graphvine.workers.wikipedia.parsing import parse_page
from graphvine.workers.wikipedia.precheck import Limits, trouble
from graphvine.workers.wikipedia.titles import InvalidTitle, parse_title
from tests.wikipedia.pages import RULES, a_page, refused

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
    try:
        read = parse_title(title, RULES)
    except InvalidTitle:
        return
    # What looks like an address, a fragment or an escape is read otherwise.
    if read.namespace or read.interwiki or not read.full or read.full == "Vine" or set(title) & set("\n%#:/"):
        return
    parsed = parse_page(a_page(f"See [[{title}|this]]."), RULES)
    assert isinstance(parsed, ParsedPage)
    assert parsed.links == (read.full,)
    assert parsed.lead.text == "See this."


@pytest.mark.parametrize(
    ("wikitext", "word"),
    [
        ("{{" * 500, "templates"),
        ("{{a|" * 500 + "}}" * 100, "templates"),
        ("[[a|" * 2_000, "links"),
        ("\n{|\n|-\n|" * 200, "tables"),
        ("<div>" * 2_000, "tags"),
        ("<REF name=x>" * 2_000, "tags"),
        ("x" * 100, "characters"),
    ],
)
def test_torn_and_large_texts_are_refused_at_once(wikitext: str, word: str) -> None:
    limits = Limits(max_characters=99 if word == "characters" else 1_000_000)
    assert word in refused(wikitext, limits).reason


@pytest.mark.parametrize(
    "wikitext",
    [
        "{{a}}" * 5_000,
        "[[a]]" * 5_000,
        "<ref name=x />" * 5_000,
        "<br>" * 5_000,
        "\n{|\n| a\n|}" * 1_000,
        "<div>" * 500 + "</div>" * 500,
        "}}" * 5_000,
    ],
)
def test_much_of_the_usual_is_no_trouble(wikitext: str) -> None:
    assert trouble(wikitext, Limits()) is None
